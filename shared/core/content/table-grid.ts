/** The cells of a table in the columns where readers see them (HTML standard, section 4.9.12.1, "Forming a table"). */
import { codeText } from './code-text.ts';
import type { ContentElement } from './content-element.ts';

/** A slot: the cell that begins there; undefined where there is none, or where a cell goes on that began before. */
export type GridRow = readonly (ContentElement | undefined)[];

const MAX_COLSPAN = 1000;
const MAX_ROWSPAN = 65_534;
/** Slots of a table. */
const MAX_SLOTS = 2_000_000;

/**
 * Returns the rows, the heads first and the foot last. Columns in which no cell begins are left out: nobody sees them. Undefined
 * for a table with too many slots. Work and memory are bounded.
 */
export function tableGrid(table: ContentElement): readonly GridRow[] | undefined {
  const rows: (ContentElement | undefined)[][] = [];
  let slots = 0;
  for (const group of rowGroups(table)) {
    /** For each column, the rows below in which it is taken. */
    const taken: number[] = [];
    for (const [i, row] of group.entries()) {
      const line: (ContentElement | undefined)[] = [];
      let column = 0;
      for (const cell of row) {
        while ((taken[column] ?? 0) > 0) column++;
        line[column] = cell;
        const end = column + spanOf(cell.attributes.colspan, 1, MAX_COLSPAN);
        const rowspan = spanOf(cell.attributes.rowspan, 0, MAX_ROWSPAN);
        const height = rowspan === 0 ? group.length - i : Math.min(rowspan, group.length - i);
        slots += end - column;
        if (slots > MAX_SLOTS) return undefined;
        for (; column < end; column++) taken[column] = Math.max(taken[column] ?? 0, height);
      }
      slots += taken.length;
      if (slots > MAX_SLOTS) return undefined;
      for (let at = 0; at < taken.length; at++) taken[at] = Math.max(0, (taken[at] ?? 0) - 1);
      rows.push(line);
    }
  }
  return withoutEmptyColumns(rows);
}

function withoutEmptyColumns(rows: readonly GridRow[]): readonly GridRow[] {
  const used: boolean[] = [];
  for (const row of rows)
    for (let column = 0; column < row.length; column++) if (row[column] !== undefined) used[column] = true;
  const columns = Array.from(used.keys()).filter((column) => used[column]);
  const areFull = columns.length === used.length;
  return rows.map((row) =>
    areFull && row.length === used.length ? row : columns.map((column) => row[column]),
  );
}

/** Rules for parsing non-negative integers: leading blanks, then digits, whatever follows. 0 if that is allowed. */
function spanOf(value: string | undefined, least: number, most: number): number {
  const digits = /^\s*\+?(\d{1,10})/.exec(value ?? '')?.[1];
  const span = digits === undefined ? 1 : Number(digits);
  return span < least ? 1 : Math.min(span, most);
}

type Cells = ContentElement[];

/** Rows that stand together: a cell goes on to the end of them at most. */
function rowGroups(table: ContentElement): Cells[][] {
  const heads: Cells[][] = [];
  const bodies: Cells[][] = [];
  const feet: Cells[][] = [];
  let own: Cells[] | undefined;
  let cells: Cells | undefined;
  for (const part of partsOf(table, isTablePart)) {
    if (isGroup(part)) {
      own = cells = undefined;
      const groups = part.name === 'thead' ? heads : part.name === 'tfoot' ? feet : bodies;
      groups.push(rowsOf(part));
      continue;
    }
    if (own === undefined) {
      own = [];
      bodies.push(own);
    }
    cells = addToRows(part, own, cells);
  }
  return [...heads, ...bodies, ...feet];
}

function rowsOf(group: ContentElement): Cells[] {
  const rows: Cells[] = [];
  let cells: Cells | undefined;
  for (const part of partsOf(group, isRowPart)) cells = addToRows(part, rows, cells);
  return rows;
}

/** Adds a row, or a cell without one; returns the row that further such cells belong to. */
function addToRows(part: ContentElement, rows: Cells[], open: Cells | undefined): Cells | undefined {
  if (part.name === 'tr') {
    rows.push(partsOf(part, isCell));
    return undefined;
  }
  const row = open ?? [];
  if (open === undefined) rows.push(row);
  row.push(part);
  return row;
}

type IsPart = (element: ContentElement) => boolean;

export const isCell: IsPart = ({ name }) => name === 'td' || name === 'th';
const isRowPart: IsPart = (element) => element.name === 'tr' || isCell(element);
const isGroup: IsPart = ({ name }) => name === 'tbody' || name === 'thead' || name === 'tfoot';
const isTablePart: IsPart = (element) => isRowPart(element) || isGroup(element);

