/** Follows the fences of code through the lines of a Markdown document, also in lists (CommonMark 0.31, sections 4.5 and 5.2). */

interface Fence {
  readonly mark: string;
  /** The column from which the content of its list item begins: a line further left ends the item, and the fence. */
  readonly column: number;
}

export type LineKind = 'code' | 'table' | 'text';

/** Returns what each line is, given in their order. A fence is code, too. Work is linear in the line. */
export function createFenceReader(): (line: string) => LineKind {
  /** The columns where the content of the open list items begins. */
  let items: number[] = [];
  let fence: Fence | undefined;
  return (line) => {
    if (line.trim() === '') return fence ? 'code' : 'text';
    const indent = indentOf(line);
    if (fence && indent.column >= fence.column) {
      const isClose =
        indent.column - fence.column < 4 &&
        line.startsWith(fence.mark, indent.at) &&
        /^(?:`+|~+)[ \t]*\r?$/.test(line.slice(indent.at));
      if (isClose) fence = undefined;
      return 'code';
    }
    fence = undefined;
    if (items.length > 0) items = items.filter((column) => column <= indent.column);
    let { at, column } = indent;
    // Four blanks and more begin code without a fence.
    while (column - (items.at(-1) ?? 0) < 4) {
      const [all, mark] = itemAt(line, at) ?? [];
      if (all === undefined || mark === undefined) break;
      const blanks = all.length - mark.length;
      // More blanks belong to code that the item begins with.
      column += mark.length + (blanks > 4 ? 1 : blanks);
      at += mark.length + (blanks > 4 ? 1 : blanks);
      items.push(column);
      if (blanks > 4) return 'text';
    }
    const base = items.at(-1) ?? 0;
    if (column - base >= 4) return 'text';
    const mark = fenceAt(line, at);
    if (mark === undefined) return line[at] === '|' ? 'table' : 'text';
    fence = { mark, column: base };
    return 'code';
  };
}

function indentOf(line: string): { readonly at: number; readonly column: number } {
  let at = 0;
  let column = 0;
  for (; line[at] === ' ' || line[at] === '\t'; at++) column += line[at] === ' ' ? 1 : 4 - (column % 4);
  return { at, column };
}

const ITEM = /([-*+]|\d{1,9}[.)])[ \t]+(?=\S)/y;
// The text behind backticks has none.
const FENCE = /(`{3,})[^`]*$|(~{3,})/y;

function itemAt(line: string, at: number): RegExpExecArray | null {
  if (isLetter(line.charCodeAt(at))) return null;
  ITEM.lastIndex = at;
  return ITEM.exec(line);
}

function fenceAt(line: string, at: number): string | undefined {
  if (isLetter(line.charCodeAt(at))) return undefined;
  FENCE.lastIndex = at;
  const found = FENCE.exec(line);
  return found?.[1] ?? found?.[2];
}

/** A letter of ASCII: most lines begin with one. */
const isLetter = (unit: number): boolean => ((unit | 0x20) - 0x61) >>> 0 < 26;
