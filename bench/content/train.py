"""Trains the model of main content: train.py FOLDER BLOCKS [FOLDER BLOCKS ...] (--check | --write FILE). See README.md."""
import argparse
import bisect
import collections
import json
import re
from urllib.parse import urlparse

import lightgbm
import numpy

WORD = re.compile(r'\w+')
ROUNDS = 180
FOLDS = 4
# The kinds that documentation_pages.py and benchmark_pages.py give, and the weight of such a page beside the others.
DOCUMENTATION = 'documentation site'
ARTICLE = 'article without title'
SNIPPETS = 'snippets'
WEIGHTS = {DOCUMENTATION: 0.35, ARTICLE: 0.7, SNIPPETS: 0.5}
PARAMETERS = dict(
    objective='binary', learning_rate=0.1, num_leaves=18, min_data_in_leaf=60, feature_fraction=0.5, bagging_fraction=0.8,
    bagging_freq=1, lambda_l2=5, seed=2, deterministic=True, force_row_wise=True, num_threads=1, verbose=-1,
)


def words(text):
    return WORD.findall((text or '').lower())


def spaced(text):
    return re.sub(r'\s+', ' ', text).strip()


class Page:
    def __init__(self, folder, line, features):
        with open(f'{folder}/ground-truth/{line["id"]}.json') as file:
            truth = json.load(file)
        self.site = urlparse(truth['url']).netloc
        kind = (truth.get('_internal') or {}).get('page_type') or {}
        self.kind = kind.get('primary', 'article')
        truth = truth['ground_truth']
        gold = words(truth.get('main_content'))
        self.gold = collections.Counter(gold)
        self.wanted = [spaced(text) for text in truth.get('with', [])]
        self.unwanted = [spaced(text) for text in truth.get('without', [])]
        self.texts = [spaced(block['text']) for block in line['blocks']]
        blocks = [words(text) for text in self.texts]
        self.counts = [collections.Counter(block) for block in blocks]
        self.lengths = numpy.array([len(block) for block in blocks], float)
        self.rows = numpy.array([block['features'] for block in line['blocks']], numpy.float32)
        # Blocks of which nothing is known weigh nothing.
        known = numpy.ones(len(blocks))
        if self.kind == SNIPPETS:
            labels = [any(text in block for text in self.wanted) for block in self.texts]
            known = numpy.array(labels) != [any(text in block for text in self.unwanted) for block in self.texts]
        else:
            inside = f' {" ".join(gold)} '
            labels = [is_inside(block, inside) for block in blocks]
        if self.kind == DOCUMENTATION:
            labels = in_order(labels, blocks, gold)
        if self.kind == ARTICLE and len(blocks):
            known = self.rows[:, features.index('is-h1')] == 0
        self.known = known
        self.labels = numpy.array(labels, int)
        # All pages weigh the same; a long block weighs more than a short one.
        weights = known * self.lengths ** (0.4 if self.kind == SNIPPETS else 0.7)
        self.weights = weights / max(1, weights.sum()) * 1000 * WEIGHTS.get(self.kind, 1)


def is_inside(block, gold):
    """Whether the block's words, or most runs of five of them, stand in the main content."""
    if not block:
        return False
    if len(block) <= 12:
        return f' {" ".join(block)} ' in gold
    runs = [f' {" ".join(block[i:i + 5])} ' in gold for i in range(0, len(block) - 4, 3)]
    return sum(runs) >= len(runs) / 2


def in_order(labels, blocks, gold):
    """Without the short blocks, such as items of a menu, whose words stand far from the place that the blocks before them have reached."""
    places = collections.defaultdict(list)
    for i, word in enumerate(gold):
        places[word].append(i)
    reached = 0
    found = []
    for label, block in zip(labels, blocks):
        near = False
        if label:
            own = places[block[0]]
            length = min(len(block), 8)
            for place in own[bisect.bisect_left(own, reached):]:
                if len(block) < 6 and place > reached + 60:
                    break
                if gold[place:place + length] == block[:length]:
                    near = True
                    reached = place + len(block)
                    break
        found.append(near or (label and len(block) >= 6))
    return found


