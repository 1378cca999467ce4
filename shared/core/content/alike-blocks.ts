/** Blocks that stand in elements of the same names: items of a list, rows of a table. Blocks with equal texts. */
import type { TextBlock } from './blocks.ts';
import type { ContentElement } from './content-element.ts';
import { isLong } from './element-facts.ts';

export interface Group {
  blocks: number;
  words: number;
  linkWords: number;
  long: number;
}

/** Groups blocks whose elements, and the two elements around them, have the same names. */
export function groupsOf(blocks: readonly TextBlock[]): Group[] {
  const groups = new Map<number, Group>();
  const idOf = nameIds();
  return blocks.map((block) => {
    const { element } = block;
    const up = element.parent;
    // There are fewer names than elements and blocks, so that the number is below 2^53.
    const id =
      (idOf(element) * NAMES + (up ? idOf(up) : 0)) * NAMES + (up?.parent ? idOf(up.parent, true) : 0);
    let group = groups.get(id);
    if (!group) {
      group = { blocks: 0, words: 0, linkWords: 0, long: 0 };
      groups.set(id, group);
    }
    group.blocks++;
    group.words += block.words;
    group.linkWords += block.linkWords;
    if (isLong(block)) group.long += block.words;
    return group;
  });
}

const NAMES = 1 << 17;

/** Returns a function that numbers the names of elements, with their classes unless `isBare`. */
function nameIds() {
  const names = new Map<string, number>();
  const classes = new Map<string, number>();
  const pairs = new Map<number, number>();
  const idIn = <K>(ids: Map<K, number>, key: K): number => {
    let id = ids.get(key);
    if (id === undefined) {
      id = ids.size + 1;
      ids.set(key, id);
    }
    return id;
  };
  return ({ name, attributes }: ContentElement, isBare = false): number => {
    const classId = isBare ? 0 : idIn(classes, (attributes.class ?? '').slice(0, 60));
    return idIn(pairs, idIn(names, name) * NAMES + classId);
  };
}

/** How often each block's text is on the page. */
export function repeatsOf(blocks: readonly TextBlock[]): Int32Array {
  const shapes = new Map<number, number>();
  for (const block of blocks) {
    const shape = shapeOf(block);
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  // Most texts are the only ones of their shape, and need not be hashed.
  const mayRepeat = (block: TextBlock) => shapes.get(shapeOf(block))! > 1;
  const counts = new Map<string, number>();
  for (const block of blocks) if (mayRepeat(block)) counts.set(block.text, (counts.get(block.text) ?? 0) + 1);
  return Int32Array.from(blocks, (block) => (mayRepeat(block) ? counts.get(block.text)! : 1));
}

/** A number that two equal texts have in common. */
const shapeOf = ({ text, words, counts: { capitals, digits } }: TextBlock): number =>
  (text.length * 31 + words) * 31 + capitals * 7 + digits;
