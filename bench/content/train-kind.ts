/**
 * Chooses the weights of `shared/core/content/page-kind.ts` by a folder of pages with known kinds (`ground-truth/*.json`, `html/*.html.gz`),
 * and prints them, after the accuracy on pages of sites that the weights do not know (five folds by registrable domain).
 *
 *     node bench/content/train-kind.ts FOLDER
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { textBlocks } from '../../shared/core/content/blocks.ts';
import { parseElements } from '../../shared/core/content/element-tree.ts';
import { mainBlocks } from '../../shared/core/content/main-blocks.ts';
import { readMetadata } from '../../shared/core/content/metadata.ts';
import { kindFeatures, PAGE_KINDS, type PageKind } from '../../shared/core/content/page-kind.ts';

interface Example {
  readonly fold: number;
  readonly kind: PageKind;
  readonly features: readonly number[];
}

const FOLDS = 5;
const STEPS = 1500;
const RATE = 0.05;
/** Weight of the squares of the weights. */
const PENALTY = 0.003;

function readExamples(folder: string): Example[] {
  return readdirSync(`${folder}/ground-truth`).map((file) => {
    const { url, _internal: own } = JSON.parse(readFileSync(`${folder}/ground-truth/${file}`, 'utf8'));
    const html = gunzipSync(readFileSync(`${folder}/html/${file.replace('.json', '.html.gz')}`)).toString();
    const elements = parseElements(html);
    const data = readMetadata(elements, url);
    const blocks = textBlocks(elements[0]!);
    const { main } = mainBlocks(elements, blocks, data);
    const { primary } = own.page_type as { primary: string };
    const domain = (URL.parse(url)?.hostname ?? file).split('.').slice(-2).join('.');
    return {
      fold: [...domain].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) >>> 0, 0) % FOLDS,
      kind: (primary === 'collection' ? 'listing' : primary) as PageKind,
      features: kindFeatures({ url, metadata: data.metadata, elements, blocks, main }),
    };
  });
}

/** Gradient descent (Adam). Rare kinds weigh more, by the root of their rarity. */
function train(examples: readonly Example[]): Float64Array[] {
  const size = examples[0]!.features.length;
  const rows = () => PAGE_KINDS.map(() => new Float64Array(size));
  const [weights, means, squares] = [rows(), rows(), rows()];
  const rarity = PAGE_KINDS.map((kind) =>
    Math.sqrt(examples.length / PAGE_KINDS.length / examples.filter((one) => one.kind === kind).length),
  );
  for (let step = 1; step <= STEPS; step++) {
    const gradients = rows();
    for (const { features, kind } of examples) {
      const is = PAGE_KINDS.indexOf(kind);
      const shares = softmax(scoresOf(weights, features));
      for (const [k, row] of gradients.entries()) {
        const error = (shares[k]! - (k === is ? 1 : 0)) * rarity[is]!;
        for (let i = 0; i < size; i++) row[i]! += error * features[i]!;
      }
    }
    for (let k = 0; k < weights.length; k++)
      for (let i = 0; i < size; i++) {
        const gradient = gradients[k]![i]! / examples.length + (i === 0 ? 0 : PENALTY * weights[k]![i]!);
        means[k]![i] = 0.9 * means[k]![i]! + 0.1 * gradient;
        squares[k]![i] = 0.999 * squares[k]![i]! + 0.001 * gradient ** 2;
        const mean = means[k]![i]! / (1 - 0.9 ** step);
        weights[k]![i]! -= (RATE * mean) / (Math.sqrt(squares[k]![i]! / (1 - 0.999 ** step)) + 1e-8);
      }
  }
  return weights;
}

const scoresOf = (weights: readonly Float64Array[], features: readonly number[]): number[] =>
  weights.map((row) => row.reduce((sum, weight, i) => sum + weight * features[i]!, 0));

function softmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Expected node bench/content/train-kind.ts FOLDER');
const examples = readExamples(folder);
const right = new Map<PageKind, number>();
for (let fold = 0; fold < FOLDS; fold++) {
  const weights = train(examples.filter((one) => one.fold !== fold));
  for (const { kind, features } of examples.filter((one) => one.fold === fold)) {
    const scores = scoresOf(weights, features);
    if (PAGE_KINDS[scores.indexOf(Math.max(...scores))] === kind) right.set(kind, (right.get(kind) ?? 0) + 1);
  }
}
for (const kind of PAGE_KINDS)
  console.log(`${kind}: ${right.get(kind) ?? 0} of ${examples.filter((one) => one.kind === kind).length}`);
console.log(`all: ${[...right.values()].reduce((a, b) => a + b)} of ${examples.length}`);
for (const [k, row] of train(examples).entries())
  console.log(`${PAGE_KINDS[k]}: ${Array.from(row, (weight) => Math.round(weight * 100)).join(' ')}`);
