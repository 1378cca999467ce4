/** Elements within a line; all others begin one of their own (HTML standard, section 15.3). */
export const INLINE: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt ruby s samp slot ' +
    'small span strike strong sub sup time tt u var wbr picture source'
  ).split(' '),
);

const PLACES = 256;
/** Hashes of the names, each in the first free place from its low bits on. */
const HASHES = new Int32Array(PLACES);
for (const name of INLINE) {
  const hash = hashOf(name, 0, name.length);
  let place = hash % PLACES;
  while (HASHES[place] !== 0) place = (place + 1) % PLACES;
  HASHES[place] = hash;
}

/** The longest name. */
const MAX_LENGTH = 7;
/** By first letter: a bit for each length that names of {@link INLINE} with that letter have. */
const LENGTHS = new Uint8Array(256);
for (const name of INLINE)
  LENGTHS[name.charCodeAt(0)] = (LENGTHS[name.charCodeAt(0)] as number) | (1 << name.length);

/** Whether the tag's name `text[from..end)` is one of {@link INLINE}, in any case. Makes no text of it. */
export function isInlineName(text: string, from: number, end: number): boolean {
  const length = end - from;
  // Most tags are known by that: of `p`, `li` and `h2` there is no such name, and one letter is the whole name.
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

/** 31 bits. No two names of elements in HTML, SVG and MathML of up to seven letters share one. */
function hashOf(text: string, from: number, end: number): number {
  let hash = 7;
  for (let at = from; at < end; at++)
    hash = (Math.imul(hash, 0x01000193) ^ (text.charCodeAt(at) | 0x20)) & 0x7fffffff;
  return hash;
}
