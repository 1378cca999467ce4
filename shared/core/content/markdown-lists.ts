/** Blocks of Markdown beside one another: two lists in a row must not become one (CommonMark 0.31, section 5.3). */

const ITEM = /^(?:([-*])|\d{1,9}([.)])) /;

/** Whether a block is a list, by its first line: other text that begins so is escaped. */
export const isListItem = (block: string): boolean => ITEM.test(block);

/** Whether it is a list that may follow a line of text without an empty line. */
export const followsText = (block: string): boolean => /^(?:[-*]|1[.)]) /.test(block);

export const joinBlocks = (blocks: readonly string[]): string => separateLists(blocks).join('\n\n');

/** Without empty blocks. A list that follows one with the same mark has another mark: `*` after `-`, `1)` after `1.`. */
export function separateLists(blocks: readonly string[]): string[] {
  const found: string[] = [];
  for (const block of blocks) if (block !== '') found.push(withOtherMark(block, found.at(-1)));
  return found;
}

function withOtherMark(block: string, before: string | undefined): string {
  const mark = markOf(block);
  if (mark === undefined || before === undefined || mark !== lastMarkOf(before)) return block;
  // Only items begin at the start of a line: their content is indented.
  if (mark === '-' || mark === '*') return block.replace(/^[-*](?= )/gm, mark === '-' ? '*' : '-');
  return block.replace(
    /^(\d{1,9})([.)])(?= )/gm,
    (_, number, sign) => `${number}${sign === '.' ? ')' : '.'}`,
  );
}

function markOf(block: string): string | undefined {
  const [, bullet, sign] = ITEM.exec(block) ?? [];
  return bullet ?? sign;
}

/** The mark of the last item: a list of other numbers has both. */
function lastMarkOf(block: string): string | undefined {
  if (!isListItem(block)) return undefined;
  const last = block.slice(Math.max(block.lastIndexOf('\n- '), block.lastIndexOf('\n* ')) + 1);
  const numbers = Array.from(block.matchAll(/^\d{1,9}[.)](?= )/gm), ([found]) => found);
  return numbers.at(-1)?.at(-1) ?? markOf(last);
}
