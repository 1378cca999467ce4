/**
 * Bytes from text in the encodings that are not UTF-8 (Encoding standard, sections 9 to 14), for queries of links. Node
 * only decodes them: the tables are the inverse of its decoders, each made when it is first used.
 */
import { lazy } from '../base/lazy.ts';
import { big5Table } from './big5.ts';
import { eucKrTable } from './euc-kr.ts';

/** The bytes of a character as a number, the first one highest. */
type Table = ReadonlyMap<string, number>;

/** Returns the bytes of one character beyond ASCII, or undefined if the encoding lacks it. */
export type CharacterEncoder = (character: string) => readonly number[] | undefined;

/** Returns the encoder of `charset`, an encoding that keeps no state; undefined for one whose text is encoded as UTF-8. */
export function characterEncoder(charset: string): CharacterEncoder | undefined {
  const multiByte = MULTI_BYTE.get(charset);
  if (multiByte !== undefined) return multiByte;
  const table = SINGLE_BYTE.get(charset);
  return table && ((character) => bytesOf(table().get(character)));
}

/**
 * Returns the two bytes of a character of JIS X 0208, which ISO-2022-JP writes without their high bits (section 12.2.2):
 * narrow katakana become wide ones.
 */
export const jis0208Bytes: CharacterEncoder = (character) => {
  const at = character.charCodeAt(0) - FIRST_NARROW_KATAKANA;
  const wide = at >= 0 && at < WIDE_KATAKANA.length ? WIDE_KATAKANA.charAt(at) : character;
  return bytesOf(EUC_JP().get(wide === MINUS ? WIDE_MINUS : wide));
};

const FIRST_NARROW_KATAKANA = 0xff61;
const NARROW_KATAKANA = 63;
/** Index ISO-2022-JP katakana. */
const WIDE_KATAKANA =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜';
const MINUS = '\u2212';
const WIDE_MINUS = '\uff0d';

function bytesOf(value: number | undefined): readonly number[] | undefined {
  if (value === undefined) return undefined;
  if (value < 0x100) return [value];
  return value < 0x10000 ? [value >> 8, value & 0xff] : fourBytes(value);
}

const fourBytes = (value: number): readonly number[] => [
  value >>> 24,
  (value >> 16) & 0xff,
  (value >> 8) & 0xff,
  value & 0xff,
];

const SINGLE_BYTE: ReadonlyMap<string, () => Table> = new Map(
  [
    ...['ibm866', 'koi8-r', 'koi8-u', 'macintosh', 'windows-874', 'x-mac-cyrillic', 'x-user-defined'],
    ...['iso-8859-2', 'iso-8859-3', 'iso-8859-4', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-8'],
    ...['iso-8859-8-i', 'iso-8859-10', 'iso-8859-13', 'iso-8859-14', 'iso-8859-15', 'iso-8859-16'],
    ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1255'],
    ...['windows-1256', 'windows-1257', 'windows-1258'],
  ].map((charset) => [charset, lazy(() => tableOf(charset, range(0x80, 0xff)))]),
);

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** All pairs of a byte of `leads` and one of `trails`, in order. */
const pairs = (leads: readonly number[], trails: readonly number[]): number[] =>
  leads.flatMap((lead) => trails.map((trail) => (lead << 8) | trail));

/** The characters of byte sequences, by the decoder of `charset`: of several sequences for a character the first one. */
function tableOf(charset: string, sequences: readonly number[]): Table {
  const bytes = sequences.flatMap((value) => [...(bytesOf(value) as number[]), NEWLINE]);
  const characters = new TextDecoder(charset).decode(Uint8Array.from(bytes)).split('\n');
  const table = new Map<string, number>();
  for (const [i, value] of sequences.entries()) {
    const character = characters[i] as string;
    const isOne = character.length === ((character.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
    if (!isOne || character === '\ufffd' || character < '\x80') continue;
    if (!table.has(character)) table.set(character, value);
  }
  return table;
}
const NEWLINE = 0x0a;

const HIGH = range(0xa1, 0xfe);
const EUC_JP = lazy(() => tableOf('euc-jp', pairs(HIGH, HIGH)));
/** Section 5, "index Shift_JIS pointer": without the pointers 8272 to 8835 (NEC's copies of IBM's extensions) and without those of private use. */
const SHIFT_JIS = lazy(() =>
  tableOf(
    'shift_jis',
    pairs([...range(0x81, 0x9f), ...range(0xe0, 0xef), ...range(0xfa, 0xfc)], range(0x40, 0xfc)).filter(
      (value) => value >> 8 !== 0xed && value >> 8 !== 0xee,
    ),
  ),
);
const GBK = lazy(() => tableOf('gb18030', pairs(range(0x81, 0xfe), range(0x40, 0xfe))));
/** The sequences of four bytes for characters below U+10000. */
const GB18030_RANGES = lazy(() =>
  tableOf(
    'gb18030',
    range(0, FOUR_BYTE_POINTERS - 1).map((pointer) => fourByteValue(pointer)),
  ),
);
const FOUR_BYTE_POINTERS = 39_420;
/** The pointer of U+10000 (section 5, "index gb18030 ranges pointer"). */
const FIRST_SUPPLEMENTARY = 189_000;

const fourByteValue = (pointer: number): number =>
  ((0x81 + Math.floor(pointer / 12_600)) * 0x1000000 +
    ((0x30 + (Math.floor(pointer / 1260) % 10)) << 16) +
    ((0x81 + (Math.floor(pointer / 10) % 126)) << 8) +
    0x30 +
    (pointer % 10)) >>>
  0;

function gb18030(character: string): readonly number[] | undefined {
  const code = character.codePointAt(0) as number;
  // The index has it, but its encoder refuses it (section 10.2.2).
  if (code === 0xe5e5) return undefined;
  if (code > 0xffff) return fourBytes(fourByteValue(FIRST_SUPPLEMENTARY + code - 0x10000));
  return bytesOf(GBK().get(character) ?? GB18030_RANGES().get(character));
}

function gbk(character: string): readonly number[] | undefined {
  if (character === '€') return [0x80];
  return character === '\ue5e5' ? undefined : bytesOf(GBK().get(character));
}

/** Sections 12.1.2 and 12.3.2. `katakana`: the bytes of a narrow one. */
function japanese(table: () => Table, katakana: (at: number) => readonly number[]): CharacterEncoder {
  return (character) => {
    if (character === '¥') return [0x5c];
    if (character === '‾') return [0x7e];
    const at = character.charCodeAt(0) - FIRST_NARROW_KATAKANA;
    if (at >= 0 && at < NARROW_KATAKANA) return katakana(at);
    return bytesOf(table().get(character === MINUS ? WIDE_MINUS : character));
  };
}

const eucJp = japanese(EUC_JP, (at) => [0x8e, at + 0xa1]);
const shiftJis = japanese(SHIFT_JIS, (at) => [at + 0xa1]);

const MULTI_BYTE: ReadonlyMap<string, CharacterEncoder> = new Map<string, CharacterEncoder>([
  ['big5', (character) => bytesOf(big5Table().get(character))],
  ['euc-kr', (character) => bytesOf(eucKrTable().get(character))],
  ['euc-jp', eucJp],
  // U+0080 is itself there.
  ['shift_jis', (character) => (character === '\x80' ? [0x80] : shiftJis(character))],
  ['gbk', gbk],
  ['gb18030', gb18030],
]);
