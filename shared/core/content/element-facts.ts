import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { signsOf } from './signs.ts';

/** Elements around a block that count. */
export const AROUND = [
  'nav',
  'header',
  'footer',
  'aside',
  'form',
  'main',
  'article',
  'section',
  'table',
  'ul',
  'ol',
  'dl',
  'figure',
  'details',
  'blockquote',
  'pre',
  'a',
  'fieldset',
  'address',
  'td',
  'noscript',
] as const;
const AROUND_BIT: ReadonlyMap<string, number> = new Map(AROUND.map((name, i) => [name, 1 << i]));

/** The facts of each element, by its index. Only elements that hold blocks have more than zeros. */
export interface ElementFacts {
  readonly words: Float64Array;
  readonly linkWords: Float64Array;
  readonly blocks: Int32Array;
  /** Words of blocks that read like sentences. */
  readonly long: Float64Array;
  /** Words that are in the page's structured data, too. */
  readonly dataWords: Float64Array;
  /** Children that hold blocks. */
  readonly children: Int32Array;
  /** Bits of `SIGNS`: of the element and the two around it; of all around it. */
  readonly near: Int32Array;
  readonly any: Int32Array;
  /** Bits of {@link AROUND}: the element and those around it. */
  readonly around: Int32Array;
  readonly depth: Int32Array;
  /** 1 within what the author marks as main content. */
  readonly inMain: Uint8Array;
  readonly hasMain: boolean;
  readonly articles: number;
  /** The element that holds most of the sentences for its size. */
  readonly best: number;
}

/** A footnote or the like, by DPUB-ARIA: part of the text, though it is in an `aside`. */
export const isNote = ({ name, attributes }: ContentElement): boolean =>
  name === 'aside' && attributes.role?.startsWith('doc-') === true;

/** Whether it reads like a sentence or more. */
export const isLong = ({ words, linkWords, counts: { commas, sentences } }: TextBlock): boolean =>
  words >= 12 && linkWords < words / 2 && commas + sentences > 0;

/**
 * `dataShares`: of each block, the share of its text that is in the structured data. Linear in elements and
 * blocks.
 */
export function elementFacts(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  dataShares: Float64Array,
): ElementFacts {
  const count = elements.length;
  const words = new Float64Array(count);
  const linkWords = new Float64Array(count);
  const long = new Float64Array(count);
  const dataWords = new Float64Array(count);
  const held = new Int32Array(count);
  const children = new Int32Array(count);
  for (const [i, block] of blocks.entries()) {
    const { index } = block.element;
    words[index]! += block.words;
    linkWords[index]! += block.linkWords;
    dataWords[index]! += dataShares[i]! * block.words;
    held[index]!++;
    if (isLong(block)) long[index]! += block.words;
  }
  // Children come after their parents.
  for (let i = count - 1; i > 0; i--) {
    if (held[i] === 0) continue;
    const parent = elements[i]!.parent!.index;
    words[parent]! += words[i]!;
    linkWords[parent]! += linkWords[i]!;
    long[parent]! += long[i]!;
    dataWords[parent]! += dataWords[i]!;
    held[parent]! += held[i]!;
    children[parent]!++;
  }

  const known = new Map<string, number>();
  const own = new Int32Array(count);
  const near = new Int32Array(count);
  const any = new Int32Array(count);
  const around = new Int32Array(count);
  const depth = new Int32Array(count);
  const inMain = new Uint8Array(count);
  let hasMain = false;
  let articles = 0;
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (let i = 1; i < count; i++) {
    if (held[i] === 0) continue;
    const element = elements[i]!;
    const up = element.parent!.index;
    const isMain = isMarkedMain(element);
    own[i] = signsOf(element, known);
    near[i] = own[i]! | own[up]! | own[element.parent!.parent?.index ?? 0]!;
    any[i] = own[i]! | any[up]!;
    around[i] = around[up]! | (isNote(element) ? 0 : (AROUND_BIT.get(element.name) ?? 0));
    depth[i] = depth[up]! + 1;
    inMain[i] = isMain || inMain[up] ? 1 : 0;
    hasMain ||= isMain;
    if (element.name === 'article') articles++;
    // Each step outwards must bring more sentences than other words; of equals the innermost one.
    const score = long[i]! - 0.5 * (words[i]! - long[i]!) - linkWords[i]!;
    if (long[i]! > 0 && score >= bestScore) {
      best = i;
      bestScore = score;
    }
  }
  return {
    words,
    linkWords,
    blocks: held,
    long,
    dataWords,
    children,
    near,
    any,
    around,
    depth,
    inMain,
    hasMain,
    articles,
    best,
  };
}

/** The branches of a page, as seen from an element. */
export interface Branches {
  readonly target: number;
  /**
   * For each element, the outermost one around it (or itself) that does not hold `target`. 0 for `target` and all around it.
   */
  readonly branches: Int32Array;
}

export function branchesFrom(elements: readonly ContentElement[], target: number): Branches {
  const branches = new Int32Array(elements.length);
  const isAround = new Uint8Array(elements.length);
  for (let up: ContentElement | undefined = elements[target]; up; up = up.parent) isAround[up.index] = 1;
  for (let i = 1; i < elements.length; i++)
    if (isAround[i] === 0) branches[i] = branches[elements[i]!.parent!.index] || i;
  return { target, branches };
}

export const isMarkedMain = ({ name, attributes }: ContentElement): boolean =>
  name === 'main' || attributes.role === 'main' || attributes.itemprop === 'articleBody';
