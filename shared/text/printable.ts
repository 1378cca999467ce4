/**
 * Text that is safe in a message and on a terminal: names and causes come from the web, which may send
 * anything.
 */

/**
 * The text on one line, with nothing in it that a terminal obeys: control characters and bidirectional
 * overrides become U+FFFD. Names and causes come from the web, which may send escape sequences.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** The same for a text of many lines: its line breaks and tabs stay. */
export const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, printable);

/** The text, cut to `length` characters with a trailing `...` if it was longer. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 3))}...`;
}

/** Returns a received text for a message: in quotes, printable, 200 characters at most. */
export function quoted(text: string): string {
  return `"${shorten(printable(text), 200)}"`;
}
