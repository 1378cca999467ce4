/** 32 bits of a document's text that do not change with its white space, dates, counters and addresses, and of its images' names. */
export interface TextHash {
  /** Takes in `text.slice(from, to)`. How a text is cut into pieces makes no difference. */
  add(text: string, from: number, to: number): void;
  /** A tag ends the run of text. */
  endRun(): void;
  /** Takes in a name, with its digits. */
  addName(name: string): void;
  /** Unsigned. */
  value(): number;
}

/**
 * FNV-1a over UTF-16 code units, mixed at the end as murmur3 does. White space (also no-break spaces) counts as one space,
 * none at the beginning and end; a run of digits as one `0`. An address counts for nothing: a `/` and all ASCII up to white
 * space or the end of the run. A page that names its own path or those of its links has no other text for it.
 * Measured: 2.5 ns a character of prose.
 */
export function createTextHash(): TextHash {
  let hash = FNV_OFFSET;
  let before = NOTHING;
  return {
    add(text, from, to) {
      // In locals, which stay in registers: half the time.
      let state = hash;
      let last = before;
      for (let at = from; at < to; at++) {
        const code = text.charCodeAt(at);
        if (code <= NINE || code === NO_BREAK_SPACE) {
          if (code <= SPACE || code === NO_BREAK_SPACE) {
            if (last !== NOTHING) last = GAP;
            continue;
          }
          if (last === ADDRESS) continue;
          if (code >= SLASH) {
            if (code === SLASH) {
              last = ADDRESS;
              continue;
            }
            if (last === DIGIT) continue;
            if (last === GAP) state = Math.imul(state ^ SPACE, FNV_PRIME);
            state = Math.imul(state ^ ZERO, FNV_PRIME);
            last = DIGIT;
            continue;
          }
        } else if (last === ADDRESS && code <= LAST_ASCII) continue;
        if (last === GAP) state = Math.imul(state ^ SPACE, FNV_PRIME);
        state = Math.imul(state ^ code, FNV_PRIME);
        last = OTHER;
      }
      hash = state;
      before = last;
    },
    endRun() {
      if (before === ADDRESS) before = OTHER;
    },
    addName(name) {
      for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
      if (name !== '') before = OTHER;
    },
    value() {
      let mixed = hash ^ (hash >>> 16);
      mixed = Math.imul(mixed, 0x85ebca6b);
      mixed ^= mixed >>> 13;
      mixed = Math.imul(mixed, 0xc2b2ae35);
      return (mixed ^ (mixed >>> 16)) >>> 0;
    },
  };
}

/** What came last: nothing yet, white space that counts once something follows, a digit, an address, another character. */
const NOTHING = 0;
const GAP = 1;
const DIGIT = 2;
const OTHER = 3;
const ADDRESS = 4;
const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const SPACE = 0x20;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const LAST_ASCII = 0x7f;
const NO_BREAK_SPACE = 0xa0;
