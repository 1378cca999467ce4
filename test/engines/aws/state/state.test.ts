import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Head } from '../../../../shared/core/frontier/head.ts';
import { addTotals, NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import { changedCounts, sumOfCounts, totalsOf } from '../../../../shared/engines/aws/state/head-counts.ts';
import { isDrained, isSettled } from '../../../../shared/engines/aws/state/quiet.ts';
import {
  allDueShards,
  dueShardOf,
  dueShardsOf,
  hostOf,
  hostPartition,
  indexedDueAt,
  indexedUntil,
  partObject,
} from '../../../../shared/engines/aws/state/tables.ts';
import { inBatches } from '../../../../shared/engines/aws/table/batch.ts';
import { coalesced } from '../../../../shared/engines/coalesced.ts';
import { headOf, ODD_HOSTS } from '../../../contract/subjects.ts';

const times = fc.integer({ min: 0, max: 4e12 });

describe('keys', () => {
  test.each(ODD_HOSTS)('the host %s is found again in its key', (host) => {
    expect(hostOf(hostPartition('crawl.2', host))).toBe(host);
    expect(partObject('crawl', host, 's1-a')).toMatch(/^parts\/crawl\/[0-9a-f]{24}\/s1-a$/);
  });

  test('hosts spread over the shards of the due index', () => {
    const shards = new Map<string, number>();
    for (let i = 0; i < 4000; i++) {
      const shard = dueShardOf('c', `host-${i}.test`, 8);
      shards.set(shard, (shards.get(shard) ?? 0) + 1);
    }
    expect(shards.size).toBe(8);
    for (const count of shards.values()) expect(count).toBeGreaterThan(400);
  });

  test('a host indexed under few shards is found when there are more', () => {
    const shards = fc.integer({ min: 1, max: 64 });
    fc.assert(
      fc.property(fc.domain(), shards, shards, (host, a, b) => {
        expect(allDueShards('c', Math.max(a, b))).toContain(dueShardOf('c', host, Math.min(a, b)));
      }),
    );
  });

  test.each([0, 65, 1.5, Number.NaN])('%s shards are refused', (dueShards) => {
    expect(() => dueShardsOf({ dueShards })).toThrow(`Expected 1 to 64 dueShards, got ${dueShards}`);
  });
});

describe('the due time in the index', () => {
  test('is never before the exact one, at most 5 minutes after it, and 15 s if that is near', () => {
    fc.assert(
      fc.property(times, times, (dueAt, now) => {
        const late = indexedDueAt(dueAt, now) - dueAt;
        expect(late).toBeGreaterThanOrEqual(0);
        expect(late).toBeLessThan(dueAt - now > 600_000 ? 300_000 : 15_000);
      }),
    );
  });

  test('a host due within ten minutes of its commit is found in the index as soon as it is due', () => {
    fc.assert(
      fc.property(times, fc.integer({ max: 600_000 }), fc.nat(), (committedAt, inMs, laterMs) => {
        const dueAt = committedAt + inMs;
        expect(indexedDueAt(dueAt, committedAt)).toBeLessThanOrEqual(indexedUntil(dueAt + laterMs));
      }),
    );
  });

  test('commits of a host that is crawled leave it alone for minutes', () => {
    const seen = new Set<number>();
    for (let now = 1e12; now < 1e12 + 3_600_000; now += 20_000) seen.add(indexedDueAt(now + 900_000, now));
    expect(seen.size).toBeLessThanOrEqual(13);
  });
});

const totals = fc.record({
  pages: fc.nat(1e6),
  bytes: fc.nat(1e9),
  requests: fc.nat(1e6),
  httpStatus: fc.dictionary(fc.constantFrom('200', '301', '404'), fc.nat(1000)),
  skipped: fc.dictionary(fc.constantFrom('scope', 'depth'), fc.nat(1000)),
  errors: fc.dictionary(fc.constantFrom('dns', 'timeout'), fc.nat(1000)),
});
const histories = fc.array(
  fc.array(
    fc.record({ totals, urls: fc.record({ waiting: fc.nat(3), fetched: fc.nat(99), gone: fc.nat(9) }) }),
    { minLength: 1, maxLength: 4 },
  ),
  { maxLength: 5 },
);

test('whatever a crawl goes through, the changes add up to the sums over the last heads', () => {
  fc.assert(
    fc.property(histories, (hosts) => {
      let sum = {};
      const last: Head[] = [];
      for (const history of hosts) {
        const heads = history.map((parts, i) => headOf(i + 1, parts));
        heads.forEach((head, i) => {
          sum = sumOfCounts(sum, changedCounts(heads[i - 1], head));
        });
        last.push(heads.at(-1)!);
      }
      const { hosts: count, hostsWaiting, urls, ...found } = totalsOf(sum);
      expect(count).toBe(hosts.length);
      expect(hostsWaiting).toBe(last.filter(({ ledger }) => ledger.counts.waiting > 0).length);
      for (const state of ['waiting', 'fetched', 'gone', 'failed'] as const)
        expect(urls[state]).toBe(last.reduce((n, { ledger }) => n + ledger.counts[state], 0));
      const expected = last.reduce((all, head) => addTotals(all, head.totals), NO_TOTALS);
      const { httpStatus, skipped, errors, ...plain } = expected;
      expect(found).toMatchObject(plain);
      for (const [name, counts] of Object.entries({ httpStatus, skipped, errors }))
        expect(found[name as 'errors']).toEqual(
          Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0)),
        );
    }),
  );
});

