import {
  areHooksBroken,
  isAtMaxCost,
  isIncomplete,
  isUpToDate,
  isWithoutProxy,
  isWithoutSeed,
} from '../shared/services/report/crawl-outcome.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';

/** The exit codes of `strand`. Scripts rely on these numbers: they never change their meaning. */
export const exitCodes = {
  /** All that could be reached within the scope was reached, or was fetched again; or the question was answered. */
  finished: 0,
  /** A bug, or a failure of our own services: the disk, the ledger store. The crawl can be resumed. */
  unexpected: 1,
  /** Bad arguments or configuration, or a refusal (no contact, no such crawl). Nothing was begun. */
  usage: 2,
  /** A limit was reached first (pages, bytes, time, cost). Raise it with `resume`. */
  limited: 3,
  /**
   * The crawl ended, and no seed could be fetched: no host answered, robots.txt denied them, or all were
   * errors. Or `search` found no page.
   */
  nothingFetched: 4,
  /** The crawl ended, and a hook of the project failed at every page. */
  hooksFailed: 5,
  /** `report --broken` found links that lead nowhere. */
  brokenLinks: 6,
  /** The crawl was paused, as its proxy could not be used. Continue with `resume` when it can. */
  proxyFailed: 7,
  /**
   * The crawl ended, and a part was lost: hosts were given up while URLs waited, or refused the crawler, pages ended or blocked their process, or
   * responses broke off or could not be decoded.
   */
  incomplete: 8,
  /** Ended by a signal or by the operator; 128 + SIGINT, as in shells. Continue with `resume`. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** For the help. */
export const exitCodeTexts: Readonly<Record<keyof typeof exitCodes, string>> = {
  finished: 'finished',
  unexpected: 'unexpected error',
  usage: 'bad arguments or refused',
  limited: 'a limit was reached',
  nothingFetched: 'nothing could be fetched or found',
  hooksFailed: 'hooks failed',
  brokenLinks: 'broken links',
  proxyFailed: 'the proxy failed',
  incomplete: 'a part was lost',
  interrupted: 'interrupted',
};

/**
 * The code with which `crawl`, `resume` and `status --watch` end. That no seed was fetched outweighs that hooks
 * failed, and that outweighs that a limit was reached, and that outweighs that a part was lost.
 */
export function exitCodeOf(
  summary: Pick<CrawlSummary, 'state' | 'pages' | 'reasonCode' | 'seeds' | 'hooks' | 'losses'>,
): ExitCode {
  const isLimited = summary.state === 'limited' || isAtMaxCost(summary);
  if (isWithoutProxy(summary)) return exitCodes.proxyFailed;
  if (summary.state !== 'finished' && !isLimited && !isUpToDate(summary)) return exitCodes.interrupted;
  if (isWithoutSeed(summary)) return exitCodes.nothingFetched;
  if (areHooksBroken(summary)) return exitCodes.hooksFailed;
  if (isLimited) return exitCodes.limited;
  return isIncomplete(summary) ? exitCodes.incomplete : exitCodes.finished;
}
