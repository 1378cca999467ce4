/** Paragraphs and tables of an office document, from the start and end of their elements. */
import type { Run, TextWriter } from './text-writer.ts';

interface Paragraph {
  readonly runs: Run[];
  /** The level of a heading. */
  level?: number | undefined;
  /** The depth of an item of a list: 0 in the outermost one. */
  listDepth?: number | undefined;
}

/** Columns of a row that are kept: sheets have 16,384 at most, and a table of text a few. */
export const MAX_COLUMNS = 256;

/** Rows and cells that a file says are there several times, and their characters, in all tables together. */
const MAX_REPEATED_ROWS = 1000;
const MAX_REPEATED_CHARS = 1_000_000;

/** A cell has the text of its paragraphs and of its inner tables. */
export class BlockCollector {
  readonly #writer: TextWriter;
  /** Text boxes and frames have paragraphs in a paragraph. */
  readonly #paragraphs: Paragraph[] = [];
  /** The rows of the outermost table. */
  #rows: Run[][][] = [];
  #tables = 0;
  #repeatedChars = 0;

  constructor(writer: TextWriter) {
    this.#writer = writer;
  }

  /** The innermost paragraph that is open. */
  get paragraph(): Paragraph | undefined {
    return this.#paragraphs.at(-1);
  }

  /** Whether no table is open. */
  get isOutside(): boolean {
    return this.#tables === 0;
  }

  add(text: string, href?: string): void {
    if (!this.#writer.isFull) this.paragraph?.runs.push({ text, href });
  }

  openParagraph(level?: number): void {
    this.#paragraphs.push({ runs: [], level });
  }

  closeParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined) return;
    const { runs, level, listDepth } = paragraph;
    const cell = this.#rows.at(-1)?.at(-1);
    if (cell !== undefined) {
      if (cell.length > 0) cell.push({ text: ' ' });
      for (const run of runs) cell.push(run);
    } else if (level !== undefined) this.#writer.heading(level, runs);
    else if (listDepth !== undefined) this.#writer.item(listDepth, runs);
    else this.#writer.paragraph(runs);
  }

  openTable(): void {
    this.#tables++;
  }

  openRow(): void {
    if (this.#tables === 1) this.#rows.push([]);
  }

  openCell(): void {
    const row = this.#rows.at(-1);
    if (this.#tables === 1 && row !== undefined && row.length < MAX_COLUMNS) row.push([]);
  }

  /** The last cell stands for several. */
  repeatCell(times: number): void {
    const row = this.#rows.at(-1);
    const cell = row?.at(-1);
    if (this.#tables !== 1 || row === undefined || cell === undefined) return;
    const length = Math.min(MAX_COLUMNS, row.length + times - 1);
    const chars = charsOf(cell);
    while (row.length < length) row.push(this.#mayRepeat(chars) ? cell : []);
  }

  /** Columns without a text of their own: before the row's cells, or below the cell that spans them. */
  skipColumns(columns: number): void {
    const row = this.#rows.at(-1);
    if (this.#tables !== 1 || row === undefined) return;
    const length = Math.min(MAX_COLUMNS, row.length + columns);
    while (row.length < length) row.push([]);
  }

  /** The last row stands for several. Empty ones are left out of a table. */
  repeatRow(times: number): void {
    const row = this.#rows.at(-1);
    if (this.#tables !== 1 || row === undefined || times <= 1) return;
    const kept = withoutEmptyEnd(row);
    const chars = kept.reduce((sum, cell) => sum + charsOf(cell), 0);
    for (let i = 1; i < Math.min(times, MAX_REPEATED_ROWS) && chars > 0 && this.#mayRepeat(chars); i++)
      this.#rows.push(kept);
  }

  #mayRepeat(chars: number): boolean {
    this.#repeatedChars += chars;
    return this.#repeatedChars <= MAX_REPEATED_CHARS;
  }

  closeTable(): void {
    if (this.#tables === 0 || --this.#tables > 0) return;
    this.#writer.table(this.#rows.map(withoutEmptyEnd));
    this.#rows = [];
  }
}

const charsOf = (cell: readonly Run[]): number => cell.reduce((sum, { text }) => sum + text.length, 0);

/** Rows of spreadsheets end in cells that stand for the rest of the columns. */
function withoutEmptyEnd(row: Run[][]): Run[][] {
  const last = row.findLastIndex((cell) => cell.some(({ text }) => text.trim() !== ''));
  return row.slice(0, last + 1);
}
