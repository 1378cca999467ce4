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

export const indented = (text: string, blanks: number): string =>
  text.replace(/^(?=[^\n])/gm, ' '.repeat(blanks));

interface ItemMark {
  readonly sign: string;
  /** A number that Markdown's lists cannot have. */
  readonly label?: string;
}

/** The items of a list as they are read, and the text between them, which ends the list so far. */
export class ListParts {
  readonly #found: string[] = [];
  #items: string[] = [];
  readonly #isOrdered: boolean;
  readonly #step: number;
  #number: number;
  #last: number | undefined;
  #sign = '.';

  /** `number`: of the first item. `step`: 1 or -1. */
  constructor(isOrdered: boolean, step: number, number: number) {
    this.#isOrdered = isOrdered;
    this.#step = step;
    this.#number = number;
  }

  /**
   * Counts an item; `value`: the number that it gives itself. Undefined for an item that is not shown. Where numbers do not
   * follow one another, another list begins.
   */
  nextMark(value: number | undefined, isShown: boolean): ItemMark | undefined {
    const number = value ?? this.#number;
    this.#number = number + this.#step;
    if (!isShown) return undefined;
    if (this.#last !== undefined && number !== this.#last + 1) this.#sign = this.#sign === '.' ? ')' : '.';
    this.#last = number;
    if (!this.#isOrdered) return { sign: '-' };
    return number >= 0 && number < 1e9
      ? { sign: `${number}${this.#sign}` }
      : { sign: '-', label: `${number}\\.` };
  }

  addItems(items: readonly string[]): void {
    for (const item of items) this.#items.push(item);
  }

  addText(text: string): void {
    if (text === '') return;
    this.#endItems();
    this.#last = undefined;
    this.#found.push(text);
  }

  /** A list in a list without an item of its own belongs to the item before it. */
  addList(parts: readonly string[]): void {
    const before = this.#items.at(-1);
    const mark = before === undefined ? undefined : ITEM.exec(before)?.[0];
    if (mark === undefined || !parts.every(isListItem)) this.addItems(parts);
    else {
      const gap = parts.every(followsText) ? '\n' : '\n\n';
      this.#items[this.#items.length - 1] = [
        before,
        ...parts.map((part) => indented(part, mark.length)),
      ].join(gap);
    }
  }

  end(): string[] {
    this.#endItems();
    return this.#found;
  }

  #endItems(): void {
    const isLoose = this.#items.some((item) => item.includes('\n\n'));
    const text = this.#items.join(isLoose ? '\n\n' : '\n');
    if (text !== '') this.#found.push(text);
    this.#items = [];
  }
}
