/**
 * A pass over the pages of a host of a site, from its first page until nothing is due before the next pass begins. It is
 * kept in the host's head: each turn adds to it, and the last one says how it went.
 */
import type { HostKey } from '../url/host-key.ts';

/**
 * `done`: there were pages. `fewer`: less than nine tenths of those of the last pass. `gone`: the pages, or the host's name,
 * do not exist any more. `blocked`: most answers refuse (401, 403, 429, robots.txt). `failed`: there were no answers, or
 * only errors. `moved`: it redirects to another host.
 */
const SITE_OUTCOMES = ['done', 'fewer', 'gone', 'blocked', 'failed', 'moved'] as const;
export type SiteOutcome = (typeof SITE_OUTCOMES)[number];

/** The kinds of answers about pages. */
export type SiteAnswer = 'pages' | 'gone' | 'blocked' | 'failed';

/** Times are ms since the epoch. Counts are of answers in this pass; those left out are 0. */
export interface SitePass {
  readonly since: number;
  /** When the next pass begins; none: there is none. */
  readonly until?: number;
  /** Pages that were there. */
  readonly pages: number;
  readonly gone?: number;
  readonly blocked?: number;
  readonly failed?: number;
  /** The pages of the last whole pass that had any. */
  readonly before?: number;
  /** Where its seed redirected to, if that is another host. */
  readonly to?: HostKey;
  /** Why the first response that was not a page was none, for people. */
  readonly cause?: string;
  /** When the last page was there, in this pass or before it. */
  readonly seenAt?: number;
  /** How the pass went, as reported, and when. Absent: it goes on. */
  readonly said?: SiteOutcome;
  readonly saidAt?: number;
  /** Not all pages were due in the pass: it says nothing of their number. */
  readonly isPartial?: true;
}

/** The pass that follows one, or the first. */
export function beginPass(last: SitePass | undefined, since: number, until: number | undefined): SitePass {
  const isWhole = last?.said !== undefined && last.pages > 0 && !last.isPartial;
  const before = isWhole ? last.pages : last?.before;
  return {
    since,
    ...(until !== undefined && { until }),
    pages: 0,
    ...(before !== undefined && { before }),
    ...(last?.seenAt !== undefined && { seenAt: last.seenAt }),
  };
}

/** Whether something that happens at `now` belongs to a new pass. */
export const isOver = (pass: SitePass | undefined, now: number): boolean =>
  pass === undefined || (pass.until !== undefined && now >= pass.until);

/** Less than this share of the pages of the last pass is reported. */
const FEWER = 0.9;

/** How the pass went by its counts; undefined: nothing was answered. */
export function outcomeOf(pass: Omit<SitePass, 'since'>): SiteOutcome | undefined {
  const { pages, gone = 0, blocked = 0, failed = 0, before, to, isPartial } = pass;
  if (blocked > pages && blocked >= gone && blocked >= failed) return 'blocked';
  if (pages > 0) return before !== undefined && !isPartial && pages < FEWER * before ? 'fewer' : 'done';
  if (gone > 0 && gone >= failed) return 'gone';
  if (failed > 0) return 'failed';
  return to === undefined ? undefined : 'moved';
}

/**
 * The part of a pass that others must know at once. It changes when a pass begins, when it is reported, and every three
 * hours in which there were pages.
 */
export const noteOf = (pass: SitePass | undefined): string | undefined =>
  pass && JSON.stringify([pass.since, pass.said, Math.floor((pass.seenAt ?? 0) / NOTED_MS)]);

const NOTED_MS = 3 * 3_600_000;
