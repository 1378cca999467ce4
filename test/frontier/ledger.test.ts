import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HostLedger } from '../../shared/frontier/ledger.ts';
import { EMPTY_INDEX, type LedgerIndex } from '../../shared/frontier/ledger-index.ts';
import type { Link } from '../../shared/frontier/message.ts';
import { levelOf, rankOf } from '../../shared/frontier/rank.ts';
import { countUrls, type UrlRecord, type UrlState } from '../../shared/frontier/url-record.ts';
import { SIZES, type Sizes } from '../../shared/sizes.ts';
import type { UrlKind } from '../../shared/url/url-kind.ts';

const HOST = 'example.org';
const NOW = 1_800_000_000_000;

/** Parts in memory, as a ledger store keeps them. */
function createParts() {
  const parts = new Map<string, Uint8Array>();
  const read = async (name: string, offset = 0, length?: number) => {
    const bytes = parts.get(name);
    if (!bytes) throw new Error(`no part ${name}`);
    return bytes.subarray(offset, length === undefined ? undefined : offset + length);
  };
  return { parts, read };
}

/** A host's ledger over many turns, opened again for each, as a crash or another worker would. */
function createHost(sizes: Sizes = SIZES) {
  const { parts, read } = createParts();
  let index: LedgerIndex = EMPTY_INDEX;
  let version = 0;
  return {
    parts,
    get index() {
      return index;
    },
    open: () => HostLedger.open(HOST, index, read, sizes),
    async commit(ledger: HostLedger) {
      const commit = await ledger.prepareCommit(String(++version));
      for (const { name, bytes } of commit.parts) {
        expect(parts.has(name), `part ${name} is written once`).toBe(false);
        parts.set(name, bytes);
      }
      // A head is stored as JSON.
      index = JSON.parse(JSON.stringify(commit.index));
      for (const name of commit.obsolete) expect(parts.delete(name), `${name} was there`).toBe(true);
      return commit;
    },
  };
}

const link = (path: string, depth = 1, via?: string): Link => ({ url: `https://${HOST}${path}`, depth, via });

const fetched = (record: UrlRecord): UrlRecord => ({
  ...record,
  state: 'fetched',
  result: {
    fetchedAt: NOW + 5,
    httpStatus: 200,
    contentType: 'text/html',
    digest: Uint8Array.from({ length: 20 }, (_, i) => i * 7),
    location: { file: 'a-00001.warc.gz', offset: 1234, length: 567 },
  },
});

describe('a ledger of few URLs', () => {
  test('gives seeds first, then the less deep', async () => {
    const host = createHost();
    const ledger = await host.open();
    ledger.merge(link('/deep', 3), NOW);
    ledger.merge(link('/near', 1), NOW);
    ledger.merge({ ...link('/', 0), isSeed: true }, NOW);
    const order = [];
    for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW)) {
      order.push(r.url);
      ledger.settle(fetched(r));
    }
    expect(order).toEqual(['/', '/near', '/deep'].map((path) => `https://${HOST}${path}`));
  });

  test('of URLs equally deep, gives the one that more pages link to first', async () => {
    const ledger = await createHost().open();
    for (let i = 0; i < 50; i++) ledger.merge(link(`/once${i}`, 1, `https://${HOST}/from`), NOW);
    for (let i = 0; i < 300; i++) ledger.merge(link('/popular', 1, `https://${HOST}/p${i}`), NOW);
    const ranks = [];
    for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW)) {
      ranks.push([r.url, rankOf(r.depth, r.level)]);
      ledger.settle(fetched(r));
    }
    expect(ranks.findIndex(([url]) => url === `https://${HOST}/popular`)).toBeLessThan(5);
  });

  test('keeps the whole state of a URL', async () => {
    const host = createHost();
    let ledger = await host.open();
    ledger.merge(link('/a', 2, 'https://other.example/page'), NOW);
    const taken = (await ledger.next(NOW)) as UrlRecord;
    const settled = { ...fetched(taken), attempts: 1, redirects: 2 };
    ledger.settle(settled);
    await host.commit(ledger);
    ledger = await host.open();
    expect(await ledger.lookUp(taken.url)).toEqual({ ...settled, seenAt: NOW });
    expect(ledger.counts).toMatchObject({ waiting: 0, fetched: 1 });
  });

  test('gives a URL that waits for a time only then', async () => {
    const host = createHost();
    let ledger = await host.open();
    ledger.merge(link('/retry'), NOW);
    const taken = (await ledger.next(NOW)) as UrlRecord;
    ledger.settle({ ...taken, attempts: 1, dueAt: NOW + 60_000 });
    await host.commit(ledger);
    ledger = await host.open();
    expect(ledger.nextDueAt(NOW)).toBe(NOW + 60_000);
    expect(await ledger.next(NOW + 59_999)).toBeUndefined();
    expect((await ledger.next(NOW + 60_000))?.attempts).toBe(1);
  });

  test('loses no URL if the clock is set back after its due time', async () => {
    const ledger = await createHost().open();
    for (const path of ['/a', '/b', '/c']) ledger.merge(link(path), NOW);
    for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW))
      ledger.settle({ ...r, dueAt: NOW + 60_000 });
    const taken = (await ledger.next(NOW + 60_000)) as UrlRecord;
    ledger.settle(fetched(taken));
    expect(await ledger.next(NOW)).toBeUndefined();
    expect(ledger.nextDueAt(NOW)).toBe(NOW + 60_000);
    expect(await ledger.next(NOW + 60_000)).toBeDefined();
    expect(await ledger.next(NOW + 60_000)).toBeDefined();
  });

  test('refuses a commit while a URL is taken', async () => {
    const ledger = await createHost().open();
    ledger.merge(link('/a'), NOW);
    await ledger.next(NOW);
    await expect(ledger.prepareCommit('1')).rejects.toThrow('not settled');
  });

  test('a commit without changes stores nothing', async () => {
    const host = createHost();
    const commit = await host.commit(await host.open());
    expect(commit.parts).toEqual([]);
  });
});

