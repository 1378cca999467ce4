/** Text and addresses as Markdown that says the same: CommonMark 0.31, GFM, and the formulas of GitHub and pandoc. */

/**
 * Escapes characters that would be marks within a line. `$` before a digit is a price and opens no formula that could
 * end: a `$` that closes one stands before no digit. Where a line has a formula, `hasFormula` escapes it, too.
 */
export function escapeMarkdown(text: string, hasFormula = false): string {
  // A set of ASCII alone is searched for many characters at once, and most texts have none.
  if (!/[\\`*_[\]<~&$]/.test(text)) return text;
  const escaped = text.replace(/[\\`*_[\]<~]|&(?=#?\w{1,40};)|\$(?!\d)/g, '\\$&');
  return hasFormula ? escaped.replace(/\$(?=\d)/g, '\\$&') : escaped;
}

/**
 * Escapes characters that would begin another block at the start of a line: headings, quotes, lists, rules; the row of
 * dashes below the heads of a table; pandoc's definitions and line blocks.
 */
export const escapeLineStart = (line: string): string =>
  /^[^#>+=|:\d-]/.test(line)
    ? line
    : line
        .replace(/^(?:[#>+-]|=+$|[|:](?=[|:\s-]*$|\s))/, '\\$&')
        .replace(/^(\d{1,9})([.)])(?= |$)/, '$1\\$2');

/** Number signs at the end of a heading would close it. */
export const escapeHeadingEnd = (heading: string): string => heading.replace(/(?<!\S)(#+)$/, '\\$1');

/** `[^` would begin a note (pandoc), and GitHub takes `![^` for text. */
export const escapeNoteMark = (label: string): string => (label.startsWith('^') ? `\\${label}` : label);

/**
 * An absolute URL as the destination of a link (CommonMark, "Links"): between `<` and `>` if it has brackets or blanks.
 * Percent-encoding them instead would make another URL (URL standard: `(` and `%28` are not equal).
 */
export function linkDestination(url: string): string {
  // A backslash before `&` is none for some readers.
  const escaped = url.replace(/[\\<>]/g, '\\$&').replace(/&(?=#?\w{1,40};)/g, '&amp;');
  return /[()\s<>]/.test(url) || url === '' ? `<${escaped}>` : escaped;
}
