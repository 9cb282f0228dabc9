#!/usr/bin/env python3
"""Build the site and check it: tools/site.py build [--out _docs], tools/site.py check [--out _docs] [--no-browser]

`build` processes every page as nbdev does, then lets Quarto render it if there is a Quarto; if not, pandoc makes plain pages of the
same Markdown. Either way each page gets its Markdown beside it, and the site its `llms.txt`. `check` reads what was built: links,
anchors, images and their descriptions, an API entry for every public name, terms, and, in a headless Chromium, consoles and films."""
import argparse, base64, copy, html, json, os, re, shutil, subprocess, sys, tempfile, warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
import nbformat, yaml
from prepare import prepare, read_processed

root = Path(__file__).resolve().parents[1]
config = yaml.safe_load((root/'_quarto.yml').read_text())
site = config['website']
url = site['site-url'].rstrip('/')+'/'

# --- pages -----------------------------------------------------------------------------------------------------------------------

def navigation(): # (section, [page paths]) in reading order
    def walk(o, section=''):
        for x in o:
            if isinstance(x, str): yield section,x
            elif 'section' in x: yield from walk(x['contents'], x['section'])
            else: yield section,x['href']
    return list(walk(site['sidebar']['contents']))

def process():
    "Every page as nbdev hands it to Quarto, in `_proc`; what it warns of is a failure"
    from nbdev.serve import proc_nbs
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        proc_nbs(str(root/'nbs'), n_workers=0, force=True)
    mine = [str(w.message) for w in seen if 'nbdev' in w.filename or 'Found cells' in str(w.message)]
    if mine: sys.exit('processing warned:\n'+'\n'.join(mine))
    prepare(root/'_proc')
    return root/'_proc'

option_value = cache(yaml.safe_load) # few are unlike all others

def options(source): # Quarto's cell options, and the code without them
    lines = source.splitlines()
    opts = {k.strip(): option_value(v) for k,_,v in (l[2:].partition(':') for l in lines if re.match(r'#\|\s*[\w-]+:', l))}
    return opts,'\n'.join(l for l in lines if not l.startswith('#|')).strip()

def fence(text, kind): # a fence longer than any inside
    bar = '`'*max(3, 1+max((len(m) for m in re.findall(r'`{3,}', text)), default=0))
    return f'{bar}{kind}\n{text.rstrip()}\n{bar}\n'

class Page:
    "One processed notebook as Markdown: `body` for pandoc, `plain` for tools that read"
    def __init__(self, path, proc):
        self.path,self.rel,self.files = path,path.relative_to(proc),{}
        nb = read_processed(path) if path.suffix=='.ipynb' else None
        if nb is None:
            head,text = re.match(r'---\n(.*?)\n---\n(.*)', path.read_text(), re.S).groups()
            self.meta,self.cells = yaml.safe_load(head),[nbformat.v4.new_markdown_cell(text)]
        else:
            self.meta = yaml.safe_load(nb.cells[0].source.strip().strip('-')) if nb.cells[0].cell_type=='raw' else {}
            self.cells = nb.cells[1:] if self.meta else nb.cells
        self.out = self.rel.with_name(self.meta.get('output-file', self.rel.stem+'.html'))
        self.title = self.meta.get('title', self.rel.stem)

    def image(self, data, suffix, opts):
        name = f'{self.out.stem}_files/figure-{len(self.files)+1}.{suffix}'
        self.files[name] = data
        cap,alt = opts.get('fig-cap', ''),opts.get('fig-alt') or opts.get('fig-cap', '')
        label = f"#{opts['label']} " if 'label' in opts else ''
        return f'![{cap}]({name}){{{label}alt="{html.escape(alt)}"}}\n'

    def output(self, o, opts, plain):
        if o.output_type=='stream': return fence(o.text, 'text') if o.name=='stdout' else ''
        data = o.get('data', {})
        is_html = data.get('text/markdown', '').startswith('```{=html}')
        if 'text/markdown' in data and not (plain and is_html): return data['text/markdown']+'\n'
        if 'image/svg+xml' in data: return self.image(data['image/svg+xml'].encode(), 'svg', opts)
        if 'image/png' in data: return self.image(base64.b64decode(data['image/png']), 'png', opts)
        return fence(data['text/plain'], 'text') if data.get('text/plain') else ''

    def markdown(self, plain=False):
        self.files,out = {},[]
        for c in self.cells:
            if c.cell_type!='code': # Quarto's word for a description is known to no other tool
                out.append(re.sub(r'!\[\]\(([^)]*)\)\{fig-alt="([^"]*)"\}', r'![\2](\1)', c.source))
                continue
            opts,code = options(c.source)
            if opts.get('include') is False: continue
            if opts.get('echo') is not False and code:
                folded = opts.get('code-fold')
                summary = opts.get('code-summary', 'Code')
                block = fence(code, 'python')
                out.append(block if plain or not folded else f'<details{" open" if folded=="show" else ""}>\n<summary>{html.escape(summary)}</summary>\n\n{block}\n</details>')
            out += [s for o in c.outputs if (s := self.output(o, opts, plain))]
        return '\n\n'.join(s for s in out if 'AUTOGENERATED' not in s)

