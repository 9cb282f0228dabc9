"""What both builds of the site change in pages that nbdev has processed: folds, links of names, badges, descriptions"""
import ast, os, re
from functools import partial
from pathlib import Path
import nbformat, yaml

site_config = yaml.safe_load((Path(__file__).resolve().parents[1]/'_quarto.yml').read_text())['website']
site_url = site_config['site-url'].rstrip('/')+'/'
widget_view = 'application/vnd.jupyter.widget-view+json'
words = dict(en=dict(source='Source', test='Test', rows='{} rows'),
             zh=dict(source='源代码', test='测试', rows='{} 行'))

def read_processed(path): # without validation: cells have a field of nbdev's own, and to say so takes seconds
    return nbformat.v4.reads(path.read_text())

def front_matter(nb): # what nbdev wrote into the first cell
    if nb.cells[0].cell_type!='raw': return {}
    return yaml.safe_load(nb.cells[0].source.strip().strip('-'))

def html_path(path, nb, proc): # of the page, from the root of the site
    rel = path.relative_to(proc)
    return rel.with_name(front_matter(nb).get('output-file', rel.stem+'.html')).as_posix()

def is_entry(cell): return cell.cell_type=='code' and re.search(r'^show_doc\(', cell.source, re.M)

def entry_texts(nb): # Markdown of the API entries of a page
    data = [o.get('data', {}) for c in nb.cells if is_entry(c) for o in c.outputs]
    return [d['text/markdown'] for d in data if 'text/markdown' in d]

def anchors(nb): # of the API entries of a page
    names = [n for text in entry_texts(nb) for n in re.findall(r'^###+ (\S+)', text, re.M)]
    return {n.replace('\\', '').lower() for n in names}

# --- code ---

def fold_source(cell, lang):
    "Exported source is folded, since its signature stands above it, unless its cell says otherwise"
    by_nbdev = '#| code-fold: show\n#| code-summary: "Exported source"\n'
    if not cell.source.startswith(by_nbdev): return
    rest = cell.source[len(by_nbdev):]
    head = f'#| code-fold: true\n#| code-summary: "{words[lang]["source"]}"\n'
    cell.source = rest if re.search(r'^#\| *code-fold:', rest, re.M) else head+rest

def is_test(statement):
    if isinstance(statement, ast.Assert): return True
    if isinstance(statement, (ast.With, ast.For)): return all(is_test(s) for s in statement.body)
    call = statement.value if isinstance(statement, ast.Expr) else None
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    return named and re.match('(test|check|expect|assert)_', call.func.id) is not None

def fold_tests(cell, lang):
    "A cell of three lines or more that only tests is folded"
    if '#| code-fold' in cell.source or '#| echo' in cell.source or cell.outputs: return
    try: statements = ast.parse(cell.source).body
    except SyntaxError: return # a magic
    if cell.source.count('\n')<2 or not statements: return
    if not all(is_test(s) for s in statements): return
    head = f'#| code-fold: true\n#| code-summary: "{words[lang]["test"]}"\n'
    cell.source = head+cell.source

def strip_widgets(nb):
    "Progress bars need scripts from other hosts, and say nothing afterwards"
    nb.metadata.pop('widgets', None)
    for c in nb.cells:
        if c.cell_type!='code': continue
        c.outputs = [o for o in c.outputs if widget_view not in o.get('data', {})]

def part_figures(nb):
    "A figure behind the value of its cell gets a cell of its own, so that the caption stays with it"
    cells = []
    for c in nb.cells:
        cells.append(c)
        images = [o for o in c.get('outputs', []) if 'image/png' in o.get('data', {})]
        if not images or len(images)==len(c.outputs): continue
        is_figure = re.compile(r'^#\| *fig-.*\n', re.M)
        figure = nbformat.from_dict(dict(c)|dict(outputs=images, id=c.id+'-figure'))
        figure.source = '#| echo: false\n'+''.join(is_figure.findall(c.source))
        c.source = is_figure.sub('', c.source)
        c.outputs = [o for o in c.outputs if o not in images]
        cells.append(figure)
    nb.cells = cells

def shorten_entry(text):
    "An API entry with `Rope` for kvcache_nb.caches.rope.Rope, and the link to its source behind it"
    source = re.search(r'^\[source\]\(([^)]*)\).*\n+', text, re.M)
    if source: text = text.replace(source[0], '')
    fenced = re.split(r'(^```.*?^```)', text, flags=re.M|re.S)
    full_name = r'\b(?:__main__|(?:kvcache_nb|transformers)(?:\.\w+)*)\.(?=\w)'
    text = ''.join(re.sub(full_name, '', o) if o.startswith('```') else o for o in fenced).rstrip()
    if not source: return text
    return text+('\n\n' if text.endswith('```') else ' ')+f'[source]({source[1]})'

def raw_html(output): # as raw HTML it needs none of the scripts that come with HTML outputs
    if 'text/html' in output.get('data', {}):
        output.data['text/markdown'] = f"```{{=html}}\n{output.data.pop('text/html').rstrip()}\n```"

