from .all import *

__version__: str
