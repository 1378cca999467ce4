/** Copies that are to be fetched once more, as their original is no page: those that the ledger has in memory. */
import { expect, test } from 'vitest';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import type { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { isRestoredDuplicate, type UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { RestoredDuplicates } from '../../../shared/crawler/turn/copies/restored-duplicates.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { T0 } from '../worker/fake-clock.ts';
import { crawlOfTurn, newLedger, ORIGIN, recordOf } from './turn-fakes.ts';

const COPY = `${ORIGIN}/copy`;
const OTHER = `${ORIGIN}/other`;
const ORIGINAL = `${ORIGIN}/original`;
const NOW = T0 + 1000;

const copyOf = (url: string, more: Partial<UrlRecord> = {}): UrlRecord =>
  recordOf(url, {
    state: 'fetched',
    attempts: 2,
    result: { fetchedAt: T0, httpStatus: 200, duplicateOf: ORIGINAL },
    ...more,
  });

/** `copies`: how many of the host's pages have counted as copies before. */
async function open(records: readonly UrlRecord[], copies = 1) {
  const ledger = await newLedger();
  for (const record of records) ledger.addSettled(record);
  const hints: Record<string, number> = copies > 0 ? { canonicalCopy: copies } : {};
  const counters = new TurnCounters({ ...NO_TOTALS, hints }, newStats());
  const freed = new RestoredDuplicates({
    crawl: crawlOfTurn(),
    ledger,
    counters,
    recrawl: { demand: { replace: () => {} } },
  });
  return { ledger, counters, freed };
}

const isFreed = async (ledger: HostLedger, url: string) => {
  const record = await ledger.lookUp(url);
  return record !== undefined && isRestoredDuplicate(record);
};

test('all copies that the ledger has in memory are freed, also those of earlier turns', async () => {
  const elsewhere = copyOf(`${ORIGIN}/elsewhere`, { result: { fetchedAt: T0, duplicateOf: OTHER } });
  const { ledger, freed } = await open([copyOf(COPY), copyOf(OTHER), elsewhere], 3);
  // It was found on another page than its copies.
  await freed.take(recordOf(ORIGINAL, { state: 'gone', via: `${ORIGIN}/` }), NOW);
  expect(await isFreed(ledger, COPY)).toBe(true);
  expect(await isFreed(ledger, OTHER)).toBe(true);
  expect(await isFreed(ledger, elsewhere.url)).toBe(false);
});

test('a copy that is freed has all its tries', async () => {
  const { ledger, freed } = await open([copyOf(COPY)]);
  await freed.take(recordOf(ORIGINAL, { state: 'failed', via: COPY }), NOW);
  expect(await ledger.lookUp(COPY)).toMatchObject({ state: 'waiting', attempts: 0, dueAt: NOW });
});

test('a copy whose original was settled while it was fetched is freed', async () => {
  const copy = copyOf(COPY);
  const { ledger, counters, freed } = await open([recordOf(ORIGINAL, { state: 'gone' }), copy], 0);
  await freed.take(copy, NOW);
  expect(await isFreed(ledger, COPY)).toBe(true);
  expect(counters.totals.hints).toEqual({ canonicalCopy: 1 });
});

test('a copy to which another host has redirected notes that', async () => {
  const elsewhere = 'http://b.test/';
  const copy = copyOf(COPY, { via: `${ORIGIN}/`, result: { fetchedAt: T0, duplicateOf: elsewhere } });
  const { ledger, freed } = await open([copy]);
  const link = { url: COPY, depth: 1 };
  await freed.freeTargets(
    [
      { ...link, via: elsewhere },
      { ...link, via: OTHER, redirects: 1 },
    ],
    NOW,
  );
  expect(await isFreed(ledger, COPY)).toBe(false);
  await freed.freeTargets([{ ...link, via: elsewhere, redirects: 2 }], NOW);
  expect(await ledger.lookUp(COPY)).toMatchObject({ state: 'waiting', via: elsewhere, redirects: 2 });
});

test.each(['waiting', 'fetched'] as const)('a copy of what is %s stays one', async (state) => {
  const copy = copyOf(COPY);
  const { ledger, freed } = await open([recordOf(ORIGINAL, { state }), copy], 0);
  await freed.take(copy, NOW);
  await freed.take(recordOf(ORIGINAL, { state, via: COPY }), NOW);
  expect(await isFreed(ledger, COPY)).toBe(false);
});

test('one that is found after the copies were looked for is freed, too', async () => {
  const { ledger, freed } = await open([copyOf(COPY)]);
  await freed.take(recordOf(OTHER, { state: 'gone' }), NOW);
  const late = copyOf(`${ORIGIN}/late`);
  ledger.addSettled(late);
  await freed.take(late, NOW);
  await freed.take(recordOf(ORIGINAL, { state: 'redirect' }), NOW);
  expect(await isFreed(ledger, late.url)).toBe(true);
  expect(await isFreed(ledger, COPY)).toBe(true);
});

test('what concerns no copy, nor what was one, changes nothing', async () => {
  const results = [undefined, { fetchedAt: T0 }, { fetchedAt: T0, duplicateOf: ORIGINAL }];
  const records = (['waiting', 'fetched', 'gone', 'redirect', 'failed', 'skipped'] as const).flatMap(
    (state) => results.map((result) => recordOf(COPY, { state, result, via: OTHER })),
  );
  const pairs = records.flatMap((record) =>
    [undefined, ...records].map((before) => [record, before] as const),
  );
  const { freed } = await open([]);
  const unconcerned = pairs.filter((pair) => !freed.concerns(...pair));
  // Fetched, and neither it nor the record before names an original.
  expect(unconcerned).toHaveLength(2 * (1 + 2 * 6));
  for (const [record, before] of unconcerned) {
    const { ledger, counters, freed } = await open([copyOf(OTHER), recordOf(ORIGINAL, { state: 'gone' })]);
    await freed.take(record, NOW, before);
    expect(counters.totals.hints).toEqual({ canonicalCopy: 1 });
    expect(await isFreed(ledger, OTHER)).toBe(false);
  }
});
