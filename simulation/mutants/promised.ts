/**
 * Mutants of promises: for each invariant of crawls that fetch pages again, and for each promise of a stack's workers
 * (`promised-packing.ts`), of sites that refuse (`promised-refusals.ts`), of accounts (`promised-accounts.ts`) and of passwords (`promised-passwords.ts`), changes of the
 * program that break it, and the worlds or test files that must notice them. `npm run mutants -- --promises` makes and judges them.
 * Others are drawn by chance (`mutants.ts`); these are chosen, so that each promise is seen to be watched.
 */
import type { WorldSpec } from '../worlds/spec.ts';
import type { PromiseMutant } from './promise-mutant.ts';
import { ACCOUNT_MUTANTS } from './promised-accounts.ts';
import { PACKING_MUTANTS } from './promised-packing.ts';
import { PASSWORD_MUTANTS } from './promised-passwords.ts';
import { REFUSAL_MUTANTS } from './promised-refusals.ts';
import { RENDERING_MUTANTS } from './promised-rendering.ts';

const PRICE = 'no page is fetched again before its interval, or its price, allows it';
const BUDGET = 'the budget of a day is kept, and used';
const ONCE = 'records() returns each URL once';
const CAPTURES = 'no capture is lost or doubled';
const LOCATION = 'a 304 never loses a location';
const MOMENTS = 'a crawl with a schedule fetches each page at each of its times once';
const GONE = 'a page is gone as long as the site says so, and no longer';
const STORED = 'a crawl stored by the previous version continues';

const PLAN = 'shared/crawler/turn/recrawl/recrawl-plan.ts';
const TIMES = 'shared/crawler/turn/recrawl/fetch-times.ts';
const DEMAND = 'shared/crawler/turn/recrawl/host-demand.ts';
const VANISHING = 'shared/crawler/turn/recrawl/vanishing-watch.ts';
const OF_BUDGET = ['test/crawler/worker/recrawl-budget.test.ts'];

