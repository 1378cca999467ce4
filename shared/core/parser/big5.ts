/** Big5 as the Encoding standard has it (section 12.1): with the characters of Hong Kong and of ETEN, which Node's decoder lacks. */
import { lazy } from '../base/lazy.ts';
import { BIG5_ADDED } from './big5-added.ts';

const ROW = 157;
const FIRST_LEAD = 0x81;
const LAST = 0xfe;
/** Leads of the characters that are encoded: the others are decoded alone (section 5, "index Big5 pointer"). */
const FIRST_ENCODED = 0xa1;

/** Four pointers stand for a letter and an accent. */
const TWO_CHARACTERS: ReadonlyMap<number, string> = new Map([
  [1133, '\u00ca\u0304'],
  [1135, '\u00ca\u030c'],
  [1164, '\u00ea\u0304'],
  [1166, '\u00ea\u030c'],
]);

const isTrail = (byte: number): boolean => (byte >= 0x40 && byte <= 0x7e) || (byte >= 0xa1 && byte <= LAST);
const pointerOf = (lead: number, trail: number): number =>
  (lead - FIRST_LEAD) * ROW + trail - (trail < 0x7f ? 0x40 : 0x62);

const TRAILS: readonly number[] = Array.from({ length: LAST + 1 }, (_, byte) => byte).filter(isTrail);

/** Index Big5: code points by pointer, 0 where there is none. */
const big5Index = lazy((): Uint32Array => {
  const index = new Uint32Array((LAST - FIRST_LEAD + 1) * ROW);
  const decoder = new TextDecoder('big5');
  for (let lead = FIRST_ENCODED; lead <= LAST; lead++)
    for (const trail of TRAILS) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      const isOwn = character.length === 1 && !/[\ue000-\uf8ff\ufffd]/.test(character);
      if (isOwn) index[pointerOf(lead, trail)] = character.charCodeAt(0);
    }
  for (const [first, characters] of BIG5_ADDED)
    for (const [i, character] of [...characters].entries()) index[first + i] = character.codePointAt(0)!;
  return index;
});

/** The last pointer of these characters counts, and the first one of others. */
const LAST_COUNTS = '═╞╡╪十卅';

/** Bytes by character. */
export const big5Table = lazy((): ReadonlyMap<string, number> => {
  const table = new Map<string, number>();
  const index = big5Index();
  for (let lead = FIRST_ENCODED; lead <= LAST; lead++)
    for (const trail of TRAILS) {
      const code = index[pointerOf(lead, trail)]!;
      const character = String.fromCodePoint(code);
      if (code !== 0 && (!table.has(character) || LAST_COUNTS.includes(character)))
        table.set(character, (lead << 8) + trail);
    }
  return table;
});

/** Section 12.1.1. */
export function createBig5Decoder() {
  const index = big5Index();
  let lead = 0;
  return {
    decode(bytes: Uint8Array): string {
      const units = new Uint16Array(2 * bytes.length);
      let length = 0;
      const write = (text: string) => {
        for (let i = 0; i < text.length; i++) units[length++] = text.charCodeAt(i);
      };
      for (const byte of bytes) {
        if (lead !== 0) {
          const pointer = isTrail(byte) ? pointerOf(lead, byte) : -1;
          const code = index[pointer] ?? 0;
          const two = TWO_CHARACTERS.get(pointer);
          lead = 0;
          if (two !== undefined) write(two);
          else if (code > 0xffff) write(String.fromCodePoint(code));
          else units[length++] = code === 0 ? 0xfffd : code;
          // An ASCII character is not a part of the fault.
          if (two !== undefined || code !== 0 || byte >= 0x80) continue;
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
