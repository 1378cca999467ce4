import { hash } from 'node:crypto';

/** The parts of a request that distinguish it from others of its page. Names of headers are in lower case. */
export interface KeyedPart {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * The names of a request by which it is found again when the page is rendered once more: `exact`, and `steady`, in which
 * the time, random numbers and the boundaries of forms do not count.
 */
export interface PartKeys {
  readonly exact: string;
  readonly steady: string;
}

/** `now`: ms since the epoch. */
export function partKeys({ url, method, headers, body }: KeyedPart, now: number): PartKeys {
  const text = body === undefined ? '' : bodyText(body, headers['content-type'] ?? '');
  return {
    exact: `${method} ${url} ${digest(text)}`,
    steady: `${method} ${steady(url, now)} ${digest(steady(text, now))}`,
  };
}

/** Returns the parts of a URL that differ each time: `[of, other]` for each part of `of` that `other` has otherwise. */
export function changedParts(of: string, other: string): (readonly [string, string])[] {
  const others = other.match(CHANGING) ?? [];
  return (of.match(CHANGING) ?? []).flatMap((part, i) => {
    const now = others[i];
    return now === undefined || now === part ? [] : [[part, now] as const];
  });
}

/** A time in seconds or milliseconds, or a fraction as of `Math.random`. */
const CHANGING = /0\.\d{8,20}|\d{10,13}/g;
const NEAR_MS = 86_400_000;

const steady = (text: string, now: number): string =>
  text.replace(CHANGING, (found) => (isRandom(found) || isTime(found, now) ? '#' : found));

const isRandom = (found: string): boolean => found.startsWith('0.');

const isTime = (digits: string, now: number): boolean =>
  (digits.length === 13 && Math.abs(Number(digits) - now) < NEAR_MS) ||
  (digits.length === 10 && Math.abs(Number(digits) * 1000 - now) < NEAR_MS);

/** A form with files has a boundary that is random. */
function bodyText(body: Uint8Array, type: string): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const boundary = /boundary=("?)([^";,\s]{1,70})\1/.exec(type)?.[2];
  return boundary === undefined ? text : text.replaceAll(boundary, '#');
}

const digest = (text: string): string => (text === '' ? '' : hash('sha1', text, 'base64url'));
