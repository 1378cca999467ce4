/** Values as people write and read them on a command line. */
import { isIP } from 'node:net';
import { isHost } from '../shared/core/url/is-host.ts';

const SIZE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `1234567` as `1,234,567`, in every locale. Not by Node's locales, which take 20 ms to load. */
export function formatCount(count: number): string {
  // linear: a number has at most 25 characters.
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `3 pages`, `1 page`. */
export function formatCounted(count: number, singular: string): string {
  return `${formatCount(count)} ${singular}${count === 1 ? '' : 's'}`;
}

/** By count; those that are equal by name. */
export function largestFirst(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Three digits and a decimal unit: `1.23 GB`; 1 kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5, not 1000: what would be rounded to 1000 belongs to the next unit.
  while (value >= 999.5 && unit < SIZE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${Number(value.toPrecision(3))} ${SIZE_UNITS[unit]}`;
}

/** The two largest units: `450ms`, `1.5s`, `42s`, `2m 14s`, `3h 5m`, `2d 4h`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 9950) return `${Math.round(ms / 100) / 10}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return pair(seconds, [60, 'm'], [1, 's']);
  if (seconds < 86_400) return pair(seconds, [3600, 'h'], [60, 'm']);
  return pair(seconds, [86_400, 'd'], [3600, 'h']);
}

type Unit = readonly [seconds: number, name: string];

function pair(seconds: number, [large, largeUnit]: Unit, [small, smallUnit]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit}${rest > 0 ? ` ${rest}${smallUnit}` : ''}`;
}

/** A rate per second: `0.35`, `9.2`, `1,234`; below 0.01 it is rounded to that. */
export function formatRate(perSecond: number): string {
  if (perSecond < 0.01) return String(Math.round(perSecond * 100) / 100);
  return perSecond >= 99.95 ? formatCount(perSecond) : String(Number(perSecond.toPrecision(2)));
}

/**
 * Bytes from `1500`, `500k`, `10MB` (decimal) or `1GiB` (binary), in any case; undefined for anything else,
 * and beyond what a number holds exactly. `k` is 1,000, as `kB` is.
 */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s?(?:([kmgtp])(i?b)?|b)?$/i.exec(text);
  if (!match) return undefined;
  const power = match[2] ? 'kmgtp'.indexOf(match[2].toLowerCase()) + 1 : 0;
  const base = match[3]?.length === 2 ? 1024 : 1000;
  const bytes = Math.round(Number(match[1]) * base ** power);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** US dollars: `$1,234`, `$5.31`, `$0.0042`; to the cent from one dollar on, else two digits. */
export function formatDollars(dollars: number): string {
  if (dollars >= 999.995) return `$${formatCount(dollars)}`;
  if (dollars >= 0.995) return `$${dollars.toFixed(2)}`;
  if (dollars < 0.000_000_5) return '$0';
  const digits = Math.min(7, Math.max(2, 1 - Math.floor(Math.log10(dollars))));
  return `$${dollars.toFixed(digits)}`;
}

/** US dollars from `5` or `0.50`, more than none; undefined for anything else. */
export function parseDollars(text: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

/**
 * Milliseconds from `90` (seconds), `0.5`, `500ms`, `2s`, `10m`, `2h` or `1d`; undefined for anything else.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * DURATION_UNITS[match[2] ?? 's']!);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Whether it is a day (`2026-01-31`) or a time with its offset from UTC, as in ISO 8601. */
export function isDate(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text) &&
    Number.isFinite(Date.parse(text))
  );
}

/** The source of a regular expression, undefined if it is none. */
export function parsePattern(text: string): string | undefined {
  try {
    // linear: the operator's own pattern, which is not matched here.
    return new RegExp(text) && text;
  } catch {
    return undefined;
  }
}

/** `PATTERN=ADDRESS`: a host name pattern, in lower case, and an IP address. */
export function parsePin(text: string): [pattern: string, address: string] | undefined {
  const equals = text.indexOf('=');
  const pattern = text.slice(0, Math.max(0, equals)).toLowerCase();
  const address = text.slice(equals + 1);
  return /^[^\s/=]+$/.test(pattern) && isIP(address) !== 0 ? [pattern, address] : undefined;
}

/** `HOST=FOLDER`: a host, perhaps with a port, in lower case, and the folder as it is given. */
export function parseFolder(text: string): [host: string, folder: string] | undefined {
  const equals = text.indexOf('=');
  const host = text.slice(0, Math.max(0, equals)).toLowerCase();
  const folder = text.slice(equals + 1);
  return isHost(host) && folder !== '' ? [host, folder] : undefined;
}

/** A CIDR block (RFC 4632, RFC 4291 section 2.3); an address alone becomes the block of that one address. */
export function parseBlock(text: string): string | undefined {
  const [address = '', bits, more] = text.split('/');
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || more !== undefined) return undefined;
  if (bits === undefined) return `${address}/${width}`;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width ? `${address}/${Number(bits)}` : undefined;
}

export type Tone = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const SGR: Readonly<Record<Tone, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/** The text in a tone (ECMA-48, SGR), or as it is where `colour` is false. */
export function toned(text: string, tone: Tone, colour: boolean): string {
  return colour ? `\x1b[${SGR[tone]}m${text}\x1b[0m` : text;
}

/** Wraps words into lines of at most `width` characters. A longer word gets its own line. */
export function wrapWords(words: readonly string[], width: number, between = ' '): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + between.length + word.length <= width) {
      lines[lines.length - 1] = last + between + word;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
