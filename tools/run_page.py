#!/usr/bin/env python3
"""Re-run whole pages and store their outputs: tools/run_page.py nbs/core/00_attention.ipynb [more pages] [--flags "slow cuda"] [--new]

Cells under a flag of settings.ini's `tst_flags` that is not named with --flags are not run and keep what they stored; with --new, neither are those that have stored something.
A page is stored only if every cell that ran succeeded. The last cell (`nbdev_export()`) is left out, as in tests."""
import argparse, os, re, sys
from configparser import ConfigParser
from pathlib import Path
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

root = Path(__file__).resolve().parents[1]

def flags_of(cell): return {w for l in re.findall(r'^#\|\s*(.*)$', cell.source, re.M) for w in l.split()[:1]}

def plain_paths(text):
    "Text without paths of this machine"
    text = re.sub(r'(?:/[\w.-]+)*/(?=kvcache_nb/|site-packages/)', '', text)
    text = re.sub(r'/tmp/ipykernel_\d+/\d+\.py', 'page', text)
    return re.sub(r'/tmp/tmp\w+', '/tmp/…', text)

class Pages(NotebookClient):
    "Runs all cells but those to skip"
    skip,flags,new = set(),set(),False
    async def async_execute_cell(self, cell, cell_index, **kw):
        if cell.cell_type=='code' and (flags_of(cell)&self.skip or self.new and flags_of(cell)&self.flags and cell.outputs or 'nbdev_export()' in cell.source or 'eval:' in flags_of(cell)): return cell
        return await super().async_execute_cell(cell, cell_index, **kw)

def run_page(path, flags, new=False):
    "Run one page in its own folder and store it"
    ini = ConfigParser(); ini.read(root/'settings.ini')
    nb = nbformat.read(path, as_version=4)
    client = Pages(nb, timeout=3600, coalesce_streams=True, kernel_name='python3', resources={'metadata': {'path': str(path.parent)}})
    client.skip,client.flags,client.new = set(ini['DEFAULT']['tst_flags'].split())-flags,flags,new
    os.environ.setdefault('TQDM_DISABLE', '1')
    client.execute()
    for c in nb.cells:
        c.metadata.pop('execution', None)
        for o in c.get('outputs', []):
            o.get('metadata', {}).pop('execution', None)
            if 'text' in o: o.text = plain_paths(o.text)
    nb.metadata = {'kernelspec': {'display_name': 'python3', 'language': 'python', 'name': 'python3'}}
    nbformat.write(nb, path)

if __name__=='__main__':
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument('pages', nargs='+', type=Path)
    ap.add_argument('--flags', default='', help='flags whose cells run too, separated by spaces')
    ap.add_argument('--new', action='store_true', help='of those cells, only the ones that have stored no output yet')
    args = ap.parse_args()
    for p in args.pages:
        try: run_page(p.resolve(), set(args.flags.split()), args.new)
        except CellExecutionError as e: sys.exit(f"{p}: a cell failed, nothing stored\n{e}")
        print(f'{p}: stored')
