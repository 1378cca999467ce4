/** Makes lines, paragraphs and headings of the pieces of text of a PDF, which has none of them. */
import { type Run, type TextWriter, textOf } from './text-writer.ts';

/** A piece of text as pdf.js gives it. Lengths are in points of the page. */
export interface PdfText {
  readonly str: string;
  /** `transform[4]`, `transform[5]`: where its base line begins, from the lower left. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

export interface PdfLine {
  readonly runs: readonly Run[];
  /** The document without its links. */
  readonly text: string;
  readonly y: number;
  /** The mean height of its characters. */
  readonly height: number;
}

/**
 * The pieces of a page as lines, in the order in which the page draws them. `linkAt` returns the URL to which a piece leads.
 */
export function linesOf(items: readonly PdfText[], linkAt: (item: PdfText) => string | undefined): PdfLine[] {
  const lines: PdfLine[] = [];
  let runs: Run[] = [];
  let first: PdfText | undefined;
  let last: PdfText | undefined;
  let chars = 0;
  let weighted = 0;

  const end = () => {
    const text = textOf(runs);
    if (first !== undefined && text !== '')
      lines.push({ runs, text, y: first.transform[5] ?? 0, height: chars === 0 ? 0 : weighted / chars });
    runs = [];
    first = last = undefined;
    chars = weighted = 0;
  };
  for (const item of items) {
    if (item.str.trim() === '') runs.push({ text: item.str });
    else {
      if (last !== undefined && isElsewhere(last, item)) end();
      first ??= item;
      last = item;
      chars += item.str.length;
      weighted += item.str.length * item.height;
      runs.push({ text: item.str, href: linkAt(item) });
    }
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

/** The next piece stands on another line: more than half a letter above or below. */
function isElsewhere(last: PdfText, next: PdfText): boolean {
  const dy = Math.abs((next.transform[5] ?? 0) - (last.transform[5] ?? 0));
  return dy > Math.max(last.height, next.height, 1) * 0.6;
}

/** A title is this much larger than most of the text. */
const HEADING_RATIO = 1.15;
const MAX_HEADING_CHARS = 200;
/** Between base lines, in heights of letters: more is a gap between paragraphs. */
const PARAGRAPH_GAP = 1.75;

/** The height of most of the letters of these lines; 0 for none. */
export function bodyHeight(lines: readonly PdfLine[]): number {
  const chars = new Map<number, number>();
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2;
    chars.set(rounded, (chars.get(rounded) ?? 0) + text.length);
  }
  let most: readonly [number, number] = [0, 0];
  for (const entry of chars) if (entry[1] > most[1]) most = entry;
  return most[0];
}

/** The lines in the largest letters of the first page, if they are larger than the text. */
export function titleOf(lines: readonly PdfLine[], body: number): string | undefined {
  const largest = lines.reduce((most, line) => (levelOf(line, body) ? Math.max(most, line.height) : most), 0);
  const from = lines.findIndex(({ height }) => height === largest);
  if (largest === 0 || from === -1) return undefined;
  const end = lines.findIndex(({ height }, i) => i > from && height !== largest);
  const title = lines.slice(from, end === -1 ? undefined : end).map(({ text }) => text);
  return title.join(' ').slice(0, MAX_HEADING_CHARS);
}

/**
 * Writes the lines of a page: a heading for those in larger letters, otherwise paragraphs. `body`: the height of most letters of
 * the document.
 */
export function writeLines(lines: readonly PdfLine[], body: number, writer: TextWriter): void {
  let runs: Run[] = [];
  let level: number | undefined;
  let last: PdfLine | undefined;

  const flush = () => {
    const [first] = runs;
    if (level !== undefined) writer.heading(level, runs);
    else if (first && BULLET.test(first.text))
      writer.item(0, [{ ...first, text: first.text.replace(BULLET, '') }, ...runs.slice(1)]);
    else if (first) writer.paragraph(runs);
    runs = [];
  };
  for (const line of withoutPageNumber(lines)) {
    const own = levelOf(line, body);
    if (last === undefined || own !== level || isNewParagraph(last, line)) flush();
    level = own;
    push(runs, line);
    last = line;
  }
  flush();
}

/** Adds a line; a word that was divided at the end of the line before is joined. */
function push(runs: Run[], line: PdfLine): void {
  const at = runs.findLastIndex(({ text }) => text.trim() !== '');
  const before = runs[at];
  if (before !== undefined && isDivided(before.text, line.text))
    runs.splice(at, runs.length - at, { ...before, text: before.text.trimEnd().slice(0, -1) });
  else if (before !== undefined) runs.push({ text: ' ' });
  for (const run of line.runs) runs.push(run);
}

const isDivided = (before: string, after: string): boolean =>
  (/\p{Ll}-\s*$/u.test(before) && /^\p{Ll}/u.test(after)) ||
  (/\p{Lu}{2}-\s*$/u.test(before) && /^\p{Lu}{2}/u.test(after));

const BULLET = /^\s*[•‣◦▪●■]\s*/u;

/** The number of a page stands alone in its first or last line. */
function withoutPageNumber(lines: readonly PdfLine[]): readonly PdfLine[] {
  const isNumber = (line: PdfLine | undefined) =>
    line !== undefined && /^(?:\d{1,4}|[ivxl]{1,7})$/.test(line.text);
  if (isNumber(lines.at(-1))) return lines.slice(0, -1);
  return isNumber(lines[0]) ? lines.slice(1) : lines;
}

/** The dots between a title and its page, in a table of contents. */
const LEADER = /(?:\. ?){4,}/;

function levelOf({ text, height }: PdfLine, body: number): number | undefined {
  if (body === 0 || height < body * HEADING_RATIO || text.length > MAX_HEADING_CHARS) return undefined;
  if (!/\p{L}/u.test(text)) return undefined;
  const ratio = height / body;
  return ratio >= 1.8 ? 1 : ratio >= 1.4 ? 2 : 3;
}

function isNewParagraph(last: PdfLine, next: PdfLine): boolean {
  const gap = last.y - next.y;
  if (LEADER.test(last.text) || BULLET.test(next.text)) return true;
  return gap < 0 || gap > Math.max(last.height, next.height) * PARAGRAPH_GAP;
}