def relink(text, page, pages, suffix): # links between notebooks become links between what was made of them
    def new(m):
        target,frag = urldefrag(m[2])
        if not target.endswith(('.ipynb', '.qmd')) or ':' in target: return m[0]
        other = pages.get(os.path.normpath(page.rel.parent/target))
        if other is None: return m[0]
        return f"{m[1]}{os.path.relpath(other.out.with_suffix(suffix), page.out.parent)}{'#'+frag if frag else ''})"
    return re.sub(r'(\]\()([^)\s]+)\)', new, text)

# --- build -----------------------------------------------------------------------------------------------------------------------

shell = '''<!doctype html><html lang="$lang$"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>$title$ – kvcache_nb</title><meta name="description" content="$description$"><meta property="og:title" content="$title$"><meta property="og:description" content="$description$">
<meta property="og:image" content="$card$"><meta name="twitter:card" content="summary_large_image"><link rel="icon" href="$up$images/favicon.svg"><link rel="canonical" href="$canonical$">
<link rel="stylesheet" href="$up$styles.css"><link rel="stylesheet" href="$up$plain.css"></head>
<body class="plain"><nav aria-label="Pages">$nav$</nav><main><h1>$title$</h1><p class="lead">$description$</p>$if(toc)$<details class="toc"><summary>$contents$</summary>$toc$</details>$endif$
$body$<p class="edit"><a href="$edit$">$change$</a></p></main></body></html>'''

def pandoc(text, page, extra):
    import pypandoc
    with tempfile.NamedTemporaryFile('w', suffix='.html') as t:
        t.write(shell); t.flush()
        r = subprocess.run([pypandoc.get_pandoc_path(), '-f', 'markdown+autolink_bare_uris+lists_without_preceding_blankline', '-t', 'html5', '--standalone', *(['--toc','--toc-depth=3'] if page.meta.get('toc', True) else []), '--mathml',
                            '--wrap=none', '--syntax-highlighting=none', f'--template={t.name}', '--fail-if-warnings', *(f'--variable={k}={v}' for k,v in extra.items())],
                           input=text, text=True, capture_output=True)
    if r.returncode or r.stderr.strip(): sys.exit(f'{page.rel}: pandoc says: {r.stderr.strip()}')
    def lines(m): # as pandoc marks them where it colours code, which takes most of its time and is not shown on plain pages
        code = '\n'.join(f'<span>{l}</span>' for l in m[1].splitlines())
        return f'<div class="sourceCode"><pre class="sourceCode python"><code class="sourceCode python">{code}\n</code></pre></div>'
    return re.sub(r'<pre class="python"><code>(.*?)</code></pre>', lines, r.stdout, flags=re.S)

