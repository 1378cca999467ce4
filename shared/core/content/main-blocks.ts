import { blockFeatures } from './block-features.ts';
import { contentProbability } from './block-model.ts';
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { asideBlocks } from './marked-aside.ts';
import type { StructuredData } from './metadata.ts';
import { TAB_LABEL } from './tab-labels.ts';
import { withoutHoles } from './whole-blocks.ts';

export interface MainBlocks {
  /** In document order. */
  readonly main: readonly TextBlock[];
  /** For each element, 1 if it is marked as no part of the content, or stands within such an element. */
  readonly asideElements: Uint8Array;
}

/** Returns the blocks that are the page's main content. */
export function mainBlocks(
  elements: readonly ContentElement[],
  all: readonly TextBlock[],
  data: StructuredData,
): MainBlocks {
  // The model has not seen them.
  const blocks = all.some(isTabLabel) ? all.filter((block) => !isTabLabel(block)) : all;
  const { main, asideElements } = chosenOf(elements, blocks, data);
  if (blocks === all) return { main, asideElements };
  const chosen = new Set(main);
  const isOfChosen = (label: TextBlock, i: number) => isTabLabel(label) && chosen.has(all[i + 1]!);
  return { main: all.filter((block, i) => chosen.has(block) || isOfChosen(block, i)), asideElements };
}

const isTabLabel = ({ element }: TextBlock): boolean => element.attributes[TAB_LABEL] !== undefined;

function chosenOf(
  elements: readonly ContentElement[],
  blocks: readonly TextBlock[],
  data: StructuredData,
): MainBlocks {
  const { aside, asideElements, main } = asideBlocks(elements, blocks);
  if (main?.isWhole)
    return {
      main: blocks.filter(({ element }, i) => aside[i] === 0 && main.within[element.index] === 1),
      asideElements,
    };
  // The model is most of the work, and its answer is not used there.
  const chances = blockFeatures(elements, blocks, data, (row, i) =>
    aside[i] === 1 ? 0 : contentProbability(row),
  );
  const possible = Array.from(blocks.keys()).filter((i) => aside[i] === 0);
  const chosen = withoutHoles(likelyBest(possible, chances, blocks), blocks, elements, aside);
  return { main: blocks.filter((_, i) => chosen.has(i)), asideElements };
}

/**
 * The blocks whose words have the best expected F1 with the main content: the most likely ones, as far as
 * each further one raises it (Lewis 1995, "Evaluating and optimizing autonomous text classification
 * systems").
 */
function likelyBest(
  possible: readonly number[],
  chances: readonly number[],
  blocks: readonly TextBlock[],
): ReadonlySet<number> {
  const byChance = possible.toSorted((a, b) => chances[b]! - chances[a]!);
  let expected = 0;
  for (const i of possible) expected += chances[i]! * blocks[i]!.words;
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
