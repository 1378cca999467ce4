/**
 * Elements that begin a line of their own: those that browsers show as blocks, list items and parts of tables (HTML standard,
 * sections 15.3.2 to 15.3.12), and `br`. All others stand within a line: custom elements, formulas, `output`. A `title`
 * is apart from the page's text, a `button` is a box of its own.
 */
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ' +
    'ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead title tr ul xmp'
  ).split(' '),
);

const PLACES = 256;
/** Hashes of the names, each in the first free slot from its low bits on. */
const HASHES = new Int32Array(PLACES);
/** By first letter: a bit for each length that names of {@link BLOCKS} with that letter have. */
const LENGTHS = new Uint16Array(256);
for (const name of BLOCKS) {
  const hash = hashOf(name, 0, name.length);
  let place = hash % PLACES;
  while (HASHES[place] !== 0) place = (place + 1) % PLACES;
  HASHES[place] = hash;
  LENGTHS[name.charCodeAt(0)] = (LENGTHS[name.charCodeAt(0)] as number) | (1 << name.length);
}

/** The longest name. */
const MAX_LENGTH = 10;

/**
 * Whether the tag's name `text[from..end)` is one of {@link BLOCKS}, in any case. Makes no text of it. A name of no standard
 * may have the hash of another one: it is then a block, too.
 */
export function isBlockName(text: string, from: number, end: number): boolean {
  const length = end - from;
  // Decides for most tags: no name begins like `a` or `span`, and a name of one letter is complete.
  const lengths = LENGTHS[(text.charCodeAt(from) | 0x20) & 0xff] as number;
  if (length > MAX_LENGTH || ((lengths >>> length) & 1) === 0) return false;
  if (length === 1) return true;
  const hash = hashOf(text, from, end);
  for (let place = hash % PLACES; ; place = (place + 1) % PLACES) {
    const found = HASHES[place];
    if (found === hash) return true;
    if (found === 0) return false;
  }
}

/** 31 bits. */
function hashOf(text: string, from: number, end: number): number {
  let hash = 7;
  for (let at = from; at < end; at++)
    hash = (Math.imul(hash, 0x01000193) ^ (text.charCodeAt(at) | 0x20)) & 0x7fffffff;
  return hash;
}
