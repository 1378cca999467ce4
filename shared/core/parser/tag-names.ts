/**
 * The names of elements, each as one string: a name that is cut out of a document is a new string, which must
 * be hashed and compared letter by letter wherever it is looked up.
 */
const KNOWN: readonly string[] = (
  'a abbr address article aside audio b base blockquote body br button caption cite code col colgroup dd del details ' +
  'dialog div dl dt em fieldset figcaption figure footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img ' +
  'input ins kbd label legend li link main mark menu meta nav noscript object ol optgroup option p param path picture ' +
  'pre q rect s samp script section select small source span strong style sub summary sup svg table tbody td template ' +
  'textarea tfoot th thead time title tr u ul use var video wbr'
).split(' ');

const PLACES = 512;
/** Each name in the first free slot from its hash on. */
const TABLE: (string | undefined)[] = new Array<string | undefined>(PLACES).fill(undefined);
for (const name of KNOWN) {
  let place = hashOf(name, 0, name.length);
  while (TABLE[place] !== undefined) place = (place + 1) % PLACES;
  TABLE[place] = name;
}
const MAX_LENGTH = Math.max(...KNOWN.map((name) => name.length));

/** Returns the name between two places of a document in lower case. */
export function tagNameAt(html: string, from: number, end: number): string {
  if (end - from <= MAX_LENGTH) {
    let place = hashOf(html, from, end);
    for (let name = TABLE[place]; name !== undefined; name = TABLE[place]) {
      if (name.length === end - from && isNameAt(name, html, from)) return name;
      place = (place + 1) % PLACES;
    }
  }
  return html.slice(from, end).toLowerCase();
}

/** Whether the letters from an index of a document on are those of a name in lower case. */
export function isNameAt(name: string, html: string, from: number): boolean {
  for (let i = 0; i < name.length; i++)
    if (name.charCodeAt(i) !== lower(html.charCodeAt(from + i))) return false;
  return true;
}

function hashOf(text: string, from: number, end: number): number {
  let hash = 0;
  for (let i = from; i < end; i++) hash = (Math.imul(hash, 37) + lower(text.charCodeAt(i))) | 0;
  return (hash ^ (hash >>> 9)) & (PLACES - 1);
}

function lower(c: number): number {
  if (c >= 0x80) return lowerBeyondAscii(c);
  return c >= 0x41 && c <= 0x5a ? c | 0x20 : c;
}

/** A letter that becomes two stays as it is. */
function lowerBeyondAscii(c: number): number {
  const letters = String.fromCharCode(c).toLowerCase();
  return letters.length === 1 ? letters.charCodeAt(0) : c;
}
