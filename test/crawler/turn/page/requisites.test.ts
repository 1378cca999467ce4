/** How many requisites wait, were sent elsewhere, and keep a crawl from its end. */
import { expect, test } from 'vitest';
import type { HostTotals } from '../../../../shared/core/frontier/host-totals.ts';
import { NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import { linkOf } from '../../../../shared/core/frontier/message.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { TurnCounters } from '../../../../shared/crawler/turn/counters.ts';
import { countRequisites } from '../../../../shared/crawler/turn/page/requisites.ts';
import { newStats } from '../../../../shared/crawler/turn/worker-stats.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, newLedger, ORIGIN } from '../turn-fakes.ts';

interface Situation {
  readonly before?: HostTotals['requisites'];
  /** Due times of the requisites that wait. */
  readonly waiting?: readonly number[];
  readonly pages?: number;
  /** Kinds of the links to other hosts. */
  readonly sent?: readonly ('requisite' | 'sitemap' | undefined)[];
  readonly nextFetchAt?: number;
  readonly isGivenUp?: boolean;
}

async function count({ before, waiting = [], pages = 0, sent = [], nextFetchAt = 0, isGivenUp }: Situation) {
  const ledger = await newLedger();
  for (const i of waiting.keys())
    ledger.merge(linkOf({ url: `${ORIGIN}/${i}.css`, depth: 1, kind: 'requisite' }), T0);
  const taken = await Promise.all(waiting.map(() => ledger.next(T0, false, true)));
  for (const [i, dueAt] of waiting.entries())
    ledger.settle({ ...(taken[i] as UrlRecord), dueAt, attempts: dueAt > 0 ? 1 : 0 });
  for (let i = 0; i < pages; i++) ledger.merge(linkOf({ url: `${ORIGIN}/${i}`, depth: 1 }), T0);
  const counters = new TurnCounters({ ...NO_TOTALS, ...(before && { requisites: before }) }, newStats());
  const outLinks = new Map(
    sent.map((kind, i) => [`http://b.test/${i}`, linkOf({ url: `http://b.test/${i}`, depth: 1, kind })]),
  );
  const allowedAt = (at: number) => Math.max(at, nextFetchAt);
  const pace = {
    nextFetchAt,
    allowedAt,
    givenUp: isGivenUp ? { cause: { code: 'hostFailed' }, at: T0 } : undefined,
  };
  countRequisites({ crawl: crawlOfTurn(), ledger, counters, pace, intake: { outLinks } } as never, T0);
  return counters.totals.requisites;
}

test('a host that never had requisites has no counts of them', async () => {
  expect(await count({})).toBeUndefined();
  expect(await count({ pages: 2, sent: [undefined, 'sitemap'] })).toBeUndefined();
});

test('those that wait are awaited, those for other hosts are added to what was sent', async () => {
  expect(await count({ waiting: [0, 0], pages: 3, sent: ['requisite', undefined, 'requisite'] })).toEqual({
    waiting: 2,
    sent: 2,
    awaited: 2,
  });
  expect(await count({ sent: ['requisite'] })).toEqual({ waiting: 0, sent: 1, awaited: 0 });
});

test('counts of earlier turns continue, and those that wait no more are 0', async () => {
  const before = { waiting: 5, sent: 7, awaited: 5, fetched: 9 };
  expect(await count({ before, pages: 1, sent: ['requisite'] })).toEqual({
    waiting: 0,
    sent: 8,
    awaited: 0,
    fetched: 9,
  });
});

test('those of a host that was given up are not awaited', async () => {
  expect(await count({ waiting: [0], isGivenUp: true })).toEqual({ waiting: 1, sent: 0, awaited: 0 });
});

test('those of a host that rests for more than 15 minutes are not awaited', async () => {
  const awaited = async (situation: Situation) => (await count({ waiting: [0], ...situation }))?.awaited;
  expect(await awaited({ nextFetchAt: T0 + 900_000 })).toBe(1);
  expect(await awaited({ nextFetchAt: T0 + 900_001 })).toBe(0);
  expect(await awaited({ waiting: [T0 + 900_000] })).toBe(1);
  expect(await awaited({ waiting: [T0 + 900_001] })).toBe(0);
  // The soonest of them decides, not before the host may be asked.
  expect(await awaited({ waiting: [T0 + 900_001, T0 + 5] })).toBe(2);
  expect(await awaited({ waiting: [T0 + 5], nextFetchAt: T0 + 900_001 })).toBe(0);
});

test('a due time that no right clock can have given does not keep the crawl waiting for it', async () => {
  expect((await count({ waiting: [T0 + 10 * 365 * 86_400_000] }))?.awaited).toBe(1);
});
