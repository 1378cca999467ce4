"""Writes the pages of a public benchmark as a folder for measure-blocks.ts and train.py: benchmark_pages.py FOLDER OUT.

FOLDER is a copy of one of these repositories:
- scrapinghub/article-extraction-benchmark (MIT): 181 articles of newspapers and blogs, with their text, titles left out.
- adbar/trafilatura (Apache 2.0): 990 pages in many languages, with up to six pieces of text each that belong to the main content, and up to
  six that do not.
"""
import argparse
import gzip
import json
import pathlib
import re


def decoded(data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        found = re.search(rb'charset=["\']?\s*([\w-]+)', data[:3000], re.I)
        charset = found.group(1).decode() if found else 'cp1252'
    try:
        return data.decode(charset, 'replace')
    except LookupError:
        return data.decode('cp1252', 'replace')


def articles(folder):
    for name, truth in json.loads((folder / 'ground-truth.json').read_text()).items():
        with gzip.open(folder / 'html' / f'{name}.html.gz') as file:
            html = decoded(file.read())
        yield name, html, truth.get('url', ''), 'article without title', dict(main_content=truth['articleBody'])


def snippets(folder):
    tests = folder / 'tests'
    for i, (url, truth) in enumerate(json.loads((tests / 'evaldata.json').read_text()).items()):
        file = next(path for path in (tests / 'cache' / truth['file'], tests / 'eval' / truth['file']) if path.exists())
        # `with` and `without` as in WCXB, where they stand beside the whole content.
        yield f'snippets-{i}', decoded(file.read_bytes()), url, 'snippets', {'with': truth['with'], 'without': truth['without']}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('out', type=pathlib.Path)
    options = parser.parse_args()
    for folder in ('html', 'ground-truth'):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    is_articles = (options.folder / 'ground-truth.json').exists()
    for name, html, url, kind, truth in (articles if is_articles else snippets)(options.folder):
        with gzip.open(options.out / 'html' / f'{name}.html.gz', 'wt', encoding='utf-8') as file:
            file.write(html)
        page = dict(url=url, ground_truth=truth, _internal=dict(page_type=dict(primary=kind)))
        (options.out / 'ground-truth' / f'{name}.json').write_text(json.dumps(page))


main()
