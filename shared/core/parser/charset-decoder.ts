/**
 * The encodings by name, and text from bytes. Node's TextDecoder knows all of the Encoding standard but one, and EUC-KR and
 * Big5 in part.
 */
import { trimAsciiSpace } from './ascii-space.ts';
import { createBig5Decoder } from './big5.ts';
import { createEucKrDecoder } from './euc-kr.ts';

/**
 * The Encoding standard's name for a label ("latin1" -> "windows-1252"), or undefined for a label it does not
 * know.
 */
export function charsetOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  // Nearly all pages say this, and making a decoder takes 2 us.
  if (label === 'utf-8' || label === 'UTF-8') return 'utf-8';
  const name = trimAsciiSpace(label).toLowerCase();
  if (REPLACED.has(name)) return 'replacement';
  return encodingOf(name) ?? encodingOf(plainLabel(name));
}

function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/**
 * The label of the standard for one that browsers do not know and that can mean nothing else: `cp936`, `win-1251`, `euckr`,
 * `8859-2`, `SJIS-win`.
 */
function plainLabel(label: string): string | undefined {
  if (!/^[\w .:-]+$/.test(label)) return undefined;
  const letters = label
    .slice(0, MAX_LABEL_CHARS)
    .replace(/[^a-z\d]/g, '')
    .replace(/^x/, '');
  const iso = /^(?:iso)?8859(\d{1,2})$/.exec(letters)?.[1];
  if (iso !== undefined) return `iso-8859-${iso}`;
  const page = /^(?:windows|win|mswin|cp|ms|mscp|ansi)?(\d{3,5})$/.exec(letters)?.[1];
  if (page !== undefined) return /^125\d$/.test(page) ? `windows-${page}` : CODE_PAGES.get(page);
  return OTHER_LABELS.get(letters);
}

const MAX_LABEL_CHARS = 40;
/** Code pages of Windows. */
const CODE_PAGES: ReadonlyMap<string, string> = new Map([
  ['866', 'ibm866'],
  ['874', 'windows-874'],
  ['932', 'shift_jis'],
  ['936', 'gbk'],
  ['949', 'euc-kr'],
  ['950', 'big5'],
  ['20866', 'koi8-r'],
  ['21866', 'koi8-u'],
  ['50220', 'iso-2022-jp'],
  ['51932', 'euc-jp'],
  ['51949', 'euc-kr'],
  ['54936', 'gb18030'],
  ['65001', 'utf-8'],
]);
/** Their letters and digits alone, without a first `x`. */
const OTHER_LABELS: ReadonlyMap<string, string> = new Map([
  ['big5', 'big5'],
  ['big5eten', 'big5'],
  ['big5hkscs', 'big5'],
  ['eucjp', 'euc-jp'],
  ['eucjpms', 'euc-jp'],
  ['eucjpwin', 'euc-jp'],
  ['euccn', 'gbk'],
  ['gb2312', 'gbk'],
  ['gb231280', 'gbk'],
  ['gbk', 'gbk'],
  ['gb18030', 'gb18030'],
  ['euckr', 'euc-kr'],
  ['ksc5601', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['koi8r', 'koi8-r'],
  ['koi8u', 'koi8-u'],
  ['shiftjis', 'shift_jis'],
  ['sjis', 'shift_jis'],
  ['sjiswin', 'shift_jis'],
  ['utf8', 'utf-8'],
  ['utf8mb4', 'utf-8'],
]);

/**
 * Encodings that were used to attack, and decode to one U+FFFD (Encoding standard, section 4.3); Node knows
 * none.
 */
const REPLACED = new Set([
  'replacement',
  'csiso2022kr',
  'hz-gb-2312',
  'iso-2022-cn',
  'iso-2022-cn-ext',
  'iso-2022-kr',
]);

/**
 * Turns a document's bytes to text as they arrive. Malformed bytes become U+FFFD; a byte order mark is left
 * out.
 */
export interface CharsetDecoder {
  decode(bytes: Uint8Array): string;
  /** The text of the bytes held back: an incomplete character. */
  end(): string;
}

/** Decodes `charset`, a name that {@link charsetOf} gave. */
export function createCharsetDecoder(charset: string): CharsetDecoder {
  if (charset === 'replacement') return createReplacementDecoder();
  if (charset === 'euc-kr') return createEucKrDecoder();
  if (charset === 'big5') return createBig5Decoder();
  const decoder = new TextDecoder(charset);
  if (THROWING.has(charset)) return inLargerPieces(decoder);
  return {
    decode: (bytes) => decoder.decode(bytes, { stream: true }),
    end: () => decoder.decode(),
  };
}

export function decodeAll(bytes: Uint8Array, charset: string): string {
  const decoder = createCharsetDecoder(charset);
  return decoder.decode(bytes) + decoder.end();
}

/**
 * For these encodings, Node's decoder throws if a piece of one or two bytes shows those before it to be
 * malformed: the text of all does not fit into the buffer that Node has allocated (Node 24.21).
 */
const THROWING = new Set(['gb18030', 'gbk', 'euc-jp', 'shift_jis', 'iso-2022-jp']);

const LEAST_PIECE_BYTES = 8;

/** Gives the decoder no smaller piece but where that is all: the last bytes wait for those that follow. */
function inLargerPieces(decoder: InstanceType<typeof TextDecoder>): CharsetDecoder {
  let held: Uint8Array = new Uint8Array(0);
  return {
    decode(bytes) {
      const all = Buffer.concat([held, bytes]);
      const end = all.length < 2 * LEAST_PIECE_BYTES ? 0 : all.length - LEAST_PIECE_BYTES;
      held = all.subarray(end);
      return end === 0 ? '' : decoder.decode(all.subarray(0, end), { stream: true });
    },
    end: () => decoder.decode(held),
  };
}

function createReplacementDecoder(): CharsetDecoder {
  let isEmpty = true;
  return {
    decode(bytes) {
      if (!isEmpty || bytes.length === 0) return '';
      isEmpty = false;
      return '\ufffd';
    },
    end: () => '',
  };
}