# --- tables ---

longest_table = 12 # rows that stand open where a table compares machines; others may have twice as many

number = r'[-−+]?\d[\d.,]*(e-?\d+)?( ?(%|×|[kMG]B?|ms|µs|s))?'

def is_number(cell): return re.fullmatch(rf'{number}( \({number}\))?', cell) is not None

def cells_of(line): return [c.strip() for c in re.split(r'(?<!\\)\|', line.strip())[1:-1]]

def table_text(head, rows): # columns of numbers are aligned on the right
    def rule(i):
        column = [r[i] for r in rows if i<len(r) and r[i]]
        return '---:' if column and all(map(is_number, column)) else '---'
    lines = [head,[rule(i) for i in range(len(head))],*rows]
    return '\n'.join('| '+' | '.join(o)+' |' for o in lines)

def folded(summary, text): return f'<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>'

def arrange_table(text, lang):
    "A Markdown table as the site shows it: numbers aligned, long ones folded, one for each machine"
    lines = text.strip().splitlines()
    if len(lines)<3 or not all(o.startswith('|') for o in lines): return text
    head,rows = cells_of(lines[0]),[cells_of(o) for o in lines[2:]]
    def count(rs): return words[lang]['rows'].format(len(rs))
    by_machine = head[0]=='hardware' and len(rows)>longest_table
    if not by_machine:
        whole = table_text(head, rows)
        return folded(count(rows), whole) if len(rows)>2*longest_table else whole
    machines = {m: [r[1:] for r in rows if r[0]==m] for m in dict.fromkeys(r[0] for r in rows)}
    return '\n\n'.join(folded(f'{m}: {count(rs)}', table_text(head[1:], rs)) for m,rs in machines.items())

# --- text ---

class Names:
    "Where the API entry of each public name is"
    def __init__(self, pages, proc):
        from nbdev.doclinks import NbdevLookup
        self.lookup = NbdevLookup()
        self.anchors = {html_path(p, nb, proc): (p,anchors(nb)) for p,nb in pages.items()}
    def link(self, name, path):
        "Link from the page `path` to the entry of `name`; None without an entry"
        found = self.lookup.doc(name) or ''
        if not found.startswith(site_url): return None
        page,_,anchor = found[len(site_url):].partition('#')
        target,known = self.anchors.get(page, (None,()))
        if anchor not in known: return None
        return f'#{anchor}' if target==path else f'{os.path.relpath(target, path.parent)}#{anchor}'

untouched = r'^```.*?^```|^ {4}.*?$|^#.*?$|``[^`]*``|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^)]*\)'
linkable = re.compile(rf'({untouched})|`([A-Za-z_][\w.]*)(\(\))?`', re.M|re.S)

def link_names(text, path, names):
    "Each public name in backticks becomes a link to its entry, where a cell has it first"
    seen = set()
    def new(m):
        before = m.string[max(0, m.start()-30):m.start()]
        theirs = re.search(r"\btransformers\S*\s*(\w+\s+)?$", before) # a class of the same name
        target = None if m[1] or theirs or m[2] in seen else names.link(m[2], path)
        if target is None: return m[0]
        seen.add(m[2])
        return f'[{m[0]}]({target})'
    return linkable.sub(new, text)

def inline_badge(text): # a linked image alone in its paragraph would become a figure with a caption
    return re.sub(r'^(\[!\[[^\]]*\]\([^)]*colab\.svg\)\]\([^)]*\))[ \t]*$', r'\1&nbsp;', text, flags=re.M)

def describe_images(text): # what stands in the brackets is the description, not a caption
    def new(m):
        description = m[1].replace('"', '&quot;')
        return f'![]({m[2]}){{fig-alt="{description}"}}'
    return re.sub(r'^!\[([^\]]+)\]\(([^)]*)\)$', new, text, flags=re.M)

# --- pages ---

def prepare_page(path, nb, names):
    lang = front_matter(nb).get('lang', 'en')
    strip_widgets(nb)
    part_figures(nb)
    if lang=='zh': # else they outrank English pages in the search
        nb.cells[0].source = nb.cells[0].source.replace('---\n', '---\nsearch: false\n', 1)
    for c in nb.cells:
        if c.cell_type=='markdown':
            c.source = link_names(c.source, path, names)
            c.source = describe_images(inline_badge(c.source))
        if c.cell_type!='code': continue
        fold_source(c, lang)
        fold_tests(c, lang)
        for o in c.outputs: raw_html(o)
        for data in (o.data for o in c.outputs if 'text/markdown' in o.get('data', {})):
            change = shorten_entry if is_entry(c) else partial(arrange_table, lang=lang)
            data['text/markdown'] = change(data['text/markdown'])
    path.write_text(nbformat.v4.writes(nb))

def prepare(proc):
    "Change all processed pages in the folder `proc`"
    pages = {p: read_processed(p) for p in sorted(proc.rglob('*.ipynb'))}
    names = Names(pages, proc)
    for path,nb in pages.items(): prepare_page(path, nb, names)