def build(out):
    if out.exists() and out!=root/'_docs' and (not out.is_dir() or any(out.iterdir()) and not (out/'llms.txt').is_file()) or root in (out,*out.parents) and out!=root/'_docs' or out in root.parents:
        sys.exit(f'{out} would be deleted, and was not made by this: name a new folder outside the checkout, or _docs')
    proc = process()
    pages = [Page(p, proc) for p in sorted(proc.rglob('*.ipynb'))+sorted(proc.rglob('*.qmd'))]
    by = {str(p.rel): p for p in pages}
    if out.exists(): shutil.rmtree(out)
    if shutil.which('quarto'): quarto_pages(out, proc)
    else: plain_pages(out, proc, pages, by)
    for p in pages: # Markdown of every page, for tools
        md = out/p.out.with_suffix('.md')
        md.parent.mkdir(parents=True, exist_ok=True)
        text = relink(p.markdown(plain=True), p, by, '.md')
        text = re.sub(r'^\[!\[[^\]]*\]\([^)]*colab.svg\)\]\([^)]*\)\n*', '', text.strip())
        if p.path.suffix=='.ipynb': md.write_text(f"# {p.title}\n\n> {p.meta.get('description', '')}\n\n{text}\n")
        for name,data in p.files.items():
            f = out/p.out.parent/name
            f.parent.mkdir(parents=True, exist_ok=True)
            f.write_bytes(data)
    lines,last = [f"# {site['title']}", '', f"> {site['description']}", ''],None
    for section,rel in navigation():
        if section!=last: lines += ['', f'## {section}', '']*bool(section); last = section
        lines.append(f"- [{by[rel].title}]({url}{by[rel].out.with_suffix('.md')}): {by[rel].meta.get('description', '')}")
    (out/'llms.txt').write_text('\n'.join(lines)+'\n')
    print(f'{len(pages)} pages in {out}, by {"Quarto" if shutil.which("quarto") else "pandoc"}')

def quarto_pages(out, proc):
    "Quarto renders a copy of the pages, so that nothing in the checkout changes"
    subprocess.run(['quarto','render'], cwd=proc, check=True)
    shutil.move(proc/'_docs', out)
    shorten_search(out)

def shorten_search(out):
    "The index of the search without code and its outputs, which made it three times as large"
    from bs4 import BeautifulSoup
    index = json.loads((out/'search.json').read_text())
    soups = {}
    for entry in index:
        page,_,anchor = entry['href'].partition('#')
        if page not in soups:
            soups[page] = BeautifulSoup((out/page).read_text(), 'html.parser')
            for e in soups[page].select('pre, details, svg, script, style, #quarto-back-to-top'): e.decompose()
        part = copy.copy(soups[page].find(id=anchor) if anchor else soups[page].select_one('main'))
        if part is None: continue
        for e in part.select('#title-block-header' if anchor else '#title-block-header, section.level2'): e.decompose()
        entry['text'] = html.escape(' '.join(part.get_text(' ').split()), quote=False)
    (out/'search.json').write_text(json.dumps(index, ensure_ascii=False))

def plain_pages(out, proc, pages, by):
    out.mkdir(parents=True)
    shutil.copy(proc/'styles.css', out/'styles.css'); shutil.copytree(proc/'images', out/'images')
    shutil.copy(root/'tools'/'plain.css', out/'plain.css')
    def write(p):
        up = '../'*(len(p.out.parts)-1)
        nav,last = '',None
        for section,rel in navigation():
            if section!=last: nav += f'<b>{html.escape(section)}</b>'*bool(section); last = section
            nav += f'<a href="{os.path.relpath(by[rel].out, p.out.parent)}"{" aria-current=page" if by[rel] is p else ""}>{html.escape(by[rel].title)}</a>'
        extra = dict(title=html.escape(p.title), description=html.escape(p.meta.get('description', '')), lang=p.meta.get('lang', 'en'), **dict(zip(('contents','change'), ('本页目录','编辑本页') if p.meta.get('lang')=='zh' else ('On this page','Edit this page'))), up=up, nav=nav, card=url+'images/card.png',
                     canonical=url+str(p.out), edit=f"{site['repo-url']}/edit/main/nbs/{p.rel}")
        f = out/p.out
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_text(pandoc(relink(p.markdown(), p, by, '.html'), p, extra))
    with ThreadPoolExecutor(os.cpu_count()) as pool: list(pool.map(write, pages)) # pandoc works in a process of its own
    (out/'sitemap.xml').write_text('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'+
                                   ''.join(f'<url><loc>{url}{p.out}</loc></url>\n' for p in pages if p.out.stem!='404')+'</urlset>\n')

