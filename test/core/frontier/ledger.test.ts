/** The ledger of a host against naive models, whatever is in segments and runs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { levelOf, rankOf } from '../../../shared/core/frontier/rank.ts';
import { countUrls, type UrlState } from '../../../shared/core/frontier/url-record.ts';
import type { UrlKind } from '../../../shared/core/url/url-kind.ts';
import { createHost, fetched, HOST, link, NOW } from './stored-host.ts';

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
