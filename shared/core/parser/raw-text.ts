/** Elements whose content is always text, and the tag that ends it. `plaintext` has no end. */
export const RAW_TEXT_END: ReadonlyMap<string, RegExp> = new Map(
  ['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    name,
    // linear: a fixed text and one character.
    new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi'),
  ]),
).set('plaintext', /(?!)/g);

/** The index of the end tag that closes the raw text, or -1. */
export function endOfRawText(text: string, from: number, name: string): number {
  if (name === 'script') return endOfScript(text, from);
  const pattern = RAW_TEXT_END.get(name)!;
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

/**
 * A script that holds `<!--` and then `<script>` continues behind the next `</script>` (section 13.2.5.15 to
 * .31): the "script data double escaped state", made for scripts that were hidden from old browsers in a
 * comment.
 */
function endOfScript(text: string, from: number): number {
  let state: 'data' | 'escaped' | 'doubleEscaped' = 'data';
  SCRIPT_MARK.lastIndex = from;
  for (let mark = SCRIPT_MARK.exec(text); mark !== null; mark = SCRIPT_MARK.exec(text)) {
    const found = mark[0];
    if (found === '<!--') {
      if (state === 'data') state = 'escaped';
      // Its dashes count for `-->` too.
      SCRIPT_MARK.lastIndex = mark.index + 2;
    } else if (found === '-->') {
      state = 'data';
    } else if (found[1] === '/') {
      if (state !== 'doubleEscaped') return mark.index;
      state = 'escaped';
    } else if (state === 'escaped') {
      state = 'doubleEscaped';
    }
  }
  return -1;
}
const SCRIPT_MARK = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;
