"Reads settings.ini, so that name, version and requirements are said once"
from configparser import ConfigParser
from pathlib import Path
from setuptools import setup, find_packages

here = Path(__file__).parent
ini = ConfigParser(delimiters=['='])
ini.read(here/'settings.ini', encoding='utf8')
cfg = ini['DEFAULT']
pages = cfg['pages_requirements'].split() # what the pages' own tests need, in Colab too

setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'], license='Apache-2.0',
    author=cfg['author'], author_email=cfg['author_email'], url=cfg['git_url'], keywords=cfg['keywords'].split(),
    long_description=(here/'README.md').read_text(encoding='utf8').replace('](nbs/images/', f"]({cfg['git_url'].replace('github.com','raw.githubusercontent.com')}/main/nbs/images/").replace('](nbs/', f"]({cfg['git_url']}/blob/main/nbs/"), long_description_content_type='text/markdown',
    packages=find_packages(include=['kvcache_nb', 'kvcache_nb.*']), python_requires=f">={cfg['min_python']}",
    package_data={'kvcache_nb': ['tiny_model/*', 'recall_model/*', 'py.typed', '*.pyi']}, zip_safe=False,
    install_requires=cfg['requirements'].split(), extras_require={'cpu': ['numba'], 'http': ['aiohttp'], 'hqq': ['hqq'], 'quanto': ['optimum-quanto'], 'pages': pages, 'dev': pages+cfg['dev_requirements'].split()},
    entry_points={'console_scripts': cfg['console_scripts'].split(), 'nbdev': ['kvcache_nb=kvcache_nb._modidx:d']}, # where nbdev links names to
    classifiers=['Development Status :: 3 - Alpha', 'Intended Audience :: Developers', 'Natural Language :: English',
        *(f'Programming Language :: Python :: 3.{v}' for v in (11, 12, 13))])
