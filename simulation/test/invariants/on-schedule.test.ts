import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../shared/core/crawl/schedule.ts';
import { NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import type { Facts } from '../../invariants/facts.ts';
import { onSchedule } from '../../invariants/on-schedule.ts';
import { readRobotsLog } from '../../invariants/robots-answers.ts';
import { readVisits } from '../../invariants/visits.ts';
import { T0 } from '../../models/virtual-time.ts';
import { momentAfter, SCHEDULES } from '../../worlds/schedules.ts';
import type { WebRequest } from '../../worlds/spec.ts';
import { crawlFacts, headAt, hostWith, makeFacts, PAGE, request, struck, urlRecord } from './made-facts.ts';

interface Case {
  /** When the page is due, s. */
  readonly dueAt?: number;
  readonly counted?: number;
  readonly strikes?: Facts['strikes'];
  /** When the crawl was set to that status, s. */
  readonly statuses?: readonly (readonly [status: 'running' | 'paused', at: number])[];
  /** Further requests. */
  readonly more?: readonly WebRequest[];
}

/** Findings of a page that was fetched at these seconds, by a schedule of each quarter of an hour. */
function found(
  at: readonly number[],
  { dueAt, counted, strikes, statuses = [['running', 0]], more = [] }: Case = {},
): string[] {
  const log = [...at.map((seconds) => request(PAGE, seconds, seconds + 0.1)), ...more];
  const totals = { ...NEW_HEAD.totals, requests: counted ?? log.length };
  const last = at.at(-1) ?? 0;
  const due = dueAt === undefined ? momentAfter(QUARTERS, T0 + last * 1000) : T0 + dueAt * 1000;
  const known = urlRecord(PAGE, 'fetched', 200, { attempts: 0, dueAt: due });
  const record = { ...known, result: { ...known.result, fetchedAt: T0 + last * 1000 } };
  const crawl = hostWith([headAt(9000, undefined, { totals })], [record], {
    recrawlSchedule: QUARTERS.expression,
  });
  const changes = [...statuses, ['stopped', last + 60] as const];
  const facts = makeFacts({
    log,
    crawls: [
      {
        ...crawl,
        statuses: changes.map(([status, seconds]) => ({
          ...crawlFacts().statuses[0],
          status,
          at: T0 + seconds * 1000,
        })) as typeof crawl.statuses,
      },
    ],
    ...(strikes && { strikes }),
  });
  return onSchedule(facts, readVisits(facts), readRobotsLog(facts)).map(({ message }) => message);
}

const QUARTERS = SCHEDULES[2] as (typeof SCHEDULES)[number];

test('the moments of worlds are those of their expressions', () => {
  expect(QUARTERS.minutes).toEqual([0, 15, 30, 45]);
  for (const schedule of SCHEDULES) {
    const { next } = parseSchedule(schedule.expression, schedule.timeZone ?? 'UTC');
    for (let at = T0; at < T0 + 7_200_000; at += 59_000)
      expect(momentAfter(schedule, at), schedule.expression).toBe(next(at));
  }
});

describe('onSchedule', () => {
  test('a page is fetched once at each moment', () => {
    expect(found([100, 905, 1850, 2701])).toEqual([]);
  });

  test('one that is fetched twice between two is found, unless its turn may have been lost', () => {
    const twice = [100, 920, 1500, 1805];
    expect(found(twice)).toEqual([
      `crawl: ${PAGE} was fetched T0+920.000 s and again T0+1500.000 s, before the moment T0+1800.000 s; 0 requests were lost with their turns`,
    ]);
    expect(found(twice, { counted: 3, strikes: struck('workerKilled') })).toEqual([]);
  });

  test('one that is passed over is found, but for a crawl that stands still, or a host that fails', () => {
    const skipped = [100, 2690];
    const message = `crawl: ${PAGE} was fetched T0+100.000 s, and again 1790.000 s after it: expected it at T0+900.000 s, 483.000 s later at most`;
    expect(found(skipped)).toEqual([message]);
    const paused = [
      ['running', 0],
      ['paused', 800],
      ['running', 2600],
    ] as const;
    expect(found(skipped, { statuses: paused })).toEqual([]);
    const failed = request('http://a.test/other', 1000, 1001, { httpStatus: 503 });
    expect(found(skipped, { more: [failed] })).toEqual([]);
    expect(found(skipped, { strikes: struck('messageLost') })).toEqual([]);
  });

  test('a due time before the moment is found', () => {
    expect(found([100], { dueAt: 400 })).toEqual([
      `crawl: ${PAGE} was fetched T0+100.000 s, and is due T0+400.000 s, expected T0+900.000 s`,
    ]);
    expect(found([100], { dueAt: 930 })).toEqual([]);
  });
});
