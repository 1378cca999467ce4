/** Pages that counted as copies of a URL which proved to be no page. */
import { describe, expect, test } from 'vitest';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import {
  RestoredDuplicates,
  type RestoredDuplicatesOptions,
} from '../../../../shared/crawler/turn/copies/restored-duplicates.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, newLedger, ORIGIN, recordOf } from '../turn-fakes.ts';

const COPY = `${ORIGIN}/page?print=1`;
const ORIGINAL = `${ORIGIN}/page`;
const LATER = T0 + 5000;

/** Copies of a host, of which `canonicalCopies` were counted by earlier turns. */
async function open(canonicalCopies?: number) {
  const counted: string[] = [];
  const replaced: unknown[] = [];
  const ledger = await newLedger();
  const totals = { hints: { canonicalCopy: canonicalCopies } };
  const copies = new RestoredDuplicates({
    crawl: crawlOfTurn({ nameOf: (url) => url.replace(/;.*/, '') }),
    ledger,
    counters: {
      totals,
      count(map: string, key: string) {
        counted.push(`${map} ${key}`);
        totals.hints.canonicalCopy = (totals.hints.canonicalCopy ?? 0) + 1;
      },
    },
    recrawl: {
      demand: {
        replace: (before: UrlRecord | undefined, after: UrlRecord) =>
          replaced.push([before?.state, after.state, after.url]),
      },
    },
  } as unknown as RestoredDuplicatesOptions);
  const copyOf = (url: string, duplicateOf: string | undefined, fields: Partial<UrlRecord> = {}) => {
    const record = recordOf(url, { state: 'fetched', result: { fetchedAt: T0, duplicateOf }, ...fields });
    if (ledger.has(url)) ledger.replaceOutcome(record);
    else ledger.addSettled(record);
    return record;
  };
  const stateOf = async (url: string) => (await ledger.lookUp(url))?.state;
  return { copies, ledger, counted, replaced, copyOf, stateOf };
}

const gone = (url: string, fields: Partial<UrlRecord> = {}) => recordOf(url, { state: 'gone', ...fields });

describe('a copy', () => {
  test('of this turn is fetched once more if its original proves to be no page', async () => {
    for (const state of ['gone', 'redirect', 'failed', 'skipped', 'deniedByRobots'] as const) {
      const { copies, ledger, counted, replaced, copyOf, stateOf } = await open();
      await copies.take(copyOf(COPY, ORIGINAL), T0);
      await copies.take(copyOf(`${COPY}2`, ORIGINAL), T0);
      expect(counted).toEqual(['hints canonicalCopy', 'hints canonicalCopy']);
      await copies.take(recordOf(ORIGINAL, { state }), LATER);
      expect([await stateOf(COPY), await stateOf(`${COPY}2`)], state).toEqual(['waiting', 'waiting']);
      expect((await ledger.lookUp(COPY))?.dueAt).toBe(LATER);
      expect(replaced).toEqual([
        ['fetched', 'waiting', COPY],
        ['fetched', 'waiting', `${COPY}2`],
      ]);
    }
  });

  test('stays one while its original waits, or is a page', async () => {
    const { copies, copyOf, stateOf } = await open();
    await copies.take(copyOf(COPY, ORIGINAL), T0);
    for (const state of ['waiting', 'fetched'] as const) {
      await copies.take(recordOf(ORIGINAL, { state, via: COPY }), LATER);
      expect(await stateOf(COPY)).toBe('fetched');
    }
  });

  test('of another page stays one', async () => {
    const { copies, copyOf, stateOf } = await open();
    await copies.take(copyOf(COPY, `${ORIGIN}/other`), T0);
    await copies.take(gone(ORIGINAL, { via: COPY }), LATER);
    expect(await stateOf(COPY)).toBe('fetched');
  });

  test('of an earlier turn is freed, whether its original was found on it, redirects to it, or neither', async () => {
    const to = { code: 'redirect', to: `${COPY};sid=7` } as const;
    for (const fields of [
      { via: COPY },
      { state: 'redirect', result: { fetchedAt: T0, cause: to } },
    ] as const) {
      const { copies, counted, copyOf, stateOf } = await open(1);
      copyOf(COPY, ORIGINAL);
      copyOf(`${COPY}2`, ORIGINAL);
      await copies.take(gone(ORIGINAL, fields), LATER);
      expect([await stateOf(COPY), await stateOf(`${COPY}2`), counted]).toEqual(['waiting', 'waiting', []]);
    }
  });

  test('is freed by what is known of it then, though it was none when it was asked for before', async () => {
    const { copies, copyOf, stateOf } = await open(1);
    copyOf(COPY, undefined);
    await copies.take(gone(`${ORIGIN}/other`, { via: COPY }), T0);
    expect(await stateOf(COPY)).toBe('fetched');
    copyOf(COPY, ORIGINAL);
    await copies.take(gone(ORIGINAL, { via: COPY }), LATER);
    expect(await stateOf(COPY)).toBe('waiting');
  });

  test('is freed if its original, on another host, has redirected to it', async () => {
    const { copies, copyOf, stateOf } = await open(1);
    const away = 'http://b.test/page';
    copyOf(COPY, away);
    copyOf(`${COPY}2`, away);
    const links: Partial<Link>[] = [
      { url: COPY, redirects: 1, via: away, depth: 2 },
      { url: `${COPY}2`, via: away, depth: 2 },
      { url: ORIGINAL, redirects: 1, depth: 2 },
    ];
    await copies.freeTargets(links as Link[], LATER);
    expect([await stateOf(COPY), await stateOf(`${COPY}2`)]).toEqual(['waiting', 'fetched']);
  });
});

test('a host without copies is not asked for the outcome of any URL', async () => {
  const { copies, ledger, copyOf, stateOf } = await open();
  copyOf(COPY, ORIGINAL);
  ledger.outcome = () => Promise.reject(new Error('it was asked'));
  await copies.take(gone(ORIGINAL, { via: COPY }), LATER);
  expect(await stateOf(COPY)).toBe('fetched');
});

test('a URL that names itself, or redirects to itself, is no copy', async () => {
  const { copies, copyOf, stateOf } = await open(1);
  copyOf(ORIGINAL, ORIGINAL);
  const cause = { code: 'redirect', to: ORIGINAL } as const;
  await copies.take(recordOf(ORIGINAL, { state: 'redirect', result: { fetchedAt: T0, cause } }), LATER);
  expect(await stateOf(ORIGINAL)).toBe('fetched');
});