describe('a ledger of many URLs', () => {
  test('lists a URL once that waited for its second try in one run and is done in a newer one', async () => {
    const host = createHost();
    let ledger = await host.open();
    for (let i = 0; i < 20_000; i++) ledger.merge(link(`/a/${i}`), NOW);
    const first = (await ledger.next(NOW)) as UrlRecord;
    ledger.settle({ ...first, attempts: 1, dueAt: NOW + 1000 });
    await host.commit(ledger);
    ledger = await host.open();
    const again = (await ledger.next(NOW + 1000)) as UrlRecord;
    expect(again).toMatchObject({ url: first.url, attempts: 1 });
    ledger.settle(fetched(again));
    for (let i = 0; i < 4500; i++) ledger.merge(link(`/b/${i}`), NOW);
    await host.commit(ledger);
    expect(host.index.runs.length).toBe(2);
    const found = [];
    for await (const record of (await host.open()).records())
      if (record.url === first.url) found.push(record.state);
    expect(found).toEqual(['fetched']);
    expect((await (await host.open()).lookUp(first.url))?.state).toBe('fetched');
  });

  test('gives a URL of a run that waits for a time no earlier than then, within the second', async () => {
    const host = createHost({ ...SIZES, maxSegments: 1, maxSegmentRecords: 0, maxFreshRecords: 1 });
    let ledger = await host.open();
    for (const path of ['/a', '/b']) ledger.merge(link(path), NOW);
    const first = (await ledger.next(NOW)) as UrlRecord;
    ledger.settle({ ...first, attempts: 1, dueAt: NOW + 1581 });
    ledger.settle(fetched((await ledger.next(NOW)) as UrlRecord));
    await host.commit(ledger);
    expect(host.index.runs.length).toBe(1);
    ledger = await host.open();
    expect(await ledger.next(NOW + 1580)).toBeUndefined();
    expect(ledger.nextDueAt(NOW)).toBe(NOW + 2000);
    expect((await ledger.next(NOW + 2000))?.url).toBe(first.url);
  });

  test('raises a URL of a run by a link from less deep, and makes a page of a requisite that is a seed', async () => {
    const host = createHost({ ...SIZES, maxSegments: 1, maxSegmentRecords: 0, maxFreshRecords: 1 });
    let ledger = await host.open();
    for (const path of ['/a', '/b', '/c']) ledger.merge(link(path, 3), NOW);
    ledger.merge({ ...link('/image', 3), kind: 'requisite' }, NOW);
    await host.commit(ledger);
    expect([host.index.runs.length, host.index.segments.length]).toEqual([1, 0]);
    ledger = await host.open();
    expect(ledger.merge(link('/c', 1), NOW)).toBe(false);
    expect(ledger.merge({ ...link('/image', 0), isSeed: true }, NOW)).toBe(false);
    // Not raised by it, and known.
    expect(ledger.merge(link('/b', 9), NOW)).toBe(false);
    const order: [string, number, UrlKind | undefined][] = [];
    for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW)) {
      order.push([new URL(r.url).pathname, r.depth, r.kind]);
      ledger.settle(fetched(r));
    }
    expect(order.slice(0, 2)).toEqual([
      ['/image', 0, undefined],
      ['/c', 1, undefined],
    ]);
    expect(order.map(([path]) => path).sort()).toEqual(['/a', '/b', '/c', '/image']);
    expect(ledger.counts).toMatchObject({ waiting: 0, fetched: 4 });
  });

  test('returns what happened to each URL, wherever that is stored', async () => {
    const host = createHost();
    let ledger = await host.open();
    for (let i = 0; i < 6000; i++) ledger.merge(link(`/a/${i}`), NOW);
    const states = ['fetched', 'gone', 'redirect', 'failed', 'skipped', 'deniedByRobots'] as const;
    const settled = new Map<string, string>();
    const settleSome = async () => {
      for (const state of states) {
        const record = (await ledger.next(NOW)) as UrlRecord;
        const duplicateOf = state === 'fetched' ? `${record.url}#original` : undefined;
        ledger.settle({ ...fetched(record), state, result: { fetchedAt: NOW, duplicateOf } });
        settled.set(record.url, state);
      }
      const later = (await ledger.next(NOW)) as UrlRecord;
      ledger.settle({ ...later, attempts: 1, dueAt: NOW + 1000 });
      settled.set(later.url, 'waiting');
    };
    // In two runs, the newer one merged or not, and in segments.
    for (let turn = 0; turn < 3; turn++) {
      await settleSome();
      await host.commit(ledger);
      ledger = await host.open();
      if (turn === 0) for (let i = 0; i < 4100; i++) ledger.merge(link(`/b/${i}`), NOW);
    }
    expect(host.index.runs.length + host.index.segments.length).toBeGreaterThan(1);
    for (const [url, state] of settled) {
      const outcome = await ledger.outcome(url);
      expect([url, outcome?.state]).toEqual([url, state]);
      expect(outcome?.isDuplicateOf(`${url}#original`)).toBe(state === 'fetched');
      expect(outcome?.isDuplicateOf(url)).toBe(false);
    }
    expect((await ledger.outcome(link('/a/5999').url))?.state).toBe('waiting');
    expect(await ledger.outcome(link('/unknown').url)).toBeUndefined();
  });
});