const RECRAWL_MUTANTS: readonly PromiseMutant[] = [
  {
    promise: PRICE,
    what: 'pages are due after half their interval',
    file: TIMES,
    edits: [
      [
        'Math.ceil((from + until * DAY_MS) / 1000) * 1000 };',
        'Math.ceil((from + (until * DAY_MS) / 2) / 1000) * 1000 };',
      ],
      ['NEARLY * this.#waitDays(', '0.4 * this.#waitDays('],
    ],
    breaks: ['refetched'],
  },
  {
    promise: PRICE,
    what: 'a page that is due is fetched though the price has risen since',
    file: TIMES,
    edits: [['(now - result.fetchedAt) / DAY_MS >= NEARLY * this.#waitDays(record, recrawl)', 'true']],
    tests: ['test/crawler/turn/recrawl/recrawl-plan.test.ts'],
  },
  {
    promise: BUDGET,
    what: 'the price is that of four times the budget',
    file: TIMES,
    edits: [['priceFor(curveOf(demand), perDay)', 'priceFor(curveOf(demand), 4 * perDay)']],
    tests: OF_BUDGET,
  },
  {
    promise: BUDGET,
    what: 'the price is that of nine tenths of the budget',
    file: TIMES,
    edits: [['priceFor(curveOf(demand), perDay)', 'priceFor(curveOf(demand), 0.9 * perDay)']],
    tests: OF_BUDGET,
  },
  {
    promise: BUDGET,
    what: 'the demand of a page that was fetched again counts twice',
    file: DEMAND,
    edits: [['addDemand(subtractDemand(this.#curve, removed), added)', 'addDemand(this.#curve, added)']],
    tests: OF_BUDGET,
  },
  {
    promise: ONCE,
    what: 'two runs are merged without dropping the older record of a URL that was fetched again',
    file: 'shared/core/frontier/run.ts',
    edits: [
      [
        'if (!newer.again && !isDoneInBoth(host, newer, older)) return [newer.done, older.done];',
        'if (newer) return [newer.done, older.done];',
      ],
    ],
    tests: ['test/core/frontier/ledger-again.test.ts'],
  },
  {
    promise: ONCE,
    what: 'the list of URLs that are due again keeps the older record beside the newer one',
    file: 'shared/core/frontier/run.ts',
    edits: [['...restOfAgain(older).filter(notIn(newer.keys))', '...restOfAgain(older)']],
    tests: ['test/core/frontier/ledger-again.test.ts'],
  },
  {
    promise: CAPTURES,
    what: 'a 304 is not archived',
    file: 'shared/crawler/turn/recrawl/refetch.ts',
    edits: [['if (sha1) await', 'if (sha1 && response.httpStatus !== 304) await']],
    breaks: ['capturesKept'],
  },
  {
    promise: CAPTURES,
    what: 'a response with the same payload is archived twice',
    file: 'shared/crawler/turn/recrawl/refetch.ts',
    edits: [
      [
        'if (sha1) await',
        'if (sha1 && response.httpStatus !== 304) await output.archive(record, response, undefined);\n    if (sha1) await',
      ],
    ],
    breaks: ['capturesKept'],
  },
  {
    promise: LOCATION,
    what: 'the record of a page that was not modified has no location',
    file: PLAN,
    edits: [
      [
        'const after = { ...before, result: { ...result, fetchedAt } };',
        'const after = { ...before, result: { ...result, fetchedAt, location: undefined } };',
      ],
    ],
    breaks: ['announcedOnce'],
  },
  {
    promise: LOCATION,
    what: 'the revisit of a 304 refers to the time of the 304',
    file: 'shared/crawler/turn/recrawl/refetch.ts',
    edits: [['date: warcDate(known.capturedAt)', 'date: warcDate(startedAt)']],
    breaks: ['capturesKept'],
  },
  {
    promise: MOMENTS,
    what: 'pages are due an hour after the time of the schedule',
    file: TIMES,
    edits: [
      [
        'dueAt: this.#scheduledAfter(from, outcome, until) };',
        'dueAt: this.#scheduledAfter(from, outcome, until) + 3_600_000 };',
      ],
    ],
    breaks: ['onSchedule'],
  },
  {
    promise: MOMENTS,
    what: 'pages are due some minutes before the time of the schedule, and again at it',
    file: TIMES,
    edits: [
      [
        'dueAt: this.#scheduledAfter(from, outcome, until) };',
        'dueAt: this.#scheduledAfter(from, outcome, until) - 240_000 };',
      ],
      [
        'return (this.#schedule.next(result.fetchedAt) ?? Number.POSITIVE_INFINITY) <= now;',
        'return (this.#schedule.next(result.fetchedAt) ?? Number.POSITIVE_INFINITY) <= now + 240_000;',
      ],
    ],
    breaks: ['onSchedule'],
  },
  {
    promise: GONE,
    what: 'a page that is not there is asked for again after an hour',
    file: 'shared/core/recrawl/due-time.ts',
    edits: [
      ['const MISSING_DAYS: readonly number[] = [7,', 'const MISSING_DAYS: readonly number[] = [1 / 96,'],
    ],
    breaks: ['goneAndBack'],
  },
  {
    promise: GONE,
    what: 'a page that is gone is never asked for again',
    file: 'shared/core/recrawl/due-time.ts',
    edits: [['return GONE_DAYS[outcome.misses - 1];', 'return GONE_DAYS[outcome.misses + 9];']],
    breaks: ['goneAndBack'],
  },
  {
    promise: GONE,
    what: 'the copy stays though the page is gone',
    file: VANISHING,
    edits: [["return state === 'gone' && isVanished(", "return state === 'gone' || isVanished("]],
    breaks: ['goneAndBack'],
  },
  {
    promise: GONE,
    what: 'all pages of a host that answers 404 everywhere are gone',
    file: 'shared/core/recrawl/vanished-site.ts',
    edits: [['const MIN_GONE = 4.5;', 'const MIN_GONE = 45;']],
    tests: ['test/core/recrawl/vanished-site.test.ts'],
  },
  {
    promise: GONE,
    what: 'that a page is gone is not reported',
    file: 'shared/core/frontier/url-change.ts',
    edits: [["if (state === 'gone') return 'gone';", "if (state === 'gone') return undefined;"]],
    breaks: ['goneAndBack'],
  },
  {
    promise: GONE,
    what: 'a page that is back is reported as changed',
    file: 'shared/core/frontier/url-change.ts',
    edits: [["return isBack ? 'back' : 'changed';", "return 'changed';"]],
    breaks: ['goneAndBack'],
  },
  {
    promise: STORED,
    what: 'pages that were fetched before recrawl was switched on are never due',
    file: PLAN,
    edits: [
      [
        'return { ...record, attempts: 0, dueAt, ...(state',
        'return { ...record, attempts: 0, dueAt: 0, ...(state',
      ],
    ],
    tests: ['test/crawler/worker/switch-recrawl.test.ts'],
  },
];

export const PROMISE_MUTANTS: readonly PromiseMutant[] = [
  ...RECRAWL_MUTANTS,
  ...PACKING_MUTANTS,
  ...REFUSAL_MUTANTS,
  ...ACCOUNT_MUTANTS,
  ...PASSWORD_MUTANTS,
  ...RENDERING_MUTANTS,
];

/** Seeds 1 to `count`, without faults and with all in turn. */
export const promiseWorlds = (
  count: number,
  faults: WorldSpec['faults'],
  { worlds }: Pick<PromiseMutant, 'worlds'> = {},
): WorldSpec[] => {
  const kind = worlds === undefined ? { recrawls: true } : { [worlds]: true };
  return Array.from({ length: count }, (_, i) => [
    { seed: i + 1, faults: [], ...kind },
    { seed: i + 1, faults, ...kind },
  ]).flat();
};
