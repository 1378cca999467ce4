/**
 * Text that is safe in a message and on a terminal: names and causes come from the web, which may send
 * anything.
 */

/**
 * A character that a terminal obeys, or by which texts look like others: control characters, line and paragraph separators, marks,
 * embeddings and isolates of direction, zero-width spaces, tags. Joiners stay: scripts and emoji need them. For `RegExp` with the
 * flag `g`.
 */
export const INVISIBLE = String.raw`[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]`;
// linear: one character, or two.
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'g');

/**
 * The text on one line, with U+FFFD for each {@link INVISIBLE} character. Names and causes come from the web, which may send escape
 * sequences.
 */
export const printable = (text: string): string => text.replace(ALL_INVISIBLE, '\ufffd');

/** As above, for a text of several lines: line breaks and tabs stay. */
export const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, printable);

/** The text, cut to `length` characters with a trailing `...` if it was longer. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 3))}...`;
}

/** Returns a received text for a message: in quotes, printable, 200 characters at most. */
export function quoted(text: string): string {
  return `"${shorten(printable(text), 200)}"`;
}
