/** Blocks of one kind: most of them are chosen or none is. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';

/** Blocks of a page, the places of those that were chosen, and 1 for each that stands outside of the content. */
export interface Choice {
  readonly chosen: ReadonlySet<number>;
  readonly blocks: readonly TextBlock[];
  readonly aside: Uint8Array;
}

/** Blocks of a kind by which one more is judged, and the share of them that is chosen. */
const MIN_ALIKE = 5;
const MIN_SHARE = 0.8;
/** Kinds that are counted: each is a walk through all blocks. */
const MAX_KINDS = 50;

/**
 * Returns a function that says whether most blocks of the element's kind are chosen: of its name and class, in an element of the same
 * name. An element without a class has no kind.
 */
export function chosenKinds(choice: Choice): (element: ContentElement) => boolean {
  const known = new Map<string, boolean>();
  return (element) => {
    const { name, attributes, parent } = element;
    if (!attributes.class) return false;
    const kind = `${name} ${attributes.class} in ${parent?.name}`;
    let is = known.get(kind);
    if (is === undefined) {
      is = known.size < MAX_KINDS && isMostlyChosen(element, choice);
      known.set(kind, is);
    }
    return is;
  };
}

function isMostlyChosen(
  { name, attributes, parent }: ContentElement,
  { chosen, blocks, aside }: Choice,
): boolean {
  let all = 0;
  let taken = 0;
  for (let i = 0; i < blocks.length; i++) {
    const { element } = blocks[i]!;
    const isAlike =
      element.attributes.class === attributes.class &&
      element.name === name &&
      element.parent?.name === parent?.name;
    if (!isAlike || aside[i] === 1) continue;
    all++;
    if (chosen.has(i)) taken++;
  }
  return all >= MIN_ALIKE && taken >= MIN_SHARE * all;
}