# --- check -----------------------------------------------------------------------------------------------------------------------

class Checks:
    def __init__(self, out):
        from bs4 import BeautifulSoup
        self.out,self.wrong,self.seen = out,[],{}
        self.html = {p.relative_to(out).as_posix(): BeautifulSoup(p.read_text(), 'html.parser') for p in sorted(out.rglob('*.html')) if 'site_libs' not in p.parts}
        self.ids = {k: {e['id'] for e in s.find_all(id=True)} for k,s in self.html.items()}
    def say(self, page, what): self.wrong.append(f'{page}: {what}')

    def links(self):
        "Links, anchors and images inside the site resolve; images say what they show"
        n = 0
        for page,soup in self.html.items():
            for tag,attr in (('a','href'), ('img','src'), ('link','href'), ('script','src')):
                for e in soup.find_all(tag, **{attr: True}):
                    to = urljoin(url+page, e[attr])
                    if not to.startswith(url) and to!=url[:-1]: continue
                    path,frag = urldefrag(to)
                    path = unquote(path[len(url):]) or 'index.html'
                    if path.endswith('/'): path += 'index.html'
                    n += 1
                    if not (self.out/path).is_file(): self.say(page, f'{tag} leads to {path}, which is not there')
                    elif frag and path in self.ids and unquote(frag) not in self.ids[path]: self.say(page, f'{path} has no #{frag}')
            for e in soup.find_all('img'):
                if not (e.get('alt') or '').strip(): self.say(page, f"image {e.get('src')} has no description")
        self.seen['links, anchors and images'] = n

    def pages(self):
        "Every notebook is built, in the navigation, in llms.txt and the sitemap, has its Markdown and opens in Colab under its own name; figures have words, long cells fold"
        nbs = sorted((root/'nbs').rglob('*.ipynb'))
        known = [rel for _,rel in navigation()]
        llms,sitemap = (self.out/'llms.txt').read_text(),(self.out/'sitemap.xml').read_text()
        for nb in nbs:
            rel = nb.relative_to(root/'nbs').as_posix()
            if '.ipynb_checkpoints' in rel: continue
            page = re.sub(r'(^|/)\d+[a-z]?_', r'\1', rel).replace('.ipynb', '')
            if rel not in known: self.say(rel, 'is not in the navigation')
            for o in (page+'.html', page+'.md'):
                if not (self.out/o).is_file(): self.say(rel, f'{o} was not built')
            if page+'.md' not in llms: self.say(rel, 'is not in llms.txt')
            if page+'.html' not in sitemap: self.say(rel, 'is not in the sitemap')
            cells = nbformat.read(nb, as_version=4).cells
            if "'google.colab'" not in cells[0].source: self.say(rel, 'does not begin with the cell that installs in Colab')
            if rel!='index.ipynb' and f'blob/main/nbs/{rel})' not in ''.join(c.source for c in cells if c.cell_type=='markdown'): self.say(rel, 'has no Colab badge of its own')
            for c in (c for c in cells if c.cell_type=='code' and not re.search(r'^#\|\s*(hide|exports?|echo)\b', c.source, re.M)):
                opts,code = options(c.source)
                data = [o.get('data', {}) for o in c.outputs]
                if any(d.get('text/plain', '').startswith('<Figure') and 'image/png' not in d for d in data): self.say(rel, f'a figure is stored without its picture: {code[:60]!r}')
                if any('image/png' in d for d in data) and not (opts.get('fig-cap') and opts.get('fig-alt')): self.say(rel, f'a figure lacks fig-cap or fig-alt: {code[:60]!r}')
                if code.count('\n')>=24 and 'code-fold' not in opts: self.say(rel, f'a long cell does not fold: {code[:60]!r}')
            grad = re.findall(r'set_grad_enabled\((\w+)\)', '\n'.join(c.source for c in cells if c.cell_type=='code'))
            if grad and grad[-1]!='True': self.say(rel, 'leaves gradients off to the pages that are tested after it')
        for rel in known:
            if not (root/'nbs'/rel).is_file(): self.say('navigation', f'{rel} does not exist')
        self.seen['notebooks'] = len(nbs)

    def api(self):
        "Every public name has an entry: a heading with its name and a signature below"
        import kvcache_nb.all as k
        heads = {h.get_text().strip() for s in self.html.values() for h in s.find_all(['h2','h3','h4'])}
        missing = [n for n in k.__all__ if callable(getattr(k, n)) and n not in heads]
        for n in missing: self.say('API', f'{n} has no entry')
        self.seen['API entries'] = len(k.__all__)-len(missing)

    def proofs(self):
        "A page that says how many tests its proof page has says it right"
        def cells(p, kind): return [c.source for c in nbformat.read(p, as_version=4).cells if c.cell_type==kind]
        def num_tests(p):
            lines = [l for s in cells(p, 'code') for l in s.splitlines() if not re.match(r'\s*(from|import|def) ', l)]
            return sum(len(re.findall(r'\b(?:test|check|expect|assert)_\w+\(|\bassert ', l)) for l in lines)
        links = r'(\d+) tests on the \[proof page\]\(\.\./proofs/(\w+)\.ipynb\)'
        said = [(p,int(n),name) for p in sorted((root/'nbs').rglob('*.ipynb')) for s in cells(p, 'markdown') for n,name in re.findall(links, s)]
        for p,n,name in said:
            got = num_tests(root/'nbs'/'proofs'/f'{name}.ipynb')
            if got!=n: self.say(p.relative_to(root), f'says that {name} has {n} tests, and it has {got}')
        self.seen['counts of tests'] = len(said)

    def words(self):
        "Spelling"
        files = [str(p) for p in sorted(self.out.rglob('*.md')) if 'zh' not in p.relative_to(self.out).parts]
        skip = root/'tools'/'words.txt' # not misspelt, or meant to be
        r = subprocess.run([sys.executable, '-m', 'codespell_lib', '--ignore-words', str(skip), *files], capture_output=True, text=True)
        for l in r.stdout.splitlines(): self.say('spelling', l.replace(str(self.out)+'/', ''))
        self.seen['pages read for spelling'] = len(files)

    def browser(self, exe):
        "Each page, light on a wide screen and dark on a narrow one: quiet console, no foreign host, nothing cut off, legible; films play"
        from playwright.sync_api import sync_playwright
        at = serve(self.out)
        opened = films = 0
        with sync_playwright() as p:
            b = p.chromium.launch(executable_path=exe, args=chromium_flags)
            tab = b.new_page(reduced_motion='reduce')
            errors = []
            def foreign(route):
                errors.append(f'asks for {route.request.url}')
                route.abort()
            tab.on('console', lambda m: errors.append(m.text) if m.type=='error' and 'ERR_FAILED' not in m.text else None)
            tab.on('pageerror', lambda e: errors.append(str(e)))
            tab.route(lambda u: not u.startswith((at,'data:')), foreign)
            for page in self.html:
                errors.clear()
                has_films = []
                for look,width in (('light',1280), ('dark',390)):
                    tab.emulate_media(color_scheme=look)
                    tab.set_viewport_size(dict(width=width, height=900))
                    if look=='light' or has_films: tab.goto(at+page) # a film may look at the colours when it is loaded
                    opened += 1
                    for what in tab.evaluate(faults_of_a_look, look): self.say(page, f'{look}, {width} pixels: {what}')
                    has_films = tab.query_selector_all('[data-film]')
                    films += len(has_films)
                    for i,film in enumerate(has_films, 1):
                        if not plays(film): self.say(page, f'film {i} does not play')
                for e in errors: self.say(page, f'console: {e}')
            self.first_screen(b.new_page(viewport=first_size), at)
            b.close()
        self.seen['looks of pages (light and wide, dark and narrow)'],self.seen['films played'] = opened,films
        if not films: self.say('films', 'none was found')

    def first_screen(self, tab, at):
        "The front page shows all its parts without scrolling, and its film plays by itself; pages about films begin with one"
        tab.goto(at+'index.html')
        for part,number in first_parts.items():
            boxes = [e.bounding_box() for e in tab.query_selector_all(part)]
            seen = sum(o['y']+o['height']<=first_size['height'] for o in boxes if o)
            if seen!=number: self.say('index.html', f'{seen} of {number} {part} on the first screen')
        frame = "Number(document.querySelector('.front [data-film] input').value)"
        tab.wait_for_timeout(3000)
        if not 0<tab.evaluate(frame)<10: self.say('index.html', 'the film does not start by itself')
        for page in film_pages:
            tab.goto(at+page)
            film = tab.query_selector('[data-film]').bounding_box()
            if film['y']+film['height']>first_size['height']: self.say(page, f"its first film ends {film['y']+film['height']:.0f} pixels down")

    def weights(self):
        "No page is heavy: 500 KB with its images, beside what all pages share"
        def images(k): return {(self.out/k).parent/e['src'] for e in self.html[k].find_all('img', src=True) if ':' not in e['src']}
        sizes = {k: sum(f.stat().st_size for f in {self.out/k}|images(k) if f.is_file()) for k in self.html}
        for k,n in sizes.items():
            if n>500_000: self.say(k, f'has {n/1e3:.0f} KB')
        self.seen['KB, the largest page with its images'] = round(max(sizes.values())/1e3)

