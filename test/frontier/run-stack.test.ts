/** The runs of a ledger: how they are read when known pages are looked for. */
import { expect, test } from 'vitest';
import { openRunStack } from '../../shared/frontier/run-stack.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { SIZES } from '../../shared/sizes.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;
const SMALL = { ...SIZES, runRatio: 2, blockRecords: 3 };
const urlOf = (i: number) => `https://${HOST}/${i}`;

/** A page that was fetched and is due again. */
const pageOf = (i: number): UrlRecord => ({
  url: urlOf(i),
  state: 'fetched',
  kind: undefined,
  depth: 1,
  level: 0,
  via: undefined,
  seenAt: NOW,
  redirects: 0,
  attempts: 0,
  dueAt: NOW + 86_400_000,
  result: { fetchedAt: NOW, httpStatus: 200 } as UrlRecord['result'],
  recrawl: { history: 1, rate: 100, changedAt: NOW, misses: 0, capturedAt: NOW },
});

/** Runs with these numbers of pages, the newest first; and how their parts are read. */
async function open(...counts: number[]) {
  const parts = new Map<string, Uint8Array>();
  const seen = { lists: [] as string[], reading: 0, most: 0 };
  const read = async (name: string, offset = 0, length?: number) => {
    seen.most = Math.max(seen.most, ++seen.reading);
    if (name.endsWith('.again')) seen.lists.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    seen.reading--;
    return parts.get(name)!.subarray(offset, length === undefined ? undefined : offset + length);
  };
  const built = await openRunStack(HOST, [], read, SMALL);
  let next = 0;
  for (const [i, count] of counts.toReversed().entries()) {
    const pages = Array.from({ length: count }, () => pageOf(next++));
    const pushed = await built.push(`r${i}`, pages);
    expect(pushed.obsolete).toEqual([]);
    for (const { name, bytes } of pushed.parts) parts.set(name, bytes);
  }
  const runs = await openRunStack(HOST, built.entries(), read, SMALL);
  Object.assign(seen, { lists: [], most: 0 });
  return { runs, seen };
}

test('known pages are looked for in one list after the other, so that one is in memory at a time', async () => {
  const { runs, seen } = await open(5, 20, 80);
  let pauses = 0;
  const wanted = Array.from({ length: 105 }, (_, i) => urlOf(i));
  const found = await runs.findAgain([...wanted, urlOf(999)], async () => {
    pauses++;
  });
  expect(found.map(({ url }) => url).sort()).toEqual(wanted.sort());
  expect(seen.lists).toHaveLength(3);
  expect(seen.most).toBe(1);
  // After each block of three.
  expect(pauses).toBe(2 + 7 + 27);
});

test('a list that has none of the pages is not read', async () => {
  const { runs, seen } = await open(5, 20, 80);
  const found = await runs.findAgain([urlOf(3), urlOf(7), urlOf(999)], async () => {});
  expect(found.map(({ url }) => url).sort()).toEqual([urlOf(3), urlOf(7)]);
  expect(seen.lists).toHaveLength(1);
});
