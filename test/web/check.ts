/** Judges a crawl by the log of the web that was crawled. What the crawler says about itself is not asked. */
import { canonical } from './canonical.ts';
import type { Web } from './graph.ts';
import { crawlDelayMs, type RobotsPlan, robotsEnd } from './robots.ts';
import type { LogEntry } from './server.ts';
import type { Truth } from './truth.ts';

export interface CheckOptions {
  readonly truth: Truth;
  /** The delay that the crawler was configured with; a longer Crawl-delay of a host counts. Default 0. */
  readonly delayMs?: number;
  /** A longer Crawl-delay counts as this. */
  readonly maxCrawlDelayMs?: number;
  /** Requests that one host may have in flight. Default 1; with more, gaps are not judged. */
  readonly perHost?: number;
  /** Excuses a request beyond the right number for its URL: one that a killed worker had made in vain. */
  readonly allowRepeats?: (entry: LogEntry) => boolean;
  /**
   * Excuses one repetition at once of a request whose connection was closed without an answer, as clients do
   * that do not know whether a kept connection was closed before their request came (RFC 9112 section 9.3.1).
   * Default false.
   */
  readonly allowReconnect?: boolean;
  /** Whether all is done: without it, URLs not requested are no violation. Default true. */
  readonly isComplete?: boolean;
  /** Clocks and schedulers may differ by this. Default 2. */
  readonly toleranceMs?: number;
  /**
   * How late the server may notice that a client gave a request up: that far, the end of such a request may
   * lie after the start of the next. Default 50.
   */
  readonly abortToleranceMs?: number;
}

/** One line for each thing wrong, for people; empty for a correct crawl. `web` must be the one served. */
export function checkLog(web: Web, log: readonly LogEntry[], options: CheckOptions): string[] {
  const byUrl = new Map<string, LogEntry[]>();
  const byHost = new Map<string, LogEntry[]>();
  const violations: string[] = [];
  for (const entry of log) {
    const url = canonical(`http://${entry.host}${entry.path}`);
    if (url === undefined) violations.push(`not a URL: ${entry.host} ${entry.path}`);
    else push(byUrl, url, entry);
    push(byHost, entry.host, entry);
  }
  const robots = robotsUrls(web, options.truth);
  const reconnects = options.allowReconnect ? findReconnects(byHost.values()) : new Set<LogEntry>();
  return [
    ...violations,
    ...wrongRequests(web, byUrl, robots, reconnects, options),
    ...(options.isComplete === false ? [] : missing(byUrl, options.truth)),
    ...hastyRetries(byUrl, options),
    ...[...byHost].flatMap(([host, entries]) => impoliteness(web, host, entries, byUrl, reconnects, options)),
  ];
}

function missing(byUrl: ReadonlyMap<string, readonly LogEntry[]>, truth: Truth): string[] {
  const lines: string[] = [];
  for (const [url, { minRequests }] of truth.urls) {
    const times = byUrl.get(url)?.length ?? 0;
    if (times >= minRequests) continue;
    lines.push(
      times === 0 ? `never requested: ${url}` : `given up after ${times} of ${minRequests} requests: ${url}`,
    );
  }
  return lines;
}

/** Requests that ought not to be, or once too often. */
function wrongRequests(
  web: Web,
  byUrl: ReadonlyMap<string, readonly LogEntry[]>,
  robots: ReadonlyMap<string, number>,
  reconnects: ReadonlySet<LogEntry>,
  { truth, allowRepeats = () => false }: CheckOptions,
): string[] {
  const lines: string[] = [];
  for (const [url, entries] of byUrl) {
    const expectation = truth.urls.get(url);
    const right = robots.get(url) ?? expectation?.maxRequests ?? (web.isTrap(url) ? 1 : undefined);
    if (right === undefined)
      lines.push(
        `must not be requested: ${url}: ${truth.never.get(url) ?? 'nothing in the crawl links to it'}`,
      );
    else if (right === 0) lines.push(`forbidden by robots.txt: ${url}`);
    else {
      const times =
        1 + entries.slice(1).filter((entry) => !reconnects.has(entry) && !allowRepeats(entry)).length;
      if (times > right) lines.push(`requested ${times} times, ${right} at most would be right: ${url}`);
    }
  }
  return lines;
}

