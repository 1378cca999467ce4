/**
 * Character references (`&amp;`, `&#233;`, `&eacute`) in attribute values and in text: two sets of rules,
 * since `?a=1&copy=2` in an attribute is not a copyright sign (HTML standard, section 13.2.5.73).
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

/** Decodes an attribute's value as written between its quotes. U+0000 becomes U+FFFD, as in browsers. */
export function decodeAttribute(raw: string): string {
  const value = raw.includes('\0') ? raw.replaceAll('\0', '\ufffd') : raw;
  if (!value.includes('&')) return value;
  // `&amp;` alone, by far the most frequent, needs no table of names.
  const undone = value.replaceAll('&amp;', '&');
  return REFERENCE_BUT_AMP.test(value) ? decodeHTMLAttribute(value) : undone;
}

/** Decodes text, such as a title's. */
export function decodeText(raw: string): string {
  const text = raw.includes('\0') ? raw.replaceAll('\0', '\ufffd') : raw;
  return REFERENCE_BUT_AMP.test(text) || text.includes('&amp') ? decodeHTML(text) : text;
}

const REFERENCE_BUT_AMP = /&(?!amp;)[#a-z]/i;
