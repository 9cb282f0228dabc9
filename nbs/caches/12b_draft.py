# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: python3
#     language: python
#     name: python3
# ---

# %%
#| hide
if 'google.colab' in str(get_ipython()):
    get_ipython().system("pip list --format=freeze | grep '^torch==' > colab.txt") # Colab's own torch stays, since it suits the driver there
    get_ipython().run_line_magic('pip', "install -q -c colab.txt 'kvcache_nb[pages] @ git+https://github.com/kvcache-nb/kvcache_nb'")
    get_ipython().run_line_magic('run', '-m kvcache_nb.core.dispatch') # says where this page computes

# %% [markdown]
# # Which policy?
#
# > What ten eviction policies keep of the same text, and how many questions they still answer

# %% [markdown]
# [![Open in Colab](../images/colab.svg)](https://colab.research.google.com/github/kvcache-nb/kvcache_nb/blob/main/nbs/caches/12b_policies_compared.ipynb)
#
# The [evicting cache](12_evicting.ipynb) takes ten policies: four scores from keys and values, five [from attention](12a_attention_scores.ipynb), and random tokens as a bound. This page shows what each keeps of one text, and compares their answers at equal bytes. The comparison holds for one small model; what it can't tell about large ones is said at the end.

# %%
#| hide
import random, torch, matplotlib.pyplot as plt
from fastcore.test import test_eq
from kvcache_nb.caches import attention_scores
from kvcache_nb.caches.evicting import EvictingCache
from kvcache_nb.core.attention import use_kvcache_attention
from kvcache_nb.core.display import Table
from kvcache_nb.core.registry import policies
from kvcache_nb.measuring.protocols import protocols
from kvcache_nb.measuring.recall import load_recall
from kvcache_nb.measuring.task_runs import TaskRun, accuracy_table, plot_accuracy, task_rows
from kvcache_nb.measuring.tasks import tasks

# %%
model,tok = load_recall()
use_kvcache_attention(model)
names = 'knorm','keydiff','cur','lagkv','tova','h2o','snapkv','pyramidkv','dropkv','random'
summary = [dict(policy=n, keeps=policies[n].__doc__.partition(' (')[0], needs='attention' if policies[n].needs_attention else 'keys and values') for n in names]
assert set(names)<=set(policies)
Table(summary)

# %% [markdown]
# ## What is kept of one text
#
# A text of 255 words holds one statement, the *needle*. The question comes later, so no policy knows it. Each cache keeps 64 of the tokens in each head. In the picture a row is a KV head of a layer, the first layer at the top, and a dark cell is a token that is kept. The orange frame marks the needle.

# %%
#| fig-cap: "Tokens kept of one text by each policy, at a quarter of the tokens: columns are tokens, rows are KV heads of all layers. The last tokens and the first stay under every policy. The orange frame is the statement that a question asks for later."
#| fig-alt: "Ten panels. In each, a grid of layers and heads by tokens has dark cells at both ends; in between they form vertical lines where heads agree, and scattered points where they do not."
example = protocols['unknown'](tasks['needle'](255, random.Random('one needle')))
ids = torch.tensor([tok(' '.join(example.context), verbose=False).input_ids])
first,last = (o+1 for o in example.evidence[0]) # `<bos>` is the first token
def kept_tokens(policy, budget=64):
    "Which tokens each layer and head keeps: rows of zeros and ones"
    cache = EvictingCache(model.config, policy, budget, recent=8)
    with torch.no_grad(): model(ids, past_key_values=cache)
    rows = [torch.zeros(ids.shape[1]).index_fill(0, p[p>=0], 1.)
            for i in range(len(cache.layers)) for p in cache.kept_positions(i)[0]]
    return torch.stack(rows)
pictures = {n: kept_tokens(n) for n in names}
heads = model.config.num_hidden_layers*model.config.num_key_value_heads
for n,rows in pictures.items():
    assert rows[:,:4].all() and rows[:,-8:].all() and abs(rows.sum().item()-64*heads)<=heads
fig,axs = plt.subplots(5, 2, figsize=(7.5,6.4), sharex=True, sharey=True, layout='constrained')
for ax,(n,rows) in zip(axs.T.flat, pictures.items()):
    ax.imshow(rows, cmap='Blues', aspect='auto', vmax=1.3, interpolation='nearest')
    ax.add_patch(plt.Rectangle((first-.5,-.5), last-first+1, heads, fill=False, ec='tab:orange', lw=1.5))
    ax.set_title(n, fontsize=9, loc='left')
    ax.set_yticks([])
for ax in axs[-1]: ax.set_xlabel('token')

# %% [markdown]
# Which share of the heads still holds the whole needle?

# %%
Table([dict(policy=n, share_of_heads=round(rows[:,first:last+1].all(1).float().mean().item(), 2)) for n,rows in pictures.items()])

# %% [markdown]
# ## Right answers against bytes
#
# `needle` asks for the only statement of a text, `recall` for one of several. The question is unknown when tokens are evicted. The bounds are the whole cache, random tokens, sinks and the newest, and an [oracle](../measuring/38a_bounds.ipynb), which looks ahead.

# %%
#| slow
#| fig-cap: "Right answers against the bytes of a cache that has read a text of 255 words, whose question comes later. Black lines are bounds: an oracle, the newest tokens, random tokens."
#| fig-alt: "Two panels of lines that rise with bytes, one line for each policy; the oracle is above all others."
run = TaskRun(length=255, num_examples=16)
rows = task_rows(model, tok, ['needle','recall'], [n for n in names if n!='random'], [128,64,32], run, progress=False)
by = {(r['task'],r['cache'],r['budget']): r['accuracy'] for r in rows}
for task in ('needle','recall'):
    for budget in (128,64): assert by[task,'oracle',budget]>=max(by[task,'newest',budget],by[task,'random',budget])
plot_accuracy(rows)

# %%
#| slow
#| code-fold: true
#| code-summary: "Show the table"
Table(accuracy_table(rows))

# %% [markdown]
# A frontier for a policy of your own takes two lines: enter the class, and name it.
#
# ```python
# policies['mine'] = MyPolicy
# plot_accuracy(task_rows(model, tok, ['recall'], ['mine','snapkv'], [128,64,32]))
# ```
#
# ## What this can't tell
#
# Key norm and KeyDiff rest on properties of large trained models. Whether the model of this page has them is [measured elsewhere](../measuring/42_task_results.ipynb#what-this-model-is-like). Its texts are made of few words, and its questions ask for one statement; a summary needs something else. Take the order of the lines as an example of how to compare, and run the comparison on your model and your texts.
#
# ## Which one?
#
# | you know | take |
# |---|---|
# | the question stands at the end of the prompt | `snapkv`, `dropkv` |
# | the question comes later | compare `keydiff` and `lagkv` with `snapkv` on a task of your own |
# | what matters changes during a long answer | `h2o` |
# | attention can't be replaced by `kvcache` | `keydiff`, `lagkv` |
# | only the newest text matters | a [sink cache](05_sink.ipynb) |

# %%
#| hide
import nbdev
if nbdev.config.is_nbdev(): nbdev.nbdev_export()
