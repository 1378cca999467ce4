/** Text of pages in the answers of tools: marked as data, cut to size. */
import { randomBytes } from 'node:crypto';
import { withoutInvisible } from '../../shared/core/text/invisible-characters.ts';

/** Bytes of the texts of a page in an answer, as JSON: the rest is for what is said about the page. */
const MAX_TEXT_BYTES = 56 * 1024;

/** Marks texts of pages in one answer. */
export interface Marks {
  /** In the tags around each text. No page knows it, and no page's text has such a tag. */
  readonly id: string;
  mark(text: string): string;
}

export function createMarks(id = randomBytes(8).toString('hex')): Marks {
  const tag = `untrusted-${id}`;
  return { id, mark: (text) => `<${tag}>${text}</${tag}>` };
}

/** The text without what nobody sees, and without tags like those of {@link Marks}. */
export const pageText = (text: string): string =>
  withoutInvisible(text).replace(/<(?=[\s/]{0,9}untrusted-)/gi, '&lt;');

/** On one line, cut to a number of characters. */
export function pageLine(text: string, most: number): string {
  const line = pageText(text.slice(0, 4 * most))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= most ? line : `${line.slice(0, endAt(line, 0, most - 3))}...`;
}

export interface Piece {
  readonly text: string;
  /** Where the next piece begins; none behind the last one. */
  readonly next?: number;
}

/** A piece of the text from `start` on: at most `maxChars` characters (UTF-16 units), fewer if they take too many bytes. */
export function pieceOf(text: string, start: number, maxChars: number): Piece {
  const from = endAt(text, 0, Math.min(start, text.length));
  let end = endAt(text, from, Math.min(text.length, from + maxChars));
  for (
    let bytes = bytesOf(text.slice(from, end));
    bytes > MAX_TEXT_BYTES;
    bytes = bytesOf(text.slice(from, end))
  )
    end = endAt(text, from, from + Math.floor(((end - from) * MAX_TEXT_BYTES) / bytes));
  return { text: text.slice(from, end), ...(end < text.length && { next: end }) };
}

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** `end`, or one less if it would part a pair of surrogates; never the same as `from`. */
function endAt(text: string, from: number, end: number): number {
  const isWithin = /[\udc00-\udfff]/.test(text[end] ?? '') && /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  if (!isWithin) return end;
  return end - 1 > from ? end - 1 : end + 1;
}

/** As many of the values as fit into an answer as JSON. */
export function fitting<T>(values: readonly T[], most = MAX_TEXT_BYTES): readonly T[] {
  let bytes = 0;
  for (const [i, value] of values.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(value)) + 1;
    if (bytes > most) return values.slice(0, i);
  }
  return values;
}
