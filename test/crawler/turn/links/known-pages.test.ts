/** Recrawl is switched on: known pages are given due times, over several turns if there are many. */
import { expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { KnownPages } from '../../../../shared/crawler/turn/links/known-pages.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { ORIGIN, recordOf } from '../turn-fakes.ts';

interface Situation {
  readonly pages: number;
  readonly isStarting?: boolean;
  /** Pages that get no due time. Default: none. */
  readonly isLeft?: (record: UrlRecord) => boolean;
}

async function adopt({ pages, isStarting = true, isLeft = () => false }: Situation) {
  const records = Array.from({ length: pages }, (_, n) => recordOf(`${ORIGIN}/${n}`, { state: 'fetched' }));
  const seen = { records: 0, pauses: [] as number[], amended: [] as UrlRecord[], replaced: 0 };
  const ledger = {
    async *records() {
      for (const record of records) {
        seen.records++;
        yield record;
      }
    },
    amend: (record: UrlRecord) => void seen.amended.push(record),
  };
  const recrawl = {
    isStarting,
    adopted: (record: UrlRecord, now: number) => (isLeft(record) ? undefined : { ...record, dueAt: now + 1 }),
    demand: {
      replace(before: UrlRecord, after: UrlRecord) {
        expect(after).toEqual({ ...before, dueAt: T0 + 1 });
        seen.replaced++;
      },
    },
  };
  const services = {
    engine: { clock: { now: () => T0 } },
    work: { pause: async () => void seen.pauses.push(seen.records) },
  };
  await new KnownPages(services as never, { ledger, recrawl } as never).adopt();
  return { ...seen, isStarting: recrawl.isStarting };
}

test('each page is due once, and the demand of the host counts it', async () => {
  const { amended, replaced, isStarting } = await adopt({
    pages: 30,
    isLeft: ({ url }) => url.endsWith('7'),
  });
  expect(new Set(amended.map(({ url }) => url)).size).toBe(27);
  expect([replaced, isStarting]).toEqual([27, false]);
});

test('the thread is free for others after every 1,000 pages', async () => {
  expect((await adopt({ pages: 999 })).pauses).toEqual([]);
  expect((await adopt({ pages: 3500 })).pauses).toEqual([1000, 2000, 3000]);
  // Also after pages that get no due time.
  expect((await adopt({ pages: 3500, isLeft: () => true })).pauses).toEqual([1000, 2000, 3000]);
});

test('a turn changes 20,000 pages at most, and the next turn goes on', async () => {
  const many = await adopt({ pages: 20_001 });
  expect([many.amended.length, many.replaced, many.isStarting]).toEqual([20_000, 20_000, true]);
  const all = await adopt({ pages: 20_000 });
  expect([all.amended.length, all.isStarting]).toEqual([20_000, false]);
  // Those that are due already do not count.
  const again = await adopt({ pages: 20_010, isLeft: ({ url }) => Number(url.split('/').at(-1)) < 20 });
  expect([again.amended.length, again.isStarting]).toEqual([19_990, false]);
});

test('nothing is read where recrawl was on before', async () => {
  expect(await adopt({ pages: 5, isStarting: false })).toMatchObject({ records: 0, amended: [] });
});
