import { describe, expect, test } from 'vitest';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { EMPTY_INDEX } from '../../../shared/core/frontier/ledger-index.ts';
import type { UrlRecord, UrlState } from '../../../shared/core/frontier/url-record.ts';
import type { Facts } from '../../invariants/facts.ts';
import { goneAndBack } from '../../invariants/gone-and-back.ts';
import { readRobotsLog } from '../../invariants/robots-answers.ts';
import { readVisits } from '../../invariants/visits.ts';
import { T0 } from '../../models/virtual-time.ts';
import { crawlFacts, headAt, hostWith, makeFacts, request, struck, urlRecord } from './made-facts.ts';

const WEEK = 7 * 86_400;
const PAGE = 'http://a.test/page';
const pageOf = (i: number) => `${PAGE}/${i}`;

type Answer = readonly [url: string, seconds: number, httpStatus: number];

interface Case {
  readonly records: readonly UrlRecord[];
  readonly counted?: number;
  /** URLs that the head counts as gone. */
  readonly gone?: number;
  readonly strikes?: Facts['strikes'];
  readonly stoppedAt?: number;
  /** Kinds of changes of the page that were received. */
  readonly changes?: readonly string[];
  /** Pages that name another one as canonical. */
  readonly copies?: readonly string[];
}

function found(
  answers: readonly Answer[],
  { records, counted, gone = 0, strikes, stoppedAt, changes = [], copies = [] }: Case,
) {
  const log = answers.map(([url, at, httpStatus]) => request(url, at, at + 0.1, { httpStatus }));
  const totals = { ...NEW_HEAD.totals, requests: counted ?? log.length };
  const ledger = { ...EMPTY_INDEX, counts: { ...EMPTY_INDEX.counts, gone } };
  const heads = [headAt(2 * WEEK, undefined, { totals, ledger })];
  const crawl = hostWith(heads, records, { recrawlEveryMs: 600_000, changeFeed: true });
  const statuses = [
    { ...crawlFacts().statuses[0], status: 'stopped', at: T0 + (stoppedAt ?? 3000) * 1000 },
  ] as typeof crawl.statuses;
  const pageChanges = changes.map((change, i) => ({
    id: `${i} ${change} ${PAGE}`,
    change: 'changed' as const,
    url: PAGE,
    at: new Date(T0).toISOString(),
  }));
  const made = makeFacts({
    log,
    crawls: [{ ...crawl, statuses }],
    pageChanges,
    ...(strikes && { strikes }),
  });
  const canonicalOf = (url: string) => (copies.includes(url) ? `${PAGE}/first` : undefined);
  const facts = { ...made, web: { ...made.web, canonicalOf } };
  return goneAndBack(facts, readVisits(facts), readRobotsLog(facts)).map(({ message }) => message);
}

/** As the fetch at that second left it. */
function record(url: string, state: UrlState, seconds: number, dueIn: number, misses = 0): UrlRecord {
  const httpStatus = state === 'gone' ? 404 : 200;
  const known = urlRecord(url, state, httpStatus, { attempts: 0, dueAt: T0 + (seconds + dueIn) * 1000 });
  const recrawl = { history: 0x010203, rate: 0, misses, changedAt: 0, capturedAt: 0 };
  return { ...known, recrawl, result: { ...known.result, fetchedAt: T0 + seconds * 1000 } };
}

const GONE = record(PAGE, 'gone', 700, WEEK, 1);
const WENT: readonly Answer[] = [
  [PAGE, 10, 200],
  [PAGE, 700, 404],
];
const CHANGES = ['new', 'gone'];