/** Returns the parts that stand in an element, also those within others such as a form: browsers put them into the table. */
function partsOf(element: ContentElement, isPart: IsPart, found: Cells = []): Cells {
  for (const child of element.children) {
    if (typeof child === 'string' || child.isUnseen) continue;
    if (isPart(child)) found.push(child);
    else if (child.hasBlocks && !OTHER_PARTS.has(child.name)) partsOf(child, isPart, found);
  }
  return found;
}

const OTHER_PARTS: ReadonlySet<string> = new Set(['table', 'caption', 'td', 'th']);

/** Whether cells of the table around it are in it. */
export const holdsCell = (element: ContentElement): boolean =>
  element.hasBlocks && element.name !== 'table' && partsOf(element, isCell).length > 0;

/** Cells that fill up short rows count. */
const MAX_CELLS = 20_000;

/** The cells of a table that holds data and is not used for the layout of a page: small cells, no table inside. */
export function dataGrid(table: ContentElement): readonly GridRow[] | undefined {
  const grid = tableGrid(table);
  const width = grid?.[0]?.length ?? 0;
  if (grid === undefined || grid.length < 2 || width < 2 || grid.length * width > MAX_CELLS) return undefined;
  const excluded = hasHeads(grid) ? NOT_BELOW_HEADS : NOT_IN_CELLS;
  return grid.every((row) => row.every((cell) => cell === undefined || !holdsBlocks(cell, excluded))) &&
    !grid.some((row) => isWide(row) && linesIn(row[0]!) >= MIN_LINES)
    ? grid
    : undefined;
}

/** Lines of a cell across all columns that make it a text below the row before it, such as the details of Haddock's instances. */
const MIN_LINES = 3;

const isWide = ([first, ...others]: GridRow): boolean =>
  first !== undefined &&
  spanOf(first.attributes.colspan, 1, MAX_COLSPAN) > others.length &&
  others.every((cell) => cell === undefined);

/** The number of elements that are lines of their own. */
const linesIn = ({ children }: ContentElement): number =>
  children.reduce((sum, child) => {
    if (typeof child === 'string' || child.isUnseen) return sum;
    return sum + (child.hasBlocks ? linesIn(child) : child.isInline ? 0 : 1);
  }, 0);

/** Columns of a grid, and a word of the class names of their heads. */
const MAX_COLUMNS = 12;
const HEAD = /(?:^|[\s_-])(?:header|head)(?=$|[\s_-])/i;

/**
 * The cells of a `div` that a style sheet shows as a table, its rows one after the other: the first cells are marked as heads of its
 * columns, by two of them at least.
 */
export function divGrid({ children }: ContentElement): readonly GridRow[] | undefined {
  const cells: ContentElement[] = [];
  for (const child of children) {
    if (typeof child === 'string' ? child.trim() === '' : child.isUnseen) continue;
    if (typeof child === 'string' || child.name !== 'div') return undefined;
    cells.push(child);
  }
  const isHead = ({ attributes }: ContentElement) => HEAD.test(attributes.class?.slice(0, MAX_CLASS) ?? '');
  const width = cells.findIndex((cell) => !isHead(cell));
  if (width < 2 || width > MAX_COLUMNS || cells.length % width !== 0 || cells.length > MAX_CELLS)
    return undefined;
  if (cells.slice(width).some(isHead) || cells.some((cell) => holdsBlocks(cell, NOT_IN_CELLS)))
    return undefined;
  return Array.from({ length: cells.length / width }, (_, row) =>
    cells.slice(row * width, (row + 1) * width),
  );
}

const MAX_CLASS = 100;

/** Whether the first row names the columns. */
const hasHeads = ([first = []]: readonly GridRow[]): boolean => {
  const cells = first.filter((cell) => cell !== undefined);
  return cells.length > 1 && cells.every(({ name }) => name === 'th');
};

const NOT_BELOW_HEADS: ReadonlySet<string> = new Set('table h1 h2 h3 blockquote article section'.split(' '));
/** In a table without heads they make the layout of a page. */
const NOT_IN_CELLS: ReadonlySet<string> = new Set([...NOT_BELOW_HEADS, 'pre', 'ul', 'ol']);
/** A table holds no code of more lines. */
const MAX_CODE_LINES = 12;

const holdsBlocks = (cell: ContentElement, excluded: ReadonlySet<string>): boolean =>
  cell.hasBlocks &&
  cell.children.some(
    (child) =>
      typeof child !== 'string' &&
      (excluded.has(child.name) ||
        (child.name === 'pre' && codeText(child).split('\n').length > MAX_CODE_LINES) ||
        holdsBlocks(child, excluded)),
  );
