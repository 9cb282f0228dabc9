__version__ = "0.1.0"

def __getattr__(name):
    "A public name, imported when it is first asked for: torch and transformers take seconds"
    import importlib
    if name=='__all__': return importlib.import_module('kvcache_nb.all').__all__ # `from kvcache_nb import *`
    if not name.startswith('_') and name not in ('all', 'core', 'kernels', 'caches', 'using', 'measuring'):
        public = importlib.import_module('kvcache_nb.all')
        if name in public.__all__: return getattr(public, name)
    raise AttributeError(f"module 'kvcache_nb' has no attribute {name!r}")

def __dir__():
    "All public names, for completion"
    import importlib
    return sorted({*globals(), *importlib.import_module('kvcache_nb.all').__all__})