first_size = dict(width=1280, height=800) # of a screen
film_pages = [f'measuring/{o}.html' for o in ('pictures','film','attention_film','timeline_film')]
first_parts = {'.front [data-film] svg': 1, '.front pre': 2, '.front img': 1, '.doors h2': 3,
               '.doors li': 15} # what stands on it, and how many

chromium_flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

def plays(film):
    "Whether a film goes on to another frame within three seconds after its button was pressed"
    return film.evaluate("""async film => {
      film.querySelector('button').click();
      const frame = film.querySelector('input'), first = frame.value, until = performance.now()+3000;
      while (frame.value==first && performance.now()<until) await new Promise(go => setTimeout(go, 20));
      return frame.value!=first;
    }""")

def serve(out):
    "Address of the site on this machine, below the same folder as in public"
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread
    base = urlsplit(url).path
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *a): pass
        def translate_path(self, path):
            return super().translate_path('/'+path[len(base):] if path.startswith(base) else '/not/there')
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(Quiet, directory=str(out)))
    Thread(target=server.serve_forever, daemon=True).start()
    return f'http://127.0.0.1:{server.server_port}{base}'

faults_of_a_look = """look => {
  const wrong = [], width = document.documentElement.clientWidth, main = document.querySelector('main');
  const body = document.body;
  if (window.quartoToggleColorScheme && body.classList.contains('quarto-dark') != (look=='dark')) window.quartoToggleColorScheme();
  const over = document.documentElement.scrollWidth-width;
  if (over>1) wrong.push(`the page is ${over} pixels wider than the screen`);
  const scrolls = e => { for (; e && e!=main; e = e.parentElement) if (/auto|scroll/.test(getComputedStyle(e).overflowX)) return true; return false };
  for (const e of main.querySelectorAll('math, table, pre, img, svg')) {
    if (e.parentElement.closest('svg')) continue;
    const right = e.getBoundingClientRect().right;
    if (right>width+1 && !scrolls(e)) wrong.push(`${e.localName} ends ${Math.round(right-width)} pixels beyond the screen`);
  }
  const rgba = c => { const n = c.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n.length>3 ? n[3] : 1] };
  const blend = (top, below) => [0,1,2].map(i => top[i]*top[3]+below[i]*(1-top[3]));
  const backdrop = e => {
    if (!e) return look=='dark' ? [0,0,0] : [255,255,255];
    const c = rgba(getComputedStyle(e).backgroundColor);
    return c[3]==1 ? c.slice(0, 3) : blend(c, backdrop(e.parentElement));
  };
  const light = c => { const l = c.map(v => (v /= 255)<=.03928 ? v/12.92 : ((v+.055)/1.055)**2.4); return .2126*l[0]+.7152*l[1]+.0722*l[2] };
  const contrast = e => {
    const below = backdrop(e), l = [light(blend(rgba(getComputedStyle(e).color), below)), light(below)];
    return (Math.max(...l)+.05)/(Math.min(...l)+.05);
  };
  const seen = new Set();
  for (const e of main.querySelectorAll('p, li, td, th, a, code, pre, summary, figcaption, h1, h2, h3')) {
    if (!e.textContent.trim() || e.closest('[data-film]')) continue;
    const ratio = contrast(e), kind = e.localName+(e.parentElement.localName=='a' ? ' in a link' : '');
    if (ratio<3.5 && !seen.has(kind)) { seen.add(kind); wrong.push(`${kind} has a contrast of ${ratio.toFixed(1)}: ${e.textContent.slice(0, 30)}`) }
  }
  if (look=='dark') for (const e of main.querySelectorAll('img[src$=".png"]'))
    if (getComputedStyle(e).filter=='none') { wrong.push('a figure on white in the dark'); break }
  for (const e of main.querySelectorAll('table')) {
    const empty = e.getBoundingClientRect().width-Math.max(...[...e.rows].map(r => r.getBoundingClientRect().width));
    if (e.rows.length && empty>3) { wrong.push(`a table is ${Math.round(empty)} pixels wider than its rows`); break }
  }
  if (look=='light') for (const e of main.querySelectorAll('pre.sourceCode')) {
    const cut = e.scrollWidth-e.clientWidth;
    if (cut>1) { wrong.push(`code is cut off by ${cut} pixels: ${e.textContent.slice(0, 30)}`); break }
  }
  if (look=='light') for (const e of main.querySelectorAll('pre')) {
    const size = parseFloat(getComputedStyle(e.querySelector('code') || e).fontSize);
    if (size && (size<12 || size>16)) { wrong.push(`code of ${size} pixels`); break }
  }
  return wrong;
}"""

def check(out, browser=True):
    if not (out/'llms.txt').is_file(): sys.exit(f'{out} holds no site: make it with tools/site.py build')
    c = Checks(out)
    c.links(); c.pages(); c.weights(); c.api(); c.proofs(); c.words()
    exe = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if browser and exe: c.browser(exe)
    elif browser: print('no Chromium on this machine: pages were not opened')
    for k,n in c.seen.items(): print(f'{n} {k}')
    for w in c.wrong: print('WRONG', w)
    return not c.wrong

if __name__=='__main__':
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument('what', choices=['build','check'])
    ap.add_argument('--out', type=Path, default=root/'_docs')
    ap.add_argument('--no-browser', action='store_true', help='leave Chromium out of the check')
    args = ap.parse_args()
    if args.what=='build': build(args.out.resolve())
    else: sys.exit(0 if check(args.out.resolve(), not args.no_browser) else 1)
