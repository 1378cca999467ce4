import { mixHash } from '../base/mix-hash.ts';

/** Longer templates are cut. They are in the head of a host. */
const MAX_LENGTH = 96;
/** An alphanumeric word of this length with a digit in it is an id. */
const MIN_ID_LENGTH = 8;

/** Parameters of a query that are looked at. */
const MAX_PARAMETERS = 64;

/**
 * The template of a canonical URL: its path without page numbers, and the names of its query's parameters,
 * each once, sorted. In the path each run of digits is `0`; so is as a whole each alphanumeric word of 8 or
 * more characters with a digit in it, and each UUID: ids and hashes differ in their letters, too.
 * Percent-encoded characters stay. `/shop/item-4711?size=l&color[]=red` is `/shop/item-0?color&size`. At most
 * 96 characters; about 0.2 us, with a query 1 us.
 */
export function templateOf(url: string): string {
  const mark = url.indexOf('?', 8);
  if (mark < 0) return foldDigits(url, url.indexOf('/', 8));
  const names = new Set<string>();
  for (const parameter of url.slice(mark + 1).split('&', MAX_PARAMETERS))
    if (parameter !== '') names.add(parameterName(parameter));
  return `${foldDigits(url.slice(0, mark), url.indexOf('/', 8))}?${[...names].sort().join('&')}`.slice(
    0,
    MAX_LENGTH,
  );
}

/** 32 bits for a template: of 512 templates, two share one with probability 3e-5. */
export function templateKey(template: string): number {
  let hash = 0;
  for (let i = 0; i < template.length; i++) hash = (Math.imul(hash, 31) + template.charCodeAt(i)) | 0;
  return mixHash(hash);
}

/** The path of a canonical URL as its template has it. */
export function pathTemplateOf(url: string): string {
  const mark = url.indexOf('?', 8);
  return foldDigits(mark < 0 ? url : url.slice(0, mark), url.indexOf('/', 8));
}

/**
 * The name of a parameter (`name=value`, or `name` alone) without digits and without text in brackets.
 */
export function parameterName(parameter: string): string {
  const equals = parameter.indexOf('=');
  const name = equals < 0 ? parameter : parameter.slice(0, equals);
  const bracket = name.search(BRACKET);
  return foldDigits(bracket > 0 ? name.slice(0, bracket) : name, 0);
}

const BRACKET = /\[|%5B/i;

/** `text` from `copied` on with digits and ids as `0`, at most 96 characters. */
function foldDigits(text: string, copied: number): string {
  let folded = '';
  for (let digit = nextDigit(text, copied); digit >= 0; digit = nextDigit(text, copied)) {
    let from = digit;
    while (
      from > copied &&
      isAlphanumeric(text.charCodeAt(from - 1)) &&
      text.charCodeAt(from - 3) !== PERCENT
    )
      from--;
    if (folded.length + from - copied >= MAX_LENGTH) break;
    let end = digit + 1;
    while (end < text.length && isAlphanumeric(text.charCodeAt(end))) end++;
    if (end - from >= MIN_ID_LENGTH) {
      folded += `${text.slice(copied, from)}0`;
      copied = endOfUuid(text, from, end);
    } else {
      folded += text.slice(copied, digit) + text.slice(digit, end).replace(/\d+/g, '0');
      copied = end;
    }
  }
  return (folded + text.slice(copied, copied + MAX_LENGTH)).slice(0, MAX_LENGTH);
}

/** Where the next digit stands that is none of a percent-encoding, or -1. */
function nextDigit(url: string, from: number): number {
  for (ANY_DIGIT.lastIndex = from; ANY_DIGIT.test(url); ) {
    const at = ANY_DIGIT.lastIndex - 1;
    if (url.charCodeAt(at - 1) === PERCENT) ANY_DIGIT.lastIndex = at + 2;
    else if (url.charCodeAt(at - 2) !== PERCENT) return at;
  }
  return -1;
}

/** `end`, unless the word is the first one of a UUID. */
function endOfUuid(url: string, from: number, end: number): number {
  if (end - from !== 8 || url.charCodeAt(end) !== DASH) return end;
  UUID.lastIndex = from;
  return UUID.test(url) ? UUID.lastIndex : end;
}

// Used through their `lastIndex`.
const ANY_DIGIT = /\d/g;
const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/iy;
const PERCENT = 0x25;
const DASH = 0x2d;

function isAlphanumeric(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
