import { blockFeatures } from './block-features.ts';
import { contentProbability } from './block-model.ts';
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import type { StructuredData } from './metadata.ts';

/** Returns the blocks that are the page's main content, in document order. */
export function mainBlocks(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  data: StructuredData,
): TextBlock[] {
  const chances = blockFeatures(elements, blocks, data, contentProbability);
  const chosen = withoutHoles(likelyBest(chances, blocks), blocks);
  return blocks.filter((_, i) => chosen.has(i));
}

/**
 * The blocks whose words have the best expected F1 with the main content: the most likely ones, as far as
 * each further one raises it (Lewis 1995, "Evaluating and optimizing autonomous text classification
 * systems").
 */
function likelyBest(chances: readonly number[], blocks: readonly TextBlock[]): ReadonlySet<number> {
  const byChance = Array.from(chances.keys()).sort((a, b) => chances[b]! - chances[a]!);
  let expected = 0;
  for (const [i, { words }] of blocks.entries()) expected += chances[i]! * words;
  let hits = 0;
  let taken = 0;
  let best = 0;
  let count = 0;
  for (const [n, i] of byChance.entries()) {
    const { words } = blocks[i]!;
    hits += chances[i]! * words;
    taken += words;
    const f1 = (2 * hits) / (taken + expected);
    if (f1 < best) continue;
    best = f1;
    count = n + 1;
  }
  return new Set(byChance.slice(0, count));
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements of running text. */
const FLOW = names('p pre h2 h3 h4 h5 h6 li dt dd blockquote td th code');
/** Elements that hold pieces of one text: their parent is where the text runs. */
const PIECES = names('ul ol dl li pre code blockquote table tbody tr');

/**
 * Adds running text without links that stands between two chosen blocks in the same element: a short list,
 * a heading or a line of code has few signs of its own, and a text with holes is of little use. Costs 0.001
 * of F1 on the pages of the benchmark (`bench/content`).
 */
function withoutHoles(chosen: ReadonlySet<number>, blocks: readonly TextBlock[]): ReadonlySet<number> {
  const lastIn = new Map<ContentElement | undefined, number>();
  for (const i of chosen) {
    const place = placeOf(blocks[i]!);
    lastIn.set(place, Math.max(i, lastIn.get(place) ?? 0));
  }
  const whole = new Set(chosen);
  const begun = new Set<ContentElement | undefined>();
  for (const [i, block] of blocks.entries()) {
    const place = placeOf(block);
    if (chosen.has(i)) begun.add(place);
    else if (
      begun.has(place) &&
      i < lastIn.get(place)! &&
      FLOW.has(block.element.name) &&
      block.linkWords === 0
    )
      whole.add(i);
  }
  return whole;
}

function placeOf({ element }: TextBlock): ContentElement | undefined {
  let place = element.parent;
  while (place && PIECES.has(place.name)) place = place.parent;
  return place;
}
