/**
 * Returns Markdown without the comments that no reader of the rendered page sees: those of HTML, and reference definitions that
 * nothing refers to (`[//]: # (text)`). Linear.
 */
export function withoutComments(markdown: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < markdown.length; ) {
    const begin = markdown.indexOf('<!--', at);
    pieces.push(markdown.slice(at, begin < 0 ? markdown.length : begin));
    const end = begin < 0 ? -1 : markdown.indexOf('-->', begin + 4);
    // A comment that is not closed hides the rest, as in browsers.
    at = end < 0 ? markdown.length : end + 3;
  }
  return pieces
    .join('')
    .split('\n')
    .filter((line) => !DEFINITION.test(line))
    .join('\n');
}

const DEFINITION = /^ {0,3}\[(?:\/\/|comment|_|#)\]: ?(?:#|<>)/i;
