#!/usr/bin/env python3
"""Make README.md from nbs/index.ipynb: tools/readme.py writes it, tools/readme.py --check exits 1 if it is out of date.

Cells under `#| hide` are left out, those under `#| echo: false` show their output only, directives are stripped.
A film, which plays on the site alone, is replaced by the Markdown that its cell shows beside it."""
import re, sys
from pathlib import Path
import nbformat
from nbconvert import MarkdownExporter

root = Path(__file__).resolve().parents[1]

def readme():
    "Markdown of the index page"
    nb = nbformat.read(root/'nbs'/'index.ipynb', as_version=4)
    nb.cells = [c for c in nb.cells if c.cell_type!='raw' and not re.search(r'^#\|\s*(hide|default_exp)\b', c.source, re.M)]
    for c in nb.cells:
        if c.cell_type!='code': continue
        c.source = '' if re.search(r'^#\|\s*echo:\s*false', c.source, re.M) else re.sub(r'^#\|.*\n?', '', c.source, flags=re.M)
        for o in c.outputs:
            if 'data' in o: o.data = {k: v for k,v in o.data.items() if k in ('text/markdown','text/plain')}
        c.outputs = [o for o in c.outputs if o.get('data')!={}] # HTML alone is for the site
    nb.metadata['language_info'] = {'name': 'python'}
    text,_ = MarkdownExporter().from_notebook_node(nb)
    text = re.sub(r'\]\(((?:[\w/]+\.ipynb(?:#[\w-]+)?|images/[\w.]+))\)', r'](nbs/\1)', text)
    text = re.sub(r'^(?:</?div\b|<!-- door).*\n', '', text, flags=re.M) # the columns of the site
    text = re.sub(r'```python\n\s*```\n', '', text)
    text = re.sub(r'(```python\n(?:(?!```).*\n)*)```\n+```python\n', r'\1\n', text) # imports have a cell of their own, and no block
    return '<!-- made from nbs/index.ipynb by tools/readme.py -->\n'+re.sub(r'\n{3,}', '\n\n', text).strip()+'\n'

if __name__=='__main__':
    path,text = root/'README.md',readme()
    if '--check' in sys.argv: sys.exit(0 if path.read_text()==text else 'README.md is not what tools/readme.py makes of nbs/index.ipynb')
    path.write_text(text)
