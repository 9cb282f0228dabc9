"Grow the 4-layer recall model to 6 layers and go on: several questions to each text"
import math,sys,os,json,time,random,torch,torch.nn.functional as F,copy
from pathlib import Path
from collections import defaultdict
from transformers import LlamaConfig, LlamaForCausalLM
from kvcache_nb.measuring.tasks import letters, names, numbers, tasks, words, Turn
from kvcache_nb.measuring.recall import load_recall
torch.set_num_threads(1)
out=Path(sys.argv[1]); out.mkdir(exist_ok=True); SEED=int(sys.argv[2]) if len(sys.argv)>2 else 1
ids_of = {w: i+3 for i,w in enumerate(words)}
is_name,is_number = set(names),set(numbers)

def grown(model, num_layers=6):
    "A copy with more layers at the end, which change nothing yet: they write zeros"
    config = copy.deepcopy(model.config)
    config.num_hidden_layers,config.layer_types = num_layers,None
    config = LlamaConfig(**{k:v for k,v in config.to_dict().items() if k!='layer_types'})
    large = LlamaForCausalLM(config)
    large.load_state_dict(model.state_dict(), strict=False)
    for layer in large.model.layers[model.config.num_hidden_layers:]:
        layer.load_state_dict(model.model.layers[2].state_dict())
        torch.nn.init.zeros_(layer.self_attn.o_proj.weight)
        torch.nn.init.zeros_(layer.mlp.down_proj.weight)
    return large