def train(pages, features):
    pages = [page for page in pages if len(page.labels)]
    data = lightgbm.Dataset(
        numpy.concatenate([page.rows for page in pages]),
        numpy.concatenate([page.labels for page in pages]),
        weight=numpy.concatenate([page.weights for page in pages]),
        feature_name=[name.replace('-', '_') for name in features],
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def chosen(page, chances):
    """The blocks that `shared/core/content/main-blocks.ts` would choose."""
    order = numpy.argsort(-chances, kind='stable')
    hits = numpy.cumsum((chances * page.lengths)[order])
    expected = 2 * hits / (numpy.cumsum(page.lengths[order]) + (chances * page.lengths).sum() + 1e-9)
    return sorted(order[: int(numpy.argmax(expected)) + 1]) if len(order) else []


def score(page, chances):
    """How many words, or snippets, are right, chosen, and wanted."""
    blocks = chosen(page, chances)
    if page.kind == SNIPPETS:
        text = ' '.join(page.texts[i] for i in blocks)
        same = sum(snippet in text for snippet in page.wanted)
        return numpy.array([same, same + sum(snippet in text for snippet in page.unwanted), len(page.wanted)])
    got = collections.Counter()
    for i in blocks:
        if page.known[i]:
            got.update(page.counts[i])
    return numpy.array([sum((got & page.gold).values()), sum(got.values()), sum(page.gold.values())])


def f1(same, got, wanted):
    if not got or not wanted:
        return float(got == wanted)
    return 2 * same / (got + wanted)


def check(pages, features):
    sites = sorted({page.site for page in pages})
    numpy.random.RandomState(1).shuffle(sites)
    fold = {site: i % FOLDS for i, site in enumerate(sites)}
    scores = collections.defaultdict(list)
    for k in range(FOLDS):
        model = train([page for page in pages if fold[page.site] != k], features)
        for page in pages:
            if fold[page.site] != k:
                continue
            found = score(page, model.predict(page.rows) if len(page.labels) else numpy.array([]))
            scores[page.kind].append(found)
            if page.kind not in WEIGHTS:
                scores['all of WCXB'].append(found)
    for kind in sorted(scores):
        rows = scores[kind]
        value = f1(*sum(rows)) if kind == SNIPPETS else numpy.mean([f1(*row) for row in rows])
        print(f'{kind:24} n {len(rows):4}  F1 {value:.3f}')


def write(model, features, path):
    trees = [packed(tree['tree_structure']) for tree in model.dump_model()['tree_info']]
    with open(path, 'w') as file:
        lines = ',\n'.join(json.dumps(tree, separators=(',', ':')) for tree in trees)
        file.write(f'{{"features":{json.dumps(features)},\n"trees":[\n{lines}\n]}}\n')


def packed(root):
    tree = dict(feature=[], threshold=[], left=[], right=[], leaf=[])

    def add(node):
        if 'leaf_value' in node:
            tree['leaf'].append(round(node['leaf_value'], 5))
            return -len(tree['leaf'])
        at = len(tree['feature'])
        tree['feature'].append(node['split_feature'])
        # Rounded as the features are. A threshold just below 0 must not become 0.
        threshold = round(node['threshold'], 5)
        tree['threshold'].append(min(threshold, -1e-5) if node['threshold'] < 0 else threshold)
        tree['left'].append(0)
        tree['right'].append(0)
        tree['left'][at] = add(node['left_child'])
        tree['right'][at] = add(node['right_child'])
        return at

    add(root)
    return tree


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('sources', nargs='+', metavar='FOLDER BLOCKS')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--write')
    options = parser.parse_args()
    pages = []
    for folder, blocks in zip(options.sources[::2], options.sources[1::2]):
        with open(blocks) as file:
            features = json.loads(next(file))['features']
            pages += [Page(folder, json.loads(line), features) for line in file]
    if options.check:
        check(pages, features)
    if options.write:
        write(train(pages, features), features, options.write)


main()
