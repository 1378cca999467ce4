/**
 * The course of a crawl as a flow: how many hosts still have pages, how fast these are fetched and by how many
 * workers, from the sizes of the hosts and the pause between two requests. Only politeness, the workers' places
 * and their speed limit the rate, and the crawl's bytes a second if it has such a limit.
 */

/** Hosts of the same size, which answer in the same time. */
export interface HostGroup {
  readonly hosts: number;
  /** Pages of each host. */
  readonly pages: number;
  /** Milliseconds from one request to the next, the response included. */
  readonly gapMs: number;
}

/** The workers that fetch. */
export interface Capacity {
  readonly hostsPerWorker: number;
  /** The most workers at once. */
  readonly maxWorkers: number;
  /** The share of their places that workers use before another one is started. */
  readonly fill: number;
  /** Pages a second that one worker's CPU can do. */
  readonly pagesPerWorkerSecond: number;
  /** Pages a second of all workers at most. Default: as many as they can. */
  readonly pagesPerSecond?: number;
  /** A small worker replaces the last one if hosts and pages a second are at most these. */
  readonly small?: { readonly hosts: number; readonly pagesPerSecond: number } | undefined;
}

/** A time in which nothing changes. */
export interface FlowSpan {
  readonly ms: number;
  /** Hosts that have pages left. */
  readonly hosts: number;
  readonly pagesPerSecond: number;
  readonly workers: number;
  /** The worker is a small one. */
  readonly isSmall: boolean;
}

/**
 * Returns the spans of the crawl in their order. Hosts are fetched side by side, all from the beginning; if there are
 * more than places or CPU for them, each gets an equal share.
 */
export function crawlFlow(groups: readonly HostGroup[], capacity: Capacity): FlowSpan[] {
  const left = groups
    .map(({ hosts, pages, gapMs }) => ({ hosts, gapMs, needMs: pages * gapMs }))
    .sort((a, b) => a.needMs - b.needMs);
  let hosts = left.reduce((sum, group) => sum + group.hosts, 0);
  let wantedPerMs = left.reduce((sum, group) => sum + group.hosts / group.gapMs, 0);
  const spans: FlowSpan[] = [];
  let doneMs = 0;
  for (const group of left) {
    const workers = Math.min(
      capacity.maxWorkers,
      Math.max(1, Math.ceil(hosts / (capacity.hostsPerWorker * capacity.fill))),
    );
    const places = workers * capacity.hostsPerWorker;
    const { pagesPerWorkerSecond, pagesPerSecond = Number.POSITIVE_INFINITY } = capacity;
    const mostPerMs = Math.min(workers * pagesPerWorkerSecond, pagesPerSecond) / 1000;
    const share = Math.min(1, places / hosts, mostPerMs / wantedPerMs);
    const ms = (group.needMs - doneMs) / share;
    const rate = wantedPerMs * share * 1000;
    const { small } = capacity;
    const isSmall = small !== undefined && hosts <= small.hosts && rate <= small.pagesPerSecond;
    if (ms > 0) spans.push({ ms, hosts, pagesPerSecond: rate, workers, isSmall });
    doneMs = group.needMs;
    hosts -= group.hosts;
    wantedPerMs -= group.hosts / group.gapMs;
  }
  return spans;
}

/** How the pages are spread over the hosts. */
export type Spread = 'even' | 'web';

/** Groups of hosts at most, for each time of response. */
const MAX_GROUPS = 500;
const SOLVING_STEPS = 60;

/**
 * Returns the sizes of hosts that have `pages` together. `web`: the logarithms of the sizes are spread evenly, so
 * half of the hosts have fewer pages than the square root of the largest one's.
 */
export function hostSizes(pages: number, hosts: number, spread: Spread): { hosts: number; pages: number }[] {
  if (spread === 'even' || hosts <= 1) return [{ hosts, pages: pages / hosts }];
  const count = Math.min(Math.round(hosts), MAX_GROUPS);
  const places = Array.from({ length: count }, (_, i) => (i + 0.5) / count);
  const sum = (logOfLargest: number) =>
    places.reduce((all, place) => all + Math.exp(logOfLargest * place), 0) * (hosts / count);
  let low = 0;
  let high = 2 * Math.log(pages) + 1;
  for (let step = 0; step < SOLVING_STEPS; step++) {
    const middle = (low + high) / 2;
    if (sum(middle) < pages) low = middle;
    else high = middle;
  }
  return places.map((place) => ({ hosts: hosts / count, pages: Math.exp(high * place) }));
}