/** For hundreds of thousands of values: `expect` alone takes longer than the ledger. */
function expectSame<T>(actual: T, expected: T): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

describe('a ledger against a naive model', () => {
  /** A model of the ledger: a map, and a search for the lowest rank. */
  function createModel() {
    const urls = new Map<
      string,
      { state: UrlState; depth: number; level: number; dueAt: number; attempts: number }
    >();
    return {
      urls,
      merge({ url, depth, via }: Link) {
        const level = levelOf(url, via);
        const known = urls.get(url);
        if (!known) urls.set(url, { state: 'waiting', depth, level, dueAt: 0, attempts: 0 });
        else if (known.state === 'waiting' && known.dueAt === 0) {
          known.depth = Math.min(known.depth, depth);
          known.level = Math.max(known.level, level);
        }
      },
      leastDueAt: () =>
        Math.min(...[...urls.values()].flatMap((u) => (u.state === 'waiting' ? u.dueAt : []))),
      leastRank() {
        let least: number | undefined;
        for (const { state, depth, level, dueAt } of urls.values()) {
          if (state !== 'waiting' || dueAt !== 0) continue;
          const rank = rankOf(depth, level);
          if (least === undefined || rank < least) least = rank;
        }
        return least;
      },
    };
  }

  interface ScriptedTurn {
    /** How far the clock continues before it, or back. */
    readonly stepMs: number;
    readonly links: readonly { page: number; depth: number; via: number; bulk: number }[];
    readonly takes: number;
    readonly outcome: 'fetched' | 'retry' | 'putBack';
    readonly isLost: boolean;
    readonly isCached: boolean;
  }

  const turns = (size: { links: number; takes: number; space: number }): fc.Arbitrary<ScriptedTurn[]> =>
    fc.array(
      fc.record({
        stepMs: fc.constantFrom(1000, 1000, 3000, -2000),
        links: fc.array(
          fc.record({
            page: fc.nat(size.space),
            depth: fc.integer({ min: 1, max: 18 }),
            via: fc.nat(40),
            // Bulk: that many links to pages in a row, so that runs come to be.
            bulk: fc.oneof(
              { weight: 4, arbitrary: fc.constant(1) },
              { weight: 1, arbitrary: fc.nat(size.links) },
            ),
          }),
          { maxLength: 12 },
        ),
        takes: fc.nat(size.takes),
        outcome: fc.constantFrom<'fetched' | 'retry' | 'putBack'>('fetched', 'fetched', 'retry', 'putBack'),
        isLost: fc.boolean(),
        isCached: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    );

  async function check(script: readonly ScriptedTurn[], sizes?: Sizes): Promise<void> {
    const host = createHost(sizes);
    let model = createModel();
    let ledger = await host.open();
    let now = NOW;
    for (const turn of script) {
      now += turn.stepMs;
      const before = structuredClone([...model.urls]);
      for (const { page, depth, via, bulk } of turn.links) {
        for (let i = 0; i < bulk; i++) {
          const l = link(`/section/page-${page + i}.html`, depth, `https://${HOST}/via/${via}`);
          const isNew = !model.urls.has(l.url);
          model.merge(l);
          expectSame(ledger.merge(l, now), isNew);
        }
      }
      for (let i = 0; i < turn.takes; i++) {
        const least = model.leastRank();
        // A put-back or retried URL may be in the way of none: compare only what has no due time.
        const record = await ledger.next(now);
        if (record === undefined) {
          expect(least).toBeUndefined();
          expect(ledger.nextDueAt(now) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(model.leastDueAt());
          break;
        }
        const expected = model.urls.get(record.url);
        expectSame(expected?.state, 'waiting');
        expectSame(expected?.attempts, record.attempts);
        if (record.attempts === 0) expectSame(rankOf(record.depth, record.level), least);
        if (!expected) throw new Error('unreachable');
        if (turn.outcome === 'fetched') {
          expected.state = 'fetched';
          ledger.settle(fetched(record));
        } else if (turn.outcome === 'retry') {
          expected.attempts++;
          expected.dueAt = now + 3000;
          ledger.settle({ ...record, attempts: record.attempts + 1, dueAt: now + 3000 });
        } else {
          ledger.settle(record);
          break;
        }
      }
      if (turn.isLost) {
        // The turn crashed before its commit: all that it did is undone.
        model = createModel();
        for (const [url, u] of before) model.urls.set(url, u);
        ledger = await host.open();
      } else {
        await host.commit(ledger);
        if (!turn.isCached) ledger = await host.open();
      }
      const waiting = [...model.urls.values()].filter((u) => u.state === 'waiting').length;
      expect(countUrls(ledger.counts)).toBe(model.urls.size);
      expect(ledger.counts.waiting).toBe(waiting);
    }
    const seen = new Map<string, UrlState>();
    for await (const record of ledger.records()) {
      if (seen.has(record.url)) expect.fail(`${record.url} is listed once`);
      seen.set(record.url, record.state);
    }
    expect(new Set(seen.keys())).toEqual(new Set(model.urls.keys()));
    for (const [url, u] of model.urls) expectSame(seen.get(url), u.state);
    // Whatever waits is found in the end.
    let found = 0;
    for (let r = await ledger.next(now + 1e9); r; r = await ledger.next(now + 1e9)) {
      found++;
      ledger.settle(fetched(r));
    }
    expect(found).toBe([...model.urls.values()].filter((u) => u.state === 'waiting').length);
  }

  test('few URLs, in segments', () =>
    fc.assert(
      fc.asyncProperty(turns({ links: 5, takes: 6, space: 30 }), (script) => check(script)),
      { numRuns: 150 },
    ));

  /**
   * A few URLs make runs of several levels, with lists of several blocks, each of which is read in pieces.
   */
  const smallSizes = fc
    .record({
      maxSegments: fc.integer({ min: 1, max: 3 }),
      maxSegmentRecords: fc.nat(3),
      maxFreshRecords: fc.integer({ min: 1, max: 6 }),
      runRatio: fc.integer({ min: 1, max: 4 }),
      maxRunUrls: fc.constantFrom(5, 15, 1000),
      blockRecords: fc.integer({ min: 1, max: 4 }),
      readAheadBytes: fc.integer({ min: 1, max: 300 }),
    })
    .map((small): Sizes => ({ ...SIZES, ...small }));

  test('few URLs, in small runs of several levels', () =>
    fc.assert(
      fc.asyncProperty(turns({ links: 5, takes: 6, space: 30 }), smallSizes, (script, sizes) =>
        check(script, sizes),
      ),
      { numRuns: 150 },
    ));

  test('many URLs, in runs', () =>
    fc.assert(
      fc.asyncProperty(turns({ links: 4000, takes: 1500, space: 6000 }), (script) => check(script)),
      { numRuns: 25 },
    ));
});

describe('what a URL is to be fetched as, against a naive model', () => {
  interface Step {
    /**
     * `race`: it is tried in vain, and meanwhile a page of another lane links to it. `fill`: runs come to be.
     */
    readonly op: 'merge' | 'fetch' | 'retry' | 'race' | 'commit' | 'fill';
    readonly n: number;
    readonly kind?: UrlKind;
    readonly depth: number;
  }
  const scripts = fc.array(
    fc.record<Step>({
      op: fc.constantFrom('merge', 'merge', 'merge', 'fetch', 'retry', 'race', 'commit', 'fill'),
      n: fc.nat(5),
      kind: fc.constantFrom(undefined, 'requisite', 'requisite', 'sitemap'),
      depth: fc.nat(4),
    }),
    { maxLength: 40 },
  );

  interface Known {
    depth: number;
    /** `requisite` from the first link to it as one, but for seeds. */
    kind: UrlKind | undefined;
    isInRun: boolean;
    isDone: boolean;
  }

  /** Whether a further link says nothing new of what waits in a run. */
  const isNoNews = (known: Known, kind: UrlKind | undefined): boolean =>
    kind === 'sitemap' || (kind === 'requisite' && (known.kind === 'requisite' || known.depth === 0));

  function createModel() {
    const urls = new Map<string, Known>();
    return {
      urls,
      merge({ url, depth, kind }: Link) {
        const known = urls.get(url);
        if (!known) urls.set(url, { depth, kind, isInRun: false, isDone: false });
        else if (!known.isDone && !(known.isInRun && isNoNews(known, kind))) {
          const wasRequisite = known.kind === 'requisite';
          const isSeed = known.kind === undefined && known.depth === 0;
          if (!isSeed) known.kind = wasRequisite || kind === 'requisite' ? 'requisite' : known.kind && kind;
          // A run stores no depth of a requisite.
          if (known.isInRun && wasRequisite) known.depth = depth;
          else if (known.isInRun && kind === undefined && depth >= known.depth) return false;
          known.depth = Math.min(known.depth, depth);
          known.isInRun = false;
        }
        return known === undefined;
      },
    };
  }

  async function check(script: readonly Step[]): Promise<void> {
    const host = createHost();
    const model = createModel();
    let ledger = await host.open();
    let filled = 0;
    const waitingRequisites = () =>
      [...model.urls].flatMap(([url, { kind, isDone }]) => (kind === 'requisite' && !isDone ? [url] : []));
    const merge = (given: Link) => {
      expect(ledger.has(given.url)).toBe(model.urls.has(given.url));
      expect(ledger.merge(given, NOW)).toBe(model.merge(given));
    };
    for (const { op, n, kind, depth } of script) {
      if (op === 'merge') merge({ ...link(`/${n}`, depth, `https://${HOST}/via${n}`), kind });
      else if (op === 'fill') {
        for (let i = 0; i < 4100; i++) ledger.merge(link(`/fill${filled++}`, 9), NOW);
      } else if (op === 'commit') {
        const { parts } = await host.commit(ledger);
        if (parts.some(({ name }) => name.startsWith('r')))
          for (const known of model.urls.values()) known.isInRun = known.isDone || known.kind !== 'sitemap';
        expect(host.index.waitingRequisites ?? 0).toBe(waitingRequisites().length);
        ledger = await host.open();
      } else {
        const record = await ledger.next(NOW);
        if (record === undefined) continue;
        const known = model.urls.get(record.url);
        if (known) {
          expect(known.isDone).toBe(false);
          expect(record.kind, record.url).toBe(known.kind);
          expect(record.depth).toBe(known.depth);
          known.isInRun = false;
          if (op === 'race') merge({ url: record.url, depth: record.depth });
          known.isDone = op === 'fetch';
        }
        ledger.settle(op === 'fetch' ? fetched(record) : { ...record, attempts: 1 });
      }
    }
    const waiting: string[] = [];
    const requisites = waitingRequisites();
    expect(ledger.nextDueAt(NOW, true)).toBe(requisites.length > 0 ? NOW : undefined);
    for (let r = await ledger.next(NOW, true, true); r; r = await ledger.next(NOW, true, true)) {
      waiting.push(r.url);
      ledger.settle(fetched(r));
    }
    expect([...waiting].sort()).toEqual(requisites.sort());
    expect(ledger.waitingRequisites).toBe(0);
    for (let r = await ledger.next(NOW); r; r = await ledger.next(NOW)) {
      if (model.urls.has(r.url)) waiting.push(r.url);
      ledger.settle(fetched(r));
    }
    const left = [...model.urls].filter(([, { isDone }]) => !isDone).map(([url]) => url);
    expect(waiting.sort()).toEqual(left.sort());
  }

  test('it is fetched once, as a part of a page if it is one; such requisites can be taken alone, and are counted', () =>
    fc.assert(fc.asyncProperty(scripts, check), { numRuns: 100 }));
});