function hastyRetries(
  byUrl: ReadonlyMap<string, readonly LogEntry[]>,
  { toleranceMs = 2 }: CheckOptions,
): string[] {
  const lines: string[] = [];
  for (const [url, entries] of byUrl)
    entries.forEach(({ retryAt }, index) => {
      const early = (retryAt ?? 0) - (entries[index + 1]?.startedAt ?? Infinity);
      if (early > toleranceMs)
        lines.push(`requested ${early.toFixed(1)} ms before its Retry-After was over: ${url}`);
    });
  return lines;
}

/** One host's requests: robots.txt first, then one at a time, with the delay between them. */
function impoliteness(
  web: Web,
  host: string,
  entries: readonly LogEntry[],
  byUrl: ReadonlyMap<string, readonly LogEntry[]>,
  reconnects: ReadonlySet<LogEntry>,
  options: CheckOptions,
): string[] {
  const { truth, delayMs = 0, maxCrawlDelayMs = Infinity, perHost = 1 } = options;
  const { toleranceMs = 2, abortToleranceMs = 50 } = options;
  const agent = truth.plan.robotsAgent;
  const plan = web.robots(host);
  const known = agent === undefined || plan === undefined ? -Infinity : robotsKnownAt(plan, host, byUrl);
  const asked =
    agent === undefined || plan === undefined ? 0 : Math.min(crawlDelayMs(plan, agent), maxCrawlDelayMs);
  const lines: string[] = [];
  const sorted = [...entries].sort((a, b) => a.startedAt - b.startedAt);
  let inFlight: LogEntry[] = [];
  let lastEnd = -Infinity;
  for (const entry of sorted) {
    const { startedAt } = entry;
    const url = `http://${host}${entry.path}`;
    if (startedAt < known && !isRobotsPath(entry.path))
      lines.push(`requested before robots.txt was known: ${url}`);
    const endOf = (other: LogEntry) => other.endedAt - (other.isAborted ? abortToleranceMs : 0);
    inFlight = inFlight.filter((other) => endOf(other) > startedAt);
    inFlight.push(entry);
    if (inFlight.length > perHost)
      lines.push(
        `${inFlight.length} requests in flight at once, ${perHost} at most would be right: ${host}: ${url}`,
      );
    const delay = startedAt < known ? delayMs : Math.max(delayMs, asked);
    const gap = startedAt - lastEnd;
    if (perHost === 1 && inFlight.length === 1 && gap < delay - toleranceMs && !reconnects.has(entry))
      lines.push(
        `requested ${gap.toFixed(1)} ms after the last response, ${delay} ms would be right: ${url}`,
      );
    lastEnd = Math.max(lastEnd, endOf(entry));
  }
  return lines;
}

/**
 * Requests that repeat the host's one before, which was closed without an answer; each such one excuses one.
 */
function findReconnects(hosts: Iterable<readonly LogEntry[]>): Set<LogEntry> {
  const reconnects = new Set<LogEntry>();
  for (const entries of hosts)
    entries.forEach((entry, index) => {
      const before = entries[index - 1];
      const wasClosed = before?.path === entry.path && before.status === 0 && !before.isAborted;
      if (wasClosed && !reconnects.has(before)) reconnects.add(entry);
    });
  return reconnects;
}

/** When the answer that settles the host's rules had come; Infinity if it never did. */
function robotsKnownAt(
  plan: RobotsPlan,
  host: string,
  byUrl: ReadonlyMap<string, readonly LogEntry[]>,
): number {
  const settled = byUrl
    .get(robotsEnd(plan, `http://${host}`))
    ?.find(({ status }) => status >= 200 && status < 500);
  return settled?.endedAt ?? Infinity;
}

function isRobotsPath(path: string): boolean {
  return path === '/robots.txt' || path === '/rules/robots.txt';
}

/** The URLs of robots.txt that the crawl may ask for, and how often: those of hosts that it has URLs of. */
function robotsUrls(web: Web, truth: Truth): Map<string, number> {
  const urls = new Map<string, number>();
  if (truth.plan.robotsAgent === undefined) return urls;
  const hosts = new Set(Array.from(truth.urls.keys(), (url) => url.split('/', 3)[2]!));
  for (const host of hosts) {
    const plan = web.robots(host)!;
    const origin = `http://${host}`;
    const end = robotsEnd(plan, origin);
    urls.set(`${origin}/robots.txt`, 1);
    urls.set(end, plan.kind === 'down' ? Infinity : (web.at(end)?.flaky?.times ?? 0) + 1);
  }
  return urls;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
