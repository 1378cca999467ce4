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

/** Whether the tag's name `text[from..end)` is one of {@link INLINE}, in any case. Makes no text of it. */
export function isInlineName(text: string, from: number, end: number): boolean {
  if (end - from > MAX_LENGTH) return false;
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
