/** The cells of a table in the columns where readers see them (HTML standard, section 4.9.12.1, "Forming a table"). */
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
      for (const cell of cellsOf(row)) {
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

/** Rows that stand together: a cell goes on to the end of them at most. */
function rowGroups(table: ContentElement): ContentElement[][] {
  const heads: ContentElement[][] = [];
  const bodies: ContentElement[][] = [];
  const feet: ContentElement[][] = [];
  let own: ContentElement[] | undefined;
  for (const child of table.children) {
    if (typeof child === 'string' || child.isUnseen) continue;
    if (child.name === 'tr') {
      if (own === undefined) {
        own = [];
        bodies.push(own);
      }
      own.push(child);
      continue;
    }
    const groups = child.name === 'thead' ? heads : child.name === 'tfoot' ? feet : bodies;
    if (!/^t(?:head|body|foot)$/.test(child.name)) continue;
    own = undefined;
    groups.push(elementsOf(child, /^tr$/));
  }
  return [...heads, ...bodies, ...feet];
}

const cellsOf = (row: ContentElement): ContentElement[] => elementsOf(row, /^t[dh]$/);

const elementsOf = ({ children }: ContentElement, names: RegExp): ContentElement[] =>
  children.filter(
    (child): child is ContentElement =>
      typeof child !== 'string' && !child.isUnseen && names.test(child.name),
  );

/** Cells that fill up short rows count. */
const MAX_CELLS = 20_000;

/** The cells of a table that holds data and is not used for the layout of a page: small cells, no table inside. */
export function dataGrid(table: ContentElement): readonly GridRow[] | undefined {
  const grid = tableGrid(table);
  const width = grid?.[0]?.length ?? 0;
  if (grid === undefined || grid.length < 2 || width < 2 || grid.length * width > MAX_CELLS) return undefined;
  return grid.every((row) => row.every((cell) => cell === undefined || !holdsBlocks(cell))) &&
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
  if (cells.slice(width).some(isHead) || cells.some(holdsBlocks)) return undefined;
  return Array.from({ length: cells.length / width }, (_, row) =>
    cells.slice(row * width, (row + 1) * width),
  );
}

const MAX_CLASS = 100;

const NOT_IN_CELLS: ReadonlySet<string> = new Set([
  'table',
  'pre',
  'ul',
  'ol',
  'h1',
  'h2',
  'h3',
  'blockquote',
  'article',
  'section',
]);

const holdsBlocks = (cell: ContentElement): boolean =>
  cell.hasBlocks &&
  cell.children.some(
    (child) => typeof child !== 'string' && (NOT_IN_CELLS.has(child.name) || holdsBlocks(child)),
  );
