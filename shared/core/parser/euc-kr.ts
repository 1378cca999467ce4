/**
 * EUC-KR as the Encoding standard has it (section 13): with the 8,822 syllables of Windows' code page 949, which Node's
 * decoder lacks.
 */
import { lazy } from '../base/lazy.ts';

const ROW = 190;
const FIRST_LEAD = 0x81;
const FIRST_TRAIL = 0x41;
const LAST = 0xfe;
/** Rows and columns of KS X 1001. */
const FIRST_HIGH = 0xa1;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

/** Index EUC-KR: code units by pointer, 0 where there is none. */
const eucKrIndex = lazy((): Uint16Array => {
  const index = new Uint16Array((LAST - FIRST_LEAD + 1) * ROW);
  const decoder = new TextDecoder('euc-kr');
  const syllables = new Set<number>();
  for (let lead = FIRST_HIGH; lead <= LAST; lead++) {
    for (let trail = FIRST_HIGH; trail <= LAST; trail++) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      const code = character.charCodeAt(0);
      if (character.length !== 1 || code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff)) continue;
      index[pointerOf(lead, trail)] = code;
      syllables.add(code);
    }
  }
  index[pointerOf(0xa2, 0xe6)] = 0x20ac;
  index[pointerOf(0xa2, 0xe7)] = 0xae;
  // All other syllables, in order, in the rest of the rows.
  let code = FIRST_SYLLABLE;
  for (let lead = FIRST_LEAD; ; lead++) {
    for (const trail of lead < FIRST_HIGH ? TRAILS : NARROW_TRAILS) {
      while (syllables.has(code)) code++;
      if (code > LAST_SYLLABLE) return index;
      index[pointerOf(lead, trail)] = code++;
    }
  }
});

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const NARROW_TRAILS = [...range(0x41, 0x5a), ...range(0x61, 0x7a), ...range(0x81, 0xa0)];
const TRAILS = [...NARROW_TRAILS, ...range(FIRST_HIGH, LAST)];

const pointerOf = (lead: number, trail: number): number => (lead - FIRST_LEAD) * ROW + trail - FIRST_TRAIL;

/** Bytes by character. */
export const eucKrTable = lazy((): ReadonlyMap<string, number> => {
  const table = new Map<string, number>();
  for (const [pointer, code] of eucKrIndex().entries()) {
    const character = String.fromCharCode(code);
    const lead = FIRST_LEAD + Math.floor(pointer / ROW);
    if (code !== 0 && !table.has(character))
      table.set(character, (lead << 8) + FIRST_TRAIL + (pointer % ROW));
  }
  return table;
});

/** Section 13.2.1. */
export function createEucKrDecoder() {
  const index = eucKrIndex();
  let lead = 0;
  return {
    decode(bytes: Uint8Array): string {
      const units = new Uint16Array(2 * bytes.length);
      let length = 0;
      for (const byte of bytes) {
        if (lead !== 0) {
          const code = byte >= FIRST_TRAIL && byte <= LAST ? (index[pointerOf(lead, byte)] as number) : 0;
          lead = 0;
          units[length++] = code === 0 ? 0xfffd : code;
          // An ASCII character is not a part of the fault.
          if (code !== 0 || byte >= 0x80) continue;
        }
        if (byte < 0x80) units[length++] = byte;
        else if (byte >= FIRST_LEAD && byte <= LAST) lead = byte;
        else units[length++] = 0xfffd;
      }
      return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
    },
    end(): string {
      const isCut = lead !== 0;
      lead = 0;
      return isCut ? '\ufffd' : '';
    },
  };
}
