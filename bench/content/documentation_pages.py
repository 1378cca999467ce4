"""Writes pages of documentation with their main content, by the main element of each maker: documentation_pages.py OUT [--root DIR] [--pages 30].

documentation-sites.json names Debian packages, the folder of their HTML, the CSS selector of the main element and what is removed
within it. With --root, packages are looked for unpacked in DIR/PACKAGE. The files are as `train.py` reads them. Needs `pip install selectolax==1.0.2`.
"""
import argparse
import gzip
import json
import pathlib
import random
import re

from selectolax.lexbor import LexborHTMLParser

LEAST_WORDS = 30
UNSEEN = 'script,style,noscript,template'


def main_text(html, site):
    tree = LexborHTMLParser(html)
    for node in tree.css(f'{site["remove"]},{UNSEEN}'):
        node.decompose()
    for selector in site['main'].split(','):
        nodes = tree.css(selector)
        if nodes:
            # An element within another one of them is not counted twice.
            known = {node.mem_id for node in nodes}
            return ' '.join(node.text(separator=' ') for node in nodes if not is_within(node, known))
    return ''


def is_within(node, known):
    node = node.parent
    while node is not None:
        if node.mem_id in known:
            return True
        node = node.parent
    return False


def decoded(data):
    found = re.search(rb'charset=["\']?([\w\-]+)', data[:2048], re.I)
    try:
        return data.decode(found.group(1).decode() if found else 'utf-8', 'replace')
    except LookupError:
        return data.decode('utf-8', 'replace')


def pages_of(name, site, root, count):
    folder = root / site['package'] / site['folder'].lstrip('/') if root else pathlib.Path(site['folder'])
    files = sorted(path for path in folder.rglob('*.htm*') if path.is_file())
    random.Random(f'1{name}').shuffle(files)
    found = 0
    for path in files:
        if found == count:
            return
        html = decoded(path.read_bytes())
        text = main_text(html, site)
        if len(re.findall(r'\w+', text)) >= LEAST_WORDS:
            yield path, html, text
            found += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--root', type=pathlib.Path)
    parser.add_argument('--pages', type=int, default=30)
    options = parser.parse_args()
    sites = json.loads((pathlib.Path(__file__).parent / 'documentation-sites.json').read_text())
    for folder in ('html', 'ground-truth'):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    for name, site in sites.items():
        for i, (path, html, text) in enumerate(pages_of(name, site, options.root, options.pages)):
            with gzip.open(options.out / 'html' / f'{name}-{i}.html.gz', 'wt', encoding='utf-8') as file:
                file.write(html)
            truth = dict(
                url=f'https://{name}.example/{path.name}',
                ground_truth=dict(main_content=text),
                _internal=dict(page_type=dict(primary='documentation site')),
            )
            (options.out / 'ground-truth' / f'{name}-{i}.json').write_text(json.dumps(truth))


main()
