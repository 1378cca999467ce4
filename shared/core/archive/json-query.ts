/** A body of JSON as a query, exactly as Python's `json`, `str` and `urlencode` make it, by which archives are indexed. */
import { isUtf8 } from 'node:buffer';

/** Deeper values are none: Python gives up there, too. */
const MAX_DEPTH = 900;

type Json = string | { readonly number: string } | boolean | null | readonly Json[] | Map<string, Json>;

export const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined;

/** `a=1&b=x`: the values of all objects, by the names nearest to them. JSON lines are read one by one. Undefined for no JSON. */
export function jsonQuery(body: Uint8Array): string | undefined {
  const text = decodeUtf8(body)?.replace(/^\ufeff/, '');
  if (text === undefined) return undefined;
  const whole = parse(text);
  const values = whole === undefined ? lines(text) : [whole];
  if (values === undefined) return undefined;
  const pairs = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const value of values) collect(value, '', pairs, counts);
  // Half of a character has no bytes.
  if ([...pairs].flat().some((text) => !text.isWellFormed())) return undefined;
  return [...pairs].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

function lines(text: string): Json[] | undefined {
  if (!text.includes('\n')) return undefined;
  const values = text.split('\n').map(parse);
  return values.every((value) => value !== undefined) ? (values as Json[]) : undefined;
}

function collect(value: Json, name: string, pairs: Map<string, string>, counts: Map<string, number>): void {
  if (value instanceof Map) for (const [key, one] of value) collect(one, key, pairs, counts);
  else if (Array.isArray(value))
    for (const one of value as readonly Json[]) collect(one, name, pairs, counts);
  else if (name !== '')
    pairs.set(
      freeName(name, pairs, counts),
      textOf(value as Exclude<Json, readonly Json[] | Map<string, Json>>),
    );
}

/** A name that comes again is `name.2_`, then `name.3_`. */
function freeName(name: string, pairs: ReadonlyMap<string, string>, counts: Map<string, number>): string {
  if (!pairs.has(name)) return name;
  const count = (counts.get(name) ?? 1) + 1;
  counts.set(name, count);
  return `${name}.${count}_`;
}

function textOf(value: string | { readonly number: string } | boolean | null): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? value : numberText(value.number);
}

/** As Python writes numbers: whole ones as they are, others in the shortest form, with an exponent from 1e16 on. */
function numberText(written: string): string {
  if (/^-?\d+$/.test(written)) return written === '-0' ? '0' : written;
  if (/^-?(?:NaN|Infinity)$/.test(written)) return written.toLowerCase().replace('infinity', 'inf');
  const value = Number(written);
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = Object.is(value, -0) || value < 0 ? '-' : '';
  const [digits = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const all = digits.replace('.', '');
    if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${all}`;
    const padded = all.padEnd(exponent + 2, '0');
    return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`;
  }
  return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

/** Keeps the order of names and the text of numbers, which `JSON.parse` does not. Undefined for no JSON. */
function parse(text: string): Json | undefined {
  let at = 0;
  let token = '';
  /** Empty at the end, and where no token begins. */
  const next = (): void => {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text)?.[0] ?? '';
    token = found.trim();
    at += found.length;
  };
  const value = (depth: number): Json => {
    if (depth > MAX_DEPTH) throw new SyntaxError('too deep');
    const first = token;
    next();
    if (first === '{') return object(depth);
    if (first === '[') return list(depth);
    if (first.startsWith('"')) return stringOf(first);
    if (first === 'null') return null;
    if (first === 'true' || first === 'false') return first === 'true';
    if (/^-?(?:\d|NaN$|Infinity$)/.test(first)) return { number: first };
    throw new SyntaxError('no value');
  };
  const expect = (expected: string): void => {
    if (token !== expected) throw new SyntaxError(`no ${expected}`);
    next();
  };
  const object = (depth: number): Json => {
    const entries = new Map<string, Json>();
    for (let isFirst = true; token !== '}' || !isFirst; isFirst = false) {
      if (!isFirst) {
        if (token === '}') break;
        expect(',');
      }
      if (!token.startsWith('"')) throw new SyntaxError('no name');
      const name = stringOf(token);
      next();
      expect(':');
      entries.set(name, value(depth + 1));
    }
    expect('}');
    return entries;
  };
  const list = (depth: number): Json => {
    const values: Json[] = [];
    for (let isFirst = true; token !== ']' || !isFirst; isFirst = false) {
      if (!isFirst) {
        if (token === ']') break;
        expect(',');
      }
      values.push(value(depth + 1));
    }
    expect(']');
    return values;
  };
  try {
    next();
    const parsed = value(0);
    return token === '' && at === text.length ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** A token with the white space around it. Strings are checked when they are read. */
const TOKEN =
  /[\t\n\r ]*(?:[{}[\],:]|"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.])|-?Infinity|NaN|true|false|null)[\t\n\r ]*/sy;

const stringOf = (token: string): string => JSON.parse(token) as string;
