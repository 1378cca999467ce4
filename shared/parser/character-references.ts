/**
 * Character references (`&amp;`, `&#233;`, `&eacute`) in attribute values and in text: two sets of rules,
 * since `?a=1&copy=2` in an attribute is no copyright sign (HTML standard, section 13.2.5.73).
 */
import { Tokenizer } from 'htmlparser2';

/** Decodes an attribute's value as written between its quotes. U+0000 becomes U+FFFD, as in browsers. */
export function decodeAttribute(raw: string): string {
  const value = raw.includes('\0') ? raw.replaceAll('\0', '\ufffd') : raw;
  if (!value.includes('&')) return value;
  // `&amp;` alone, by far the most frequent, needs no table of names.
  const undone = value.replaceAll('&amp;', '&');
  return REFERENCE_BUT_AMP.test(value) ? decoded(`<a b="${value.replaceAll('"', '&quot;')}">`) : undone;
}

/** Decodes text, such as a title's. */
export function decodeText(raw: string): string {
  const text = raw.includes('\0') ? raw.replaceAll('\0', '\ufffd') : raw;
  return REFERENCE_BUT_AMP.test(text) || text.includes('&amp') ? decoded(text.replaceAll('<', '&lt;')) : text;
}

const REFERENCE_BUT_AMP = /&(?!amp;)[#a-z]/i;

/** The attribute data and text of `markup`, strung together. */
function decoded(markup: string): string {
  source = markup;
  output = '';
  tokenizer.reset();
  tokenizer.write(markup);
  tokenizer.end();
  return output;
}

let source = '';
let output = '';
const append = (start: number, end: number) => {
  output += source.slice(start, end);
};
const appendCodePoint = (codePoint: number) => {
  output += String.fromCodePoint(codePoint);
};
const ignore = () => {};

/** One for all calls: each runs to its end before the next begins. The names' table is the library's. */
const tokenizer = new Tokenizer(
  { decodeEntities: true },
  {
    onattribdata: append,
    onattribentity: appendCodePoint,
    ontext: append,
    ontextentity: appendCodePoint,
    onattribend: ignore,
    onattribname: ignore,
    oncdata: ignore,
    onclosetag: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onopentagname: ignore,
    onprocessinginstruction: ignore,
    onselfclosingtag: ignore,
  },
);