describe('a crawl with nothing to do', () => {
  test.each([
    [
      'whose queues have been empty at two looks a minute apart',
      { idleSince: 0, quietSince: 0, lastAt: 0, looks: 16 },
      55_000,
      true,
    ],
    ['whose queues have not', { idleSince: 0, quietSince: 1, lastAt: 0, looks: 16 }, 55_000, false],
    ['that has committed since', { idleSince: 0, quietSince: 0, lastAt: 1, looks: 16 }, 55_000, false],
    ['beside busy ones, for some minutes', { idleSince: 0, lastAt: 0, looks: 16 }, 449_999, false],
    ['beside busy ones, for long', { idleSince: 0, lastAt: 0, looks: 16 }, 450_000, true],
    ['beside busy ones, that has committed since', { idleSince: 0, lastAt: 1, looks: 16 }, 450_000, false],
  ])('%s', (_, times, now, isQuiet) => {
    expect(isSettled(times, now, {})).toBe(isQuiet);
  });
});

describe('a crawl that has reached its limit of pages', () => {
  test.each([
    ['ends at once where no page has requisites', {}, 0, true],
    [
      'ends at once when the requisites of the pages own hosts are there',
      { fetched: 9, awaited: 0 },
      0,
      true,
    ],
    ['waits for requisites', { awaited: 1 }, 1_199_999, false],
    ['waits no longer when nothing has been committed for long', { awaited: 1 }, 1_200_000, true],
    ['waits for links that are on their way to other hosts', { sent: 1, awaited: 0 }, 54_999, false],
    ['ends when none has come', { sent: 1, awaited: 0 }, 55_000, true],
    ['ends where counters are too low', { sent: 1, awaited: -2 }, 55_000, true],
  ])('%s', (_, requisites, idleMs, isOver) => {
    const counts = Object.entries(requisites).map(([name, count]) => [`requisites.${name}`, count] as const);
    expect(isDrained(Object.fromEntries(counts), idleMs, {})).toBe(isOver);
  });
});

describe('batches', () => {
  const clock = { sleep: async () => {}, random: () => 0.5 };

  test('what comes back unprocessed is sent again until all is done, each entry once', async () => {
    const done: number[] = [];
    const sizes: number[] = [];
    await inBatches(
      { clock },
      { what: 'x', entries: Array.from({ length: 60 }, (_, i) => i), maxEntries: 25 },
      async (batch) => {
        sizes.push(batch.length);
        const taken = batch.slice(0, 7);
        done.push(...taken);
        return batch.slice(7);
      },
    );
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(Math.max(...sizes)).toBe(25);
  });

  test('gives up when nothing is ever processed', async () => {
    let calls = 0;
    let sleeps = 0;
    const counting = { ...clock, sleep: async () => void sleeps++ };
    const never = inBatches(
      { clock: counting },
      { what: 'writing a table', entries: [1, 2], maxEntries: 25 },
      async (batch) => {
        calls++;
        return batch;
      },
    );
    await expect(never).rejects.toThrow('writing a table: 2 entries');
    expect(calls).toBe(8);
    // Not again when nothing follows.
    expect(sleeps).toBe(7);
  });
});

describe('coalesced work', () => {
  function controlled() {
    const runs: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const call = coalesced(() => new Promise<void>((resolve, reject) => runs.push({ resolve, reject })));
    return { runs, call };
  }
  const tick = () => new Promise((resolve) => setImmediate(resolve));

  test('calls during a run share the next one', async () => {
    const { runs, call } = controlled();
    const first = call();
    const others = [call(), call(), call()];
    await tick();
    expect(runs.length).toBe(1);
    runs[0]!.resolve();
    await first;
    await tick();
    expect(runs.length).toBe(2);
    let isDone = false;
    const all = Promise.all(others).then(() => {
      isDone = true;
    });
    await tick();
    expect(isDone).toBe(false);
    runs[1]!.resolve();
    await all;
    expect(runs.length).toBe(2);
  });

  test('a run that fails fails its own callers, and the next continues', async () => {
    const { runs, call } = controlled();
    const first = call();
    const second = call();
    runs[0]!.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await tick();
    runs[1]!.resolve();
    await second;
  });
});
