/** Attributes of a tag by lower-case name; of a repeated one, the first. Character references are not yet decoded. */
export type RawAttributes = ReadonlyMap<string, string>;

/** Further ones are not kept. No element has so many; a tag made of names only would take a hundred times its size. */
const MAX_ATTRIBUTES = 256;

/**
 * Reads the attributes of a tag from just behind its name (HTML standard, sections 13.2.5.32 to 13.2.5.40).
 * Returns the index behind the tag's `>`, or -1 if the text ends before. Without `into` it only finds that end: a `>`
 * inside a quoted value is not one.
 */
export function readAttributes(text: string, from: number, into?: Map<string, string>): number {
  let at = from;
  for (;;) {
    let code = text.charCodeAt(at);
    while (isSpace(code) || code === SLASH) code = text.charCodeAt(++at);
    if (code === GREATER) return at + 1;
    if (at >= text.length) return -1;

    // A `=` in front is part of the name, so the name's first character is taken unseen.
    const nameStart = at;
    do code = text.charCodeAt(++at);
    while (!isSpace(code) && code !== SLASH && code !== GREATER && code !== EQUALS && at < text.length);
    const nameEnd = at;

    while (isSpace(code)) code = text.charCodeAt(++at);
    let valueStart = at;
    let valueEnd = at;
    if (code === EQUALS) {
      do code = text.charCodeAt(++at);
      while (isSpace(code));
      valueStart = at;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        valueStart++;
        valueEnd = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", valueStart);
        if (valueEnd === -1) return -1;
        at = valueEnd + 1;
      } else {
        while (!isSpace(code) && code !== GREATER && at < text.length) code = text.charCodeAt(++at);
        valueEnd = at;
      }
    }
    if (into === undefined) continue;
    const name = text.slice(nameStart, nameEnd).toLowerCase();
    if (into.size < MAX_ATTRIBUTES && !into.has(name)) into.set(name, text.slice(valueStart, valueEnd));
  }
}

/**
 * Whether the tag between `nameEnd` and `end` (as {@link readAttributes} gave it) ends in `/>`. A slash that belongs to
 * an unquoted value, as in `<a href=/x/>`, does not count.
 */
export function isSelfClosing(text: string, nameEnd: number, end: number): boolean {
  if (text.charCodeAt(end - 2) !== SLASH) return false;
  return !/=[\t\n\f\r ]*[^\t\n\f\r "'>]+\/>$/.test(text.slice(nameEnd, end));
}

/** The white space of HTML: tab, line feed, form feed, carriage return, space. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
