import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import { HostLedger } from '../../../shared/core/frontier/ledger.ts';
import { EMPTY_INDEX, type LedgerIndex } from '../../../shared/core/frontier/ledger-index.ts';
import { isRefetch, URL_STATES, type UrlRecord } from '../../../shared/core/frontier/url-record.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const urlOf = (i: number) => `https://${HOST}/${i}`;

/** Runs of several levels after a few dozen records. */
const SMALL: Sizes = {
  ...SIZES,
  maxSegments: 1,
  maxSegmentRecords: 2,
  maxFreshRecords: 4,
  runRatio: 2,
  maxRunUrls: 40,
  blockRecords: 3,
  readAheadBytes: 64,
};

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A ledger that is opened again after each commit, with the parts as a store keeps them. */
class Host {
  readonly parts = new Map<string, Uint8Array>();
  index: LedgerIndex = EMPTY_INDEX;
  #version = 0;
  readonly #sizes: Sizes;

  constructor(sizes = SIZES) {
    this.#sizes = sizes;
  }

  open(): Promise<HostLedger> {
    const read = async (name: string, offset = 0, length?: number) => {
      const bytes = this.parts.get(name);
      if (!bytes) throw new Error(`no part ${name}`);
      return bytes.subarray(offset, length === undefined ? undefined : offset + length);
    };
    return HostLedger.open(HOST, this.index, read, this.#sizes);
  }

  async commit(ledger: HostLedger): Promise<HostLedger> {
    const { parts, index, obsolete } = await ledger.prepareCommit(String(++this.#version));
    for (const { name, bytes } of parts) this.parts.set(name, bytes);
    this.index = JSON.parse(JSON.stringify(index));
    for (const name of obsolete) expect(this.parts.delete(name), `${name} was there`).toBe(true);
    const named = [
      ...this.index.segments,
      ...this.index.runs.flatMap(({ id, again }) =>
        ['keys', 'ready', 'later', 'done', ...(again ? ['again'] : [])].map((part) => `${id}.${part}`),
      ),
    ];
    expect([...this.parts.keys()].sort(), 'exactly the parts that the index names').toEqual(named.sort());
    return this.open();
  }
}

const fetched = (record: UrlRecord, at: number, dueAt: number): UrlRecord => ({
  ...record,
  state: 'fetched',
  attempts: 0,
  dueAt,
  result: {
    fetchedAt: at,
    httpStatus: 200,
    contentType: 'text/html',
    location: { file: 'a-00001.warc.gz', offset: 1234, length: 567 },
  },
  recrawl: {
    history: 0x123456,
    rate: 200,
    changedAt: at - 5000,
    isBack: true,
    misses: 2,
    capturedAt: at - DAY,
    capturedUrl: 'https://other.example/',
    textDigest: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 255),
    etag: 'W/"é"',
    lastModified: undefined,
  },
});

async function take(ledger: HostLedger, url: string): Promise<UrlRecord> {
  ledger.merge({ url, depth: 1, via: undefined }, NOW);
  return (await ledger.next(NOW)) as UrlRecord;
}

describe('a URL that is to be fetched again', () => {
  test('is changed by a hint before it is due, wherever it is stored', async () => {
    const host = new Host(SMALL);
    let ledger = await host.open();
    for (let i = 0; i < 20; i++) {
      ledger.settle(fetched(await take(ledger, urlOf(i)), NOW, NOW + (i + 10) * DAY));
      if (i % 4 === 0) ledger = await host.commit(ledger);
    }
    const wanted = [3, 12, 19].map(urlOf);
    const found = await ledger.findAgain([...wanted, urlOf(99)], async () => {});
    expect(found.map(({ url }) => url).sort()).toEqual([...wanted].sort());
    const hint = { hints: 3, hintedAt: NOW + 12_345, newLinks: 200, history: 0xffffff, factor: 0 };
    for (const record of found)
      ledger.amend({
        ...record,
        dueAt: NOW + DAY,
        recrawl: { ...record.recrawl, ...hint } as UrlRecord['recrawl'],
      });
    for (let i = 20; i < 40; i++) {
      ledger.settle(fetched(await take(ledger, urlOf(i)), NOW, NOW + 90 * DAY));
      if (i % 4 === 0) ledger = await host.commit(ledger);
    }
    ledger = await host.commit(ledger);
    expect((await listOf(ledger.records())).length, 'each once').toBe(40);
    for (let n = 0; n < 3; n++) {
      const again = (await ledger.nextRefetch(NOW + DAY)) as UrlRecord;
      expect(wanted).toContain(again.url);
      expect(again.recrawl).toMatchObject(hint);
      ledger.settle({ ...again, dueAt: NOW + 100 * DAY });
    }
    expect(await ledger.nextRefetch(NOW + DAY)).toBeUndefined();
  });

  test('and was final until recrawl was switched on, is there once after its runs were merged', async () => {
    const host = new Host(SMALL);
    let ledger = await host.open();
    for (let i = 0; i < 20; i++) {
      ledger.settle({ ...fetched(await take(ledger, urlOf(i)), NOW, 0), recrawl: undefined });
      if (i % 4 === 0) ledger = await host.commit(ledger);
    }
    ledger = await host.commit(ledger);
    for (const record of await listOf(ledger.records()))
      ledger.amend({ ...fetched(record, NOW, NOW + DAY), depth: record.depth });
    ledger = await host.commit(ledger);
    for (let i = 20; i < 60; i++) {
      ledger.settle(fetched(await take(ledger, urlOf(i)), NOW, NOW + 90 * DAY));
      if (i % 4 === 0) ledger = await host.commit(ledger);
    }
    ledger = await host.commit(ledger);
    const records = await listOf(ledger.records());
    expect(records.map(({ url }) => url).sort()).toEqual(
      Array.from({ length: 60 }, (_, i) => urlOf(i)).sort(),
    );
    expect(records.every(isRefetch)).toBe(true);
  });

  test('is not changed by what was found before another lane fetched it', async () => {
    const ledger = await new Host().open();
    const record = fetched(await take(ledger, urlOf(1)), NOW, NOW + DAY);
    ledger.settle(record);
    const [found] = await ledger.findAgain([urlOf(1)], async () => {});
    const again = (await ledger.nextRefetch(NOW + DAY)) as UrlRecord;
    ledger.settle(fetched(again, NOW + DAY, NOW + 9 * DAY));
    ledger.amend({ ...(found as UrlRecord), dueAt: NOW + DAY });
    expect(ledger.refetchDueAt()).toBe(NOW + 9 * DAY);
    expect((await ledger.findAgain([urlOf(1)], async () => {}))[0]?.result?.fetchedAt).toBe(NOW + DAY);
  });

  test('is not changed while it is taken', async () => {
    const ledger = await new Host().open();
    const record = fetched(await take(ledger, urlOf(1)), NOW, NOW + DAY);
    ledger.settle(record);
    await ledger.nextRefetch(NOW + DAY);
    ledger.amend({ ...record, dueAt: NOW });
    ledger.settle({ ...record, dueAt: NOW + 2 * DAY });
    expect(ledger.refetchDueAt()).toBe(NOW + 2 * DAY);
  });

  test('is given when it is due, with all that is known of it, and counts once', async () => {
    const host = new Host();
    let ledger = await host.open();
    const first = fetched(await take(ledger, urlOf(1)), NOW, NOW + DAY);
    ledger.settle(first);
    expect(ledger.refetchDueAt()).toBe(NOW + DAY);
    ledger = await host.commit(ledger);

    expect(ledger.nextDueAt(NOW)).toBeUndefined();
    expect(ledger.refetchDueAt()).toBe(NOW + DAY);
    expect(await ledger.nextRefetch(NOW + DAY - 1)).toBeUndefined();
    const again = (await ledger.nextRefetch(NOW + DAY)) as UrlRecord;
    expect(again).toEqual({ ...first, seenAt: NOW });
    expect(await ledger.nextRefetch(NOW + DAY), 'not twice').toBeUndefined();
    await expect(ledger.prepareCommit('x')).rejects.toThrow('not settled');

    ledger.settle({ ...again, state: 'gone', dueAt: 0 });
    expect(ledger.counts).toMatchObject({ waiting: 0, fetched: 0, gone: 1 });
    ledger = await host.commit(ledger);
    expect(ledger.refetchDueAt()).toBeUndefined();
    expect(await listOf(ledger.records())).toMatchObject([{ url: urlOf(1), state: 'gone' }]);
  });

  test('a link to it changes nothing', async () => {
    const ledger = await new Host().open();
    ledger.settle(fetched(await take(ledger, urlOf(1)), NOW, NOW + DAY));
    expect(ledger.merge({ url: urlOf(1), depth: 0, isSeed: true, via: undefined }, NOW)).toBe(false);
    expect(await ledger.next(NOW + 2 * DAY)).toBeUndefined();
  });
});

/** One step of a random crawl. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('links' as const),
      urls: fc.array(fc.nat(50), { maxLength: 12 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fetch' as const),
      count: fc.integer({ min: 1, max: 8 }),
      days: fc.array(fc.nat(6), { minLength: 8, maxLength: 8 }),
      states: fc.array(fc.constantFrom(...URL_STATES), { minLength: 8, maxLength: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('sleep' as const), days: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hints' as const),
      urls: fc.uniqueArray(fc.nat(60), { maxLength: 6 }),
      days: fc.integer({ min: 0, max: 5 }),
    }),
  },
);

test('loses, doubles and forgets nothing, whatever is merged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
      const host = new Host(SMALL);
      const model = new Map<string, UrlRecord>();
      let ledger = await host.open();
      let now = NOW;
      for (const one of steps) {
        if (one.kind === 'sleep') now += one.days * DAY;
        else if (one.kind === 'commit') ledger = await host.commit(ledger);
        else if (one.kind === 'links')
          for (const i of one.urls) {
            const isNew = ledger.merge({ url: urlOf(i), depth: 1, via: undefined }, now);
            expect(isNew).toBe(!model.has(urlOf(i)));
            if (isNew) model.set(urlOf(i), { url: urlOf(i), state: 'waiting', dueAt: 0 } as UrlRecord);
          }
        else if (one.kind === 'hints') {
          const found = await ledger.findAgain(one.urls.map(urlOf), async () => {});
          const due = one.urls.flatMap((i) => model.get(urlOf(i)) ?? []).filter(isRefetch);
          expect(found.map(({ url }) => url).sort()).toEqual(due.map(({ url }) => url).sort());
          for (const record of found) {
            expect(record).toMatchObject({
              dueAt: model.get(record.url)?.dueAt,
              recrawl: { history: 0x123456 },
            });
            const dueAt = Math.min(record.dueAt, now + one.days * DAY);
            const recrawl = { ...record.recrawl, hints: 1, hintedAt: now } as UrlRecord['recrawl'];
            ledger.amend({ ...record, dueAt, recrawl });
            model.set(record.url, { ...record, dueAt });
          }
        } else
          for (let i = 0; i < one.count; i++) {
            const record = i % 2 === 0 ? await ledger.nextRefetch(now) : await ledger.next(now);
            const due = [...model.values()].filter(
              (r) =>
                (r.state === 'waiting') === (i % 2 !== 0) && r.dueAt <= now && (i % 2 !== 0 || r.dueAt > 0),
            );
            if (!record) {
              expect(due, 'nothing is due').toEqual([]);
              continue;
            }
            expect(due.map(({ url }) => url)).toContain(record.url);
            if (i % 2 === 0) expect(record.dueAt).toBe(Math.min(...due.map(({ dueAt }) => dueAt)));
            const days = one.days[i] as number;
            // A URL that was fetched never waits for its first fetch again.
            const drawn = one.states[i] as UrlRecord['state'];
            const state = i % 2 === 0 && drawn === 'waiting' ? 'fetched' : drawn;
            const next = { ...fetched(record, now, days === 0 ? 0 : now + days * DAY), state };
            model.set(record.url, next);
            ledger.settle(next);
          }
      }
      ledger = await host.commit(ledger);
      const listed = await listOf(ledger.records());
      const plain = ({ url, state, dueAt }: UrlRecord) => `${url} ${state} ${dueAt}`;
      expect(listed.map(plain).sort()).toEqual([...model.values()].map(plain).sort());
      for (const state of URL_STATES)
        expect(ledger.counts[state], state).toBe(listed.filter((record) => record.state === state).length);
      for (const { url, state } of model.values()) expect((await ledger.outcome(url))?.state).toBe(state);
      const times = [...model.values()]
        .filter((r) => r.state !== 'waiting' && r.dueAt > 0)
        .map((r) => r.dueAt);
      // A run's entry that a hint has outdated may give an earlier time: looking then finds nothing, and drops it.
      while (times.length === 0 || (ledger.refetchDueAt() ?? 0) < Math.min(...times)) {
        const early = ledger.refetchDueAt();
        if (early === undefined) break;
        expect(await ledger.nextRefetch(early), 'nothing is due').toBeUndefined();
      }
      expect(ledger.refetchDueAt()).toBe(times.length === 0 ? undefined : Math.min(...times));
    }),
    { numRuns: 100 },
  );
});
