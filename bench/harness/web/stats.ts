/**
 * The requests of crawlers to the generated web, compared with its pages: completeness by the web's own
 * truth.
 */
import type { Entry, Kind } from './graph.ts';

/** As `GET /__stats` gives it. */
export interface WebCounts {
  readonly requests: number;
  /** Responses that were documents, each time. */
  readonly pages: number;
  /** Documents that links lead to; those requested; further requests for them. */
  readonly all: { readonly there: number; readonly found: number; readonly again: number };
  /** The part of those that robots.txt allows. */
  readonly allowed: { readonly there: number; readonly found: number };
  /** Requests for what robots.txt forbids. */
  readonly disallowed: number;
  /** Requests for what only comments and scripts name, and for what nothing names. */
  readonly false: number;
  readonly unknown: number;
  /** From the first request to the last one. */
  readonly spanMs: number;
}

export interface WebStats {
  count(entry: Entry | undefined): void;
  read(): WebCounts;
  reset(): void;
}

export function createWebStats(
  all: ReadonlySet<Entry>,
  allowed: ReadonlySet<Entry>,
  now: () => number = () => performance.now(),
): WebStats {
  let hits = new Map<Entry, number>();
  let unknown = 0;
  let first: number | undefined;
  let last = 0;

  const sum = (test: (entry: Entry) => boolean): number => {
    let requests = 0;
    for (const [entry, times] of hits) if (test(entry)) requests += times;
    return requests;
  };
  const ofKind = (...kinds: Kind[]) => sum(({ kind }) => kinds.includes(kind));
  const found = (of: ReadonlySet<Entry>) => [...hits.keys()].filter((entry) => of.has(entry)).length;

  return {
    count(entry) {
      last = now();
      first ??= last;
      if (entry) hits.set(entry, (hits.get(entry) ?? 0) + 1);
      else unknown++;
    },
    read() {
      const foundOfAll = found(all);
      return {
        requests: sum(() => true) + unknown,
        pages: ofKind('page', 'copy'),
        all: { there: all.size, found: foundOfAll, again: sum((entry) => all.has(entry)) - foundOfAll },
        allowed: { there: allowed.size, found: found(allowed) },
        disallowed: sum(({ isDisallowed }) => isDisallowed),
        false: ofKind('false'),
        unknown,
        spanMs: first === undefined ? 0 : last - first,
      };
    },
    reset() {
      hits = new Map();
      unknown = 0;
      first = undefined;
    },
  };
}