def sizes(name, length, rng):
    pairs = rng.randint(2, max(2, min(length//5, 64)))
    chains = rng.randint(1, max(1, min(5, length//16)))
    given = dict(
        recall=dict(num_pairs=pairs), turns=dict(num_pairs=pairs, num_turns=min(pairs, 16)),
        multi_query=dict(num_pairs=max(3, pairs)), multi_value=dict(num_pairs=max(4, min(pairs,24))),
        variables=dict(num_chains=chains, hops=rng.choice((1,2))),
        common=dict(often=rng.choice((2,3)), num_names=rng.choice((5,10,20))), again=dict(num_words=rng.choice((8,16,32,64))))
    return given.get(name, {})

def more_turns(name, o, rng, most=8):
    "Further questions to the text of an example, read from the text"
    text = o.context
    if name=='multi_value':
        values = defaultdict(list)
        for i,w in enumerate(text):
            if w==':': values[text[i-1]].append(text[i+1])
        return [Turn(['?',n,':'], values[n]) for n in rng.sample(list(values), min(most, len(values)))]
    if name=='variables':
        value = {}
        for i,w in enumerate(text):
            if w=='=': value[text[i-1]] = value.get(text[i+1], text[i+1])
        return [Turn(['?',n,'='], [value[n]]) for n in rng.sample(list(value), min(most, len(value)))]
    if name=='induction':
        seq = [w for w in text if w in is_name]
        pairs = list(zip(seq, seq[1:]))
        starts = [i for i in range(len(seq)-5) if pairs.count(pairs[i])==1]
        return [Turn(['next',*seq[i:i+2]], seq[i+2:i+6]) for i in rng.sample(starts, min(most, len(starts)))]
    if name=='multi_query':
        value = {text[i-1]: text[i+1] for i,w in enumerate(text) if w==':'}
        turns = []
        for _ in range(3):
            wanted = rng.sample(list(value), min(3, len(value)))
            turns.append(Turn(['?',*wanted,':'], [value[n] for n in wanted]))
        return turns
    return []

def hints(name, text):
    "For some words of a text, what a middle layer must know there: {position: word}"
    found = {}
    if name=='variables': # the number behind the right side
        value = {}
        for i,w in enumerate(text):
            if w=='=':
                value[text[i-1]] = value.get(text[i+1], text[i+1])
                if text[i+1] in value: found[i+2] = value[text[i+1]]
    elif name=='multi_value': # the value that this name had before
        last = {}
        for i,w in enumerate(text):
            if w==':':
                found[i+2] = last.get(text[i-1], '?')
                last[text[i-1]] = text[i+1]
    elif name=='common': # how often this name has occurred
        seen = defaultdict(int)
        for i,w in enumerate(text):
            if w in is_name:
                seen[w] += 1
                found[i] = numbers[seen[w]]
    return found

def encoded(o, turns):
    ids,weights = [1]+[ids_of[w] for w in o.context],[0.]*(len(o.context)+1)
    weight = sum(len(t.answer) for t in turns)**-.5
    for t in turns:
        ids += [ids_of[w] for w in t.question+t.answer]
        weights += [0.]*len(t.question)+[weight]*len(t.answer)
    return ids,weights

def batch(length, num_tokens, accuracy, longest, rng):
    names_ = [o for o in tasks if longest[o]>=length]
    rows = []
    while len(rows)<max(2, num_tokens//length):
        name = rng.choices(names_, [1.05-accuracy[o] for o in names_])[0]
        try:
            o = tasks[name](length, rng, **sizes(name, length, rng))
            ids,ws = encoded(o, o.turns+more_turns(name, o, rng) if rng.random()<.75 else o.turns)
            hint = [0]*len(ids)
            for i,w in hints(name, o.context).items(): hint[i+1] = ids_of[w]
            rows.append((name,ids,ws,hint))
        except ValueError: pass
    pad = lambda parts: torch.nn.utils.rnn.pad_sequence([torch.tensor(o) for o in parts], batch_first=True)
    n,i,w,h = zip(*rows)
    return n,pad(i),pad(w),pad(h)

def answer_loss(model, ids, weights):
    hidden = model.model(ids[:,:-1], use_cache=False).last_hidden_state
    is_answer = weights[:,1:]>0
    logits,wanted,weight = (model.lm_head(hidden[is_answer]),ids[:,1:][is_answer],weights[:,1:][is_answer])
    loss = (F.cross_entropy(logits, wanted, reduction='none')*weight).sum()/weight.sum()
    return loss,(logits.argmax(-1)==wanted).float(),is_answer.nonzero()[:,0]

def optimizers(model, lr):
    is_matrix = {n: p.ndim==2 and 'embed' not in n for n,p in model.named_parameters()}
    m,o = ([p for n,p in model.named_parameters() if is_matrix[n]==b] for b in (True,False))
    return [torch.optim.Muon(m, lr=lr, weight_decay=.1, adjust_lr_fn='match_rms_adamw'),
            torch.optim.AdamW(o, lr=lr, betas=(.9,.98), weight_decay=0.)]

def whole(model, name, length, n=24, **kw):
    right=0
    with torch.no_grad():
        for j in range(n):
            o=tasks[name](length, random.Random(f'check {j}'), **kw)
            ids,w=(torch.tensor([x]) for x in encoded(o,o.turns))
            right+=answer_loss(model,ids,w)[1].min().item() if name not in('turns','diary') else answer_loss(model,ids,w)[1].mean().item()
    return round(right/n,2)

first_short='multi_value','variables','common'
def train(num_tokens=2048, lr=2e-3, down=6000, every=100):
    torch.manual_seed(SEED); rng=random.Random(SEED)
    model=grown(load_recall()[0]).train()
    probe=torch.nn.Linear(128,128,bias=False); hidden=[]
    model.model.layers[4].register_forward_hook(lambda m,i,o: hidden.append(o))
    opts=optimizers(model,lr); opts[0].add_param_group(dict(params=[probe.weight])); accuracy=dict.fromkeys(tasks,.5); log=[]; hint_right=0.; longest={o: 64 if o in first_short else 1024 for o in tasks}; since=dict.fromkeys(tasks,0); step=0; end=None; t0=time.time(); past=0
    state=out/'state.pt'
    if state.exists():
        s=torch.load(state,weights_only=False); model.load_state_dict(s['model']); probe.load_state_dict(s['probe']); [o.load_state_dict(x) for o,x in zip(opts,s['opts'])]
        longest,since=s['longest'],s['since']; accuracy,log,step,end,past=s['accuracy'],s['log'],s['step'],s['end'],s['seconds']; rng.setstate(s['rng'])
    while end is None or step<end:
        if end is None and (out/'DOWN').exists(): end=step+int((out/'DOWN').read_text() or down)
        span=int((out/'DOWN').read_text() or down) if end else 0
        rate=min(1,(step+1)/200) if end is None else max(.02,(end-step)/span)
        top=min(longest.values()) if rng.random()<.7 else 1024
        length=round(2**rng.uniform(5,math.log2(top)))
        chosen,ids,weights,hint=batch(length,num_tokens,accuracy,longest,rng)
        loss,right,row=answer_loss(model,ids,weights)
        extra=0
        if end is None:
            h,is_hint=hidden[-1],hint[:,:-1]>0
            if is_hint.any():
                told=model.lm_head(model.model.norm(probe(h[is_hint])))
                extra=F.cross_entropy(told,hint[:,:-1][is_hint])
                hint_right+=.02*((told.argmax(-1)==hint[:,:-1][is_hint]).float().mean().item()-hint_right)
        hidden.clear()
        (loss+.5*extra).backward(); torch.nn.utils.clip_grad_norm_(model.parameters(),1.)
        for o in opts:
            for g in o.param_groups: g['lr']=lr*rate
            o.step(); o.zero_grad()
        for i,name in enumerate(chosen): accuracy[name]+=.02*(right[row==i].mean().item()-accuracy[name])
        step+=1
        if step%every==0:
            for o in tasks:
                if longest[o]<1024 and accuracy[o]>.95 and step-since[o]>=200: longest[o],since[o]=longest[o]*2,step
            log.append(dict(step=step,seconds=round(past+time.time()-t0),loss=round(loss.item(),4),rate=round(rate,3),hint=round(hint_right,3),longest={o:longest[o] for o in first_short},accuracy={k:round(v,3) for k,v in accuracy.items()}))
            print(json.dumps(log[-1]),flush=True)
        if step%500==0 or step==end:
            model.eval()
            print('WHOLE',step,{n:[whole(model,n,L) for L in (64,128,256,512)] for n in tasks},flush=True); model.train(); hidden.clear()
            torch.save(dict(probe=probe.state_dict(),model=model.state_dict(),opts=[o.state_dict() for o in opts],accuracy=accuracy,longest=longest,since=since,log=log,step=step,end=end,seconds=past+time.time()-t0,rng=rng.getstate()),out/'state.tmp'); os.replace(out/'state.tmp',state)
    model.save_pretrained(out/'model'); (out/'log.json').write_text(json.dumps(log))
train()
