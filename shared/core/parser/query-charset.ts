/**
 * The encoding of queries: browsers encode a link's query in the encoding of its document, and all else of it in UTF-8
 * (URL standard, section 4.4, "query state").
 */
import { type CharacterEncoder, characterEncoder, jis0208Bytes } from './charset-encoder.ts';
import { type ResolveReference, resolveReference } from './link-set.ts';

/**
 * Returns `reference` with its query percent-encoded in `charset` where that is beyond ASCII (section 1.3,
 * "percent-encode after encoding"): a character that the encoding lacks becomes `%26%23NNN%3B`. The URL parser does the
 * rest. Nothing changes for UTF-8, UTF-16 and `replacement`.
 */
export function encodeQuery(reference: string, charset: string | undefined): string {
  if (charset === undefined || charset === 'utf-8') return reference;
  const mark = reference.indexOf('?');
  const hash = reference.indexOf('#');
  const end = hash < 0 ? reference.length : hash;
  if (mark < 0 || mark > end) return reference;
  const query = reference.slice(mark, end);
  if (!BEYOND_ASCII.test(query)) return reference;
  const encoded =
    charset === 'iso-2022-jp' ? encodeIso2022Jp(query) : encodeBy(characterEncoder(charset), query);
  return encoded === undefined ? reference : reference.slice(0, mark) + encoded + reference.slice(end);
}

/** Resolves the references of a document in `charset`. */
export const resolverIn = (
  charset: string,
  resolve: ResolveReference = resolveReference,
): ResolveReference =>
  charset === 'utf-8' ? resolve : (reference, base) => resolve(encodeQuery(reference, charset), base);

const BEYOND_ASCII = /[\x80-\uffff]/;
const ALL_BEYOND_ASCII = /[\x80-\u{10ffff}]/gu;

function encodeBy(encode: CharacterEncoder | undefined, query: string): string | undefined {
  return (
    encode && query.replace(ALL_BEYOND_ASCII, (character) => escaped(encode(character)) ?? lacking(character))
  );
}

/**
 * Section 12.2.2: an escape sequence leads to another set of characters, and at the end back to ASCII. Tabs and line ends
 * are none of a URL's characters.
 */
function encodeIso2022Jp(query: string): string {
  let state = 'ascii' as keyof typeof SET_OF;
  let encoded = '';
  const lead = (to: keyof typeof SET_OF) => {
    if (to !== state) encoded += SET_OF[to];
    state = to;
  };
  for (const character of query.replace(/[\t\n\r]+/g, '')) {
    const bytes = character > '\x7f' ? jis0208Bytes(character) : undefined;
    if (bytes) {
      lead('jis0208');
      encoded += escaped(bytes.map((byte) => byte & 0x7f));
    } else if (character === '¥' || character === '‾') {
      lead('roman');
      encoded += character === '¥' ? '\\' : '~';
    } else {
      const isSameInRoman = character !== '\\' && character !== '~' && character <= '\x7f';
      if (state !== 'roman' || !isSameInRoman) lead('ascii');
      const isLacking = character > '\x7f' || ESCAPES.includes(character);
      encoded += isLacking ? lacking(ESCAPES.includes(character) ? '\ufffd' : character) : character;
    }
  }
  lead('ascii');
  return encoded;
}

const SET_OF = { ascii: '%1B(B', roman: '%1B(J', jis0208: '%1B$B' } as const;
/** Characters that could be read as escape sequences. */
const ESCAPES = '\x0e\x0f\x1b';

const lacking = (character: string): string => {
  const code = character.codePointAt(0) as number;
  return `%26%23${code >= 0xd800 && code <= 0xdfff ? 0xfffd : code}%3B`;
};

/** As the special-query percent-encode set has it. */
const escaped = (bytes: readonly number[] | undefined): string | undefined =>
  bytes
    ?.map((byte) =>
      byte <= 0x20 || byte > 0x7e || RESERVED.has(byte)
        ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');
const RESERVED: ReadonlySet<number> = new Set([...'"#<>\''].map((character) => character.charCodeAt(0)));
