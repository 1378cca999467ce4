/** The ledger of a host over several turns: what it gives next, and what it knows then. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { rankOf } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { UrlKind } from '../../../shared/core/url/url-kind.ts';
import { createHost, fetched, HOST, link, NOW } from './stored-host.ts';

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

  test('replaces the outcome of a URL that is settled, and of no other: its counts stay true', async () => {
    const ledger = await createHost().open();
    for (const path of ['/a', '/b', '/c']) ledger.merge(link(path), NOW);
    const done = (await ledger.next(NOW)) as UrlRecord;
    const settled = { ...fetched(done), level: 3 };
    ledger.settle(settled);
    const taken = (await ledger.next(NOW)) as UrlRecord;
    const counts = { ...ledger.counts };
    expect(counts).toMatchObject({ waiting: 2, fetched: 1, gone: 0 });
    expect(ledger.replaceOutcome({ ...taken, state: 'gone' })).toBeUndefined();
    ledger.settle(taken);
    for (const url of [taken.url, `https://${HOST}/never-met`])
      expect(() => ledger.replaceOutcome({ ...taken, url, state: 'gone' })).toThrow(`${url} is not settled`);
    expect(ledger.counts).toEqual(counts);
    const after = { ...settled, state: 'gone' as const };
    expect(ledger.replaceOutcome({ ...after, depth: 9, level: 0 })).toEqual({ before: settled, after });
    expect(ledger.counts).toEqual({ ...counts, fetched: 0, gone: 1 });
    expect(await ledger.lookUp(settled.url)).toEqual(after);
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