describe('a page that is gone', () => {
  test('is asked for after a week', () => {
    expect(found(WENT, { records: [GONE], changes: CHANGES })).toEqual([]);
    const back = record(PAGE, 'fetched', WEEK + 800, 600);
    const answers: readonly Answer[] = [...WENT, [PAGE, WEEK + 800, 200]];
    const changes = [...CHANGES, 'back'];
    expect(found(answers, { records: [back], stoppedAt: WEEK + 900, changes })).toEqual([]);
  });

  test('and not before, unless its turn may have been lost', () => {
    const answers: readonly Answer[] = [...WENT, [PAGE, 1400, 404]];
    expect(found(answers, { records: [GONE], changes: CHANGES })).toEqual([
      `crawl: ${PAGE} was answered with 404 T0+700.000 s and requested again 700.000 s later, expected 7 days; 0 requests were lost with their turns`,
    ]);
    const lost = { records: [GONE], counted: 2, strikes: struck('workerKilled'), changes: CHANGES };
    expect(found(answers, lost)).toEqual([]);
  });

  test('and a week after it was answered again, if the first answer was lost with its turn', () => {
    const answers: readonly Answer[] = [...WENT, [PAGE, 1400, 404], [PAGE, WEEK + 1500, 404]];
    const lost = { records: [GONE], strikes: struck('workerKilled'), changes: CHANGES };
    expect(found(answers, { ...lost, counted: 3 })).toEqual([]);
    expect(found(answers, { ...lost, counted: 4 })).toHaveLength(1);
    const soon: readonly Answer[] = [...answers.slice(0, 3), [PAGE, WEEK + 600, 404]];
    expect(found(soon, { ...lost, counted: 3 })).toHaveLength(2);
  });

  test('the second time after two', () => {
    const early: readonly Answer[] = [...WENT, [PAGE, WEEK + 700, 404], [PAGE, 2 * WEEK + 700, 404]];
    expect(found(early, { records: [GONE], changes: CHANGES })[0]).toContain('expected 14 days');
  });

  test('has that due time, and is not passed over', () => {
    const soon = record(PAGE, 'gone', 700, 600, 1);
    expect(found(WENT, { records: [soon], changes: CHANGES })).toEqual([
      `crawl: ${PAGE} was not there T0+700.000 s, and is due 600.000 s later, expected 7 days`,
    ]);
    expect(found(WENT, { records: [GONE], stoppedAt: WEEK + 9000, changes: CHANGES })).toEqual([
      `crawl: ${PAGE} was not there T0+700.000 s, and was due T0+${WEEK + 700}.000 s`,
    ]);
  });

  test('has the state that the web says', () => {
    const there = record(PAGE, 'fetched', 700, 600);
    expect(found(WENT, { records: [there], changes: CHANGES })).toEqual([
      `crawl: ${PAGE} is fetched, and the web's last answer, T0+700.100 s, was 404`,
    ]);
    const failing: readonly Answer[] = [
      [PAGE, 10, 200],
      [PAGE, 700, 503],
    ];
    expect(found(failing, { records: [GONE], changes: CHANGES })).toEqual([
      `crawl: ${PAGE} is gone, and the web's last answer, T0+10.100 s, was 200`,
    ]);
  });

  test('is reported, and when it is back', () => {
    expect(found(WENT, { records: [GONE], changes: ['new'] })).toEqual([
      `crawl: ${PAGE} was gone 1 times, and 0 such changes were reported`,
    ]);
    const back = record(PAGE, 'fetched', WEEK + 800, 600);
    const answers: readonly Answer[] = [...WENT, [PAGE, WEEK + 800, 200]];
    expect(found(answers, { records: [back], stoppedAt: WEEK + 900, changes: CHANGES })).toEqual([
      `crawl: ${PAGE} was back 1 times, and 0 such changes were reported`,
    ]);
  });
});

test('pages of a host that answers 404 everywhere keep their copies', () => {
  const pages = Array.from({ length: 12 }, (_, i) => pageOf(i));
  const answers = [
    ...pages.map((url, i) => [url, i, 200] as const),
    ...pages.map((url, i) => [url, 700 + i, 404] as const),
  ];
  const recordsOf = (firstKept: number) =>
    pages.map((url, i) =>
      i < firstKept ? record(url, 'gone', 700 + i, WEEK, 1) : record(url, 'fetched', i, 1300),
    );
  const goneAndKept = (firstKept: number, copies: readonly string[] = []) =>
    found(answers, { records: recordsOf(firstKept), gone: firstKept, copies }).filter(
      (text) => !text.includes('reported'),
    );
  expect(goneAndKept(5)).toEqual([]);
  expect(goneAndKept(6)).toEqual([]);
  // The first four are gone: so few are no sign of trouble.
  expect(goneAndKept(3)).toHaveLength(1);
  expect(goneAndKept(12)).toHaveLength(6);
  // A copy that is fetched once more is a new page, so it says nothing of the host.
  expect(goneAndKept(12, pages.slice(3, 6))).toHaveLength(3);
  expect(goneAndKept(12, pages)).toEqual([]);
});
