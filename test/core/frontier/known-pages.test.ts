/** Known pages that a ledger is asked for again and again, as hints name them: by runs that are read and replaced. */
import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import type { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { createHost, fetched, link, NOW } from './stored-host.ts';

const DAY = 86_400_000;
const SMALL = { ...SIZES, maxSegments: 1, maxSegmentRecords: 2, maxFreshRecords: 4, blockRecords: 3 };

/** The record as a fetch at that time leaves it, if it is to be fetched again at `dueAt`. */
function again(record: UrlRecord, at: number, dueAt: number): UrlRecord {
  const { result, ...rest } = fetched(record);
  return {
    ...{ ...rest, dueAt, result: { ...result, fetchedAt: at } as UrlRecord['result'] },
    recrawl: { history: 1, rate: 100, changedAt: at, misses: 0, capturedAt: at },
  };
}

async function fetchSome(ledger: HostLedger, names: readonly string[], dueAt: (name: string) => number) {
  for (const name of names) {
    ledger.merge(link(name), NOW);
    const record = (await ledger.next(NOW)) as UrlRecord;
    ledger.settle(again(record, NOW, dueAt(name)));
  }
}

test('a known page is found as its last fetch has left it, however often it was asked for before', async () => {
  const host = createHost(SMALL);
  const ledger = await host.open();
  const found = async () => {
    const urls = ['/often', '/rarely'].map((path) => link(path).url);
    const records = await ledger.findAgain(urls, async () => {});
    return records.map(({ url, result }) => [new URL(url).pathname, result?.fetchedAt]).sort();
  };
  /** More pages, so that all records go into runs. */
  const commitWith = async (names: readonly string[]) => {
    await fetchSome(ledger, names, (name) => NOW + (name === '/often' ? 1 : 100) * DAY);
    await host.commit(ledger);
    expect([...ledger.inMemory()]).toEqual([]);
  };
  await commitWith(['/often', '/rarely', '/a', '/b', '/c']);
  expect(await found()).toEqual([
    ['/often', NOW],
    ['/rarely', NOW],
  ]);
  for (let day = 1; day < 4; day++) {
    const record = (await ledger.nextRefetch(NOW + day * DAY)) as UrlRecord;
    expect(record.url).toBe(link('/often').url);
    ledger.settle(again(record, NOW + day * DAY, NOW + (day + 1) * DAY));
    await commitWith(['d', 'e', 'f', 'g', 'h'].map((name) => `/${name}${day}`));
    expect(await found()).toEqual([
      ['/often', NOW + day * DAY],
      ['/rarely', NOW],
    ]);
  }
});
