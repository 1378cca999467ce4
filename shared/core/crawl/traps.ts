/**
 * Shapes of URLs that hardly any page has and that broken links grow into without end: `/a/b/a/b/a/b/`, a calendar's
 * query that each click makes longer, its own address as a part of the next one. Judged by the URL alone; `frontier/template-watch.ts` judges by the pages.
 */
import type { CrawlConfig } from './crawl-options.ts';

export type TrapReason =
  /** The path has more segments than `maxPathDepth`. */
  | 'pathDepth'
  /** A sequence of one to four segments is repeated more than `maxRepeatedSegments` times in a row. */
  | 'repeatedSegments'
  /** More parameters than `maxQueryParameters`, or one of them, with its value, more than three times. */
  | 'queryParameters'
  /** Escapes that were escaped again and again. */
  | 'repeatedEscapes';

export type TrapConfig = Pick<CrawlConfig, 'maxPathDepth' | 'maxRepeatedSegments' | 'maxQueryParameters'>;

/**
 * A repeated sequence has at most this many segments. Heritrix's PathologicalPathDecideRule detects sequences
 * of one.
 */
const MAX_PERIOD = 4;
const MAX_EQUAL_PARAMETERS = 3;
/**
 * Pages that link to themselves as a part of another URL (`/share/%2Fshare%2F%252Fshare...`), or escape their own query
 * once more, make each URL the template of a new one. Three levels are those of a login that leads to a login.
 */
const REPEATED_ESCAPES = ['%252525', 'amp;amp;amp;', 'amp%3Bamp%3Bamp%3B'];

/**
 * Returns the kind of trap that the shape of a canonical URL suggests, or undefined. Takes time linear in its
 * length.
 */
export function trapReason(url: string, config: TrapConfig): TrapReason | undefined {
  const { maxPathDepth, maxRepeatedSegments } = config;
  const mark = url.indexOf('?', 8);
  const end = mark < 0 ? url.length : mark;
  const count = countSegments(url, end, maxPathDepth + 1);
  if (count > maxPathDepth) return 'pathDepth';
  if (count > maxRepeatedSegments && repeatsSegments(url, startsOfSegments(url, end), maxRepeatedSegments))
    return 'repeatedSegments';
  if (mark >= 0 && hasTrapQuery(url, mark + 1, config.maxQueryParameters)) return 'queryParameters';
  return hasRepeatedEscapes(url) ? 'repeatedEscapes' : undefined;
}

function hasRepeatedEscapes(url: string): boolean {
  // Most URLs have neither.
  if (!url.includes('%') && !url.includes(';')) return false;
  return REPEATED_ESCAPES.some((escapes) => url.includes(escapes));
}

/** Segments of a canonical URL's path: one of `/a` and `/a/`, three of `/a//b`. */
export function pathDepth(url: string): number {
  const mark = url.indexOf('?');
  return countSegments(url, mark < 0 ? url.length : mark, Infinity);
}

/** Parameters of a canonical URL's query. */
export function queryParameters(url: string): number {
  const mark = url.indexOf('?');
  return mark < 0 ? 0 : countParameters(url, mark + 1);
}

/** Segments of the path that ends at `end`: `max` at most. */
function countSegments(url: string, end: number, max: number): number {
  let count = 0;
  for (let i = url.indexOf('/', 8); i >= 0 && i < end - 1 && count < max; i = url.indexOf('/', i + 1))
    count++;
  return count;
}

/** Where the segments of the path begin, and where the last one ends. */
function startsOfSegments(url: string, end: number): number[] {
  const starts: number[] = [];
  for (let i = url.indexOf('/', 8); i >= 0 && i < end - 1; i = url.indexOf('/', i + 1)) starts.push(i);
  starts.push(url.charCodeAt(end - 1) === SLASH ? end - 1 : end);
  return starts;
}

function repeatsSegments(url: string, starts: readonly number[], max: number): boolean {
  const count = starts.length - 1;
  for (let period = 1; period <= MAX_PERIOD && period * (max + 1) <= count; period++) {
    // Segments in a row that are as the one a period before: of n times the sequence, (n - 1) * period.
    let alike = 0;
    for (let i = period; i < count; i++) {
      alike = isSameSegment(url, starts, i - period, i) ? alike + 1 : 0;
      if (alike >= period * max) return true;
    }
  }
  return false;
}

function isSameSegment(url: string, starts: readonly number[], a: number, b: number): boolean {
  const from = starts[a] as number;
  const to = starts[b] as number;
  const length = (starts[a + 1] as number) - from;
  if (length !== (starts[b + 1] as number) - to) return false;
  for (let i = 1; i < length; i++) if (url.charCodeAt(from + i) !== url.charCodeAt(to + i)) return false;
  return true;
}

function hasTrapQuery(url: string, from: number, max: number): boolean {
  const count = countParameters(url, from);
  if (count > max) return true;
  if (count <= MAX_EQUAL_PARAMETERS) return false;
  const counts = new Map<string, number>();
  for (const parameter of url.slice(from).split('&')) {
    const times = (counts.get(parameter) ?? 0) + 1;
    if (times > MAX_EQUAL_PARAMETERS) return true;
    counts.set(parameter, times);
  }
  return false;
}

function countParameters(url: string, from: number): number {
  let count = 1;
  for (let i = url.indexOf('&', from); i >= 0; i = url.indexOf('&', i + 1)) count++;
  return count;
}

const SLASH = 0x2f;
