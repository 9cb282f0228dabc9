__version__ = "0.1.0"

_moved = dict( # names that were public here once: the modules that have them
    Advice='using.plan', Hardware='core.hardware', gpu_hardware='core.hardware',
    half_dtype='core.hardware', hardware_of='core.hardware', kvcache_generate='using.command',
    tiny_training='measuring.tiny')
_renamed = dict(tks='time_generation')

def __getattr__(name):
    "A public name, imported when it is first asked for: torch and transformers take seconds"
    import importlib
    if name=='__all__': return importlib.import_module('kvcache_nb.all').__all__ # for the star import
    if not name.startswith('_') and name not in ('all', 'core', 'kernels', 'caches', 'using', 'measuring'):
        public = importlib.import_module('kvcache_nb.all')
        if name in public.__all__: return getattr(public, name)
    if name in _moved: return getattr(importlib.import_module(f'kvcache_nb.{_moved[name]}'), name)
    if name in _renamed: raise AttributeError(f'`{name}` is called `{_renamed[name]}` now')
    raise AttributeError(f"module 'kvcache_nb' has no attribute {name!r}")

def __dir__():
    "All public names, for completion"
    import importlib
    return sorted({*globals(), *importlib.import_module('kvcache_nb.all').__all__})
