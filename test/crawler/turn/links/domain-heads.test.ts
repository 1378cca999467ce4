/** Heads of domains: changes of several processes at once, and which of them cost an access to the store. */
import { describe, expect, test, vi } from 'vitest';
import { Semaphore } from '../../../../shared/core/base/semaphore.ts';
import type { Head } from '../../../../shared/core/frontier/head.ts';
import {
  countLinkers,
  type LinkerSketch,
  linkerHash,
  NO_LINKERS,
  sketchOf,
} from '../../../../shared/core/frontier/linker-sketch.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import { createDomainHeads } from '../../../../shared/crawler/turn/links/domain-heads.ts';
import { createFakeClock } from '../../worker/fake-clock.ts';

function open() {
  const clock = createFakeClock();
  const heads = new Map<string, Head>();
  const calls: string[] = [];
  const before: { commit?: ((key: string) => Promise<void> | void) | undefined } = {};
  const ledgers = {
    async loadHead(crawl: string, host: string) {
      calls.push(`load ${host}`);
      await new Promise((resolve) => setImmediate(resolve));
      return heads.get(`${crawl} ${host}`);
    },
    async commit(crawl: string, host: string, next: Head) {
      calls.push(`commit ${host} ${next.version}`);
      await before.commit?.(host);
      const key = `${crawl} ${host}`;
      if ((heads.get(key)?.version ?? 0) !== next.version - 1) throw new StaleTurn('another one was first');
      heads.set(key, next);
    },
  };
  const sleeps: number[] = [];
  const quick = { ...clock, sleep: async (ms: number) => void sleeps.push(ms) };
  const process = () => createDomainHeads({ ledgers, clock: quick });
  return { domains: process(), other: process(), heads, calls, sleeps, before };
}

const linkers = (...domains: string[]): LinkerSketch => sketchOf(domains.map(linkerHash));

describe('domains that link to one', () => {
  test('are added to those that are known', async () => {
    const { domains, other } = open();
    await domains.learn('c', 'a.test', linkers('b.test', 'c.test'));
    await other.learn('c', 'a.test', linkers('d.test'));
    const known = (await domains.load('c', 'a.test')).linkers ?? NO_LINKERS;
    expect(known).toEqual(linkers('b.test', 'c.test', 'd.test'));
    expect((await domains.load('c', 'b.test')).linkers).toBeUndefined();
    expect((await domains.load('other', 'a.test')).linkers).toBeUndefined();
  });

  test('of which the process has learned lately cost no access to the store', async () => {
    const { domains, other, calls } = open();
    await other.learn('c', 'a.test', linkers('d.test'));
    await domains.learn('c', 'a.test', linkers('b.test', 'c.test'));
    calls.length = 0;
    await domains.learn('c', 'a.test', linkers('c.test'));
    await domains.learn('c', 'a.test', linkers('b.test'));
    // It has read what the other one has stored.
    await domains.learn('c', 'a.test', linkers('d.test'));
    expect(calls).toEqual([]);
    await domains.learn('c', 'a.test', linkers('e.test'));
    await domains.learn('other', 'a.test', linkers('b.test'));
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(2);
  });

  test('that another process has stored are not written again', async () => {
    const { domains, other, calls } = open();
    await other.learn('c', 'a.test', linkers('b.test'));
    calls.length = 0;
    await domains.learn('c', 'a.test', linkers('b.test'));
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['load']);
  });

  test('are learned again if they could not be stored', async () => {
    const { domains, before } = open();
    before.commit = () => {
      throw new Error('the store is down');
    };
    await expect(domains.learn('c', 'a.test', linkers('b.test'))).rejects.toThrow('the store is down');
    before.commit = undefined;
    await domains.learn('c', 'a.test', linkers('b.test'));
    expect((await domains.load('c', 'a.test')).linkers).toEqual(linkers('b.test'));
  });

  test('count for the crawl by their rounded number', async () => {
    const { domains, heads } = open();
    await domains.learn('c', 'a.test', linkers('b.test', 'c.test', 'd.test'));
    const [head] = heads.values();
    expect(countLinkers(linkers('b.test', 'c.test', 'd.test'))).toBeCloseTo(3, 0);
    expect(Object.values(head?.totals.linking ?? {})).toEqual([1]);
  });
});

describe('a change', () => {
  const addHost = (host: string) => (state: { readonly hosts: string }) => ({
    state: { ...state, hosts: `${state.hosts}${host} ` } as never,
    result: host,
  });
  const hostsOf = async (domains: ReturnType<typeof open>['domains']) =>
    ((await domains.load('c', 'a.test')) as { hosts: string }).hosts;

  test('waits for those of the same process, and each is made on what the others have left', async () => {
    const { domains, calls } = open();
    const made = await Promise.all(
      ['1', '2', '3'].map((host) => domains.change('c', 'a.test', addHost(host))),
    );
    expect(made).toEqual(['1', '2', '3']);
    expect(await hostsOf(domains)).toBe('1 2 3 ');
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(3);
  });

  test('is made again if another process was first, after a pause that grows', async () => {
    const { domains, other, sleeps, before } = open();
    let times = 0;
    before.commit = async () => {
      if (times++ >= 3) return;
      const hold = before.commit;
      before.commit = undefined;
      await other.change('c', 'a.test', addHost(`other${times}`));
      before.commit = hold;
    };
    await domains.change('c', 'a.test', addHost('mine'));
    expect(await hostsOf(domains)).toBe('other1 other2 other3 mine ');
    expect(sleeps).toHaveLength(3);
    for (const [i, ms] of sleeps.entries()) expect(ms).toBeLessThanOrEqual(40 * 2 ** i);
  });

  test.each([
    [undefined, 12],
    [1, 1],
    [3, 3],
  ])('fails after the tries that it has: %s', async (given, tries) => {
    const { domains, calls, before } = open();
    before.commit = () => {
      throw new StaleTurn('another one was first');
    };
    await expect(domains.change('c', 'a.test', addHost('1'), given)).rejects.toThrow(StaleTurn);
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(tries);
    // Others of the process do not wait for it.
    before.commit = undefined;
    expect(await domains.change('c', 'a.test', addHost('2'))).toBe('2');
  });

  test('keeps nothing of its domain in memory once nobody changes that: a crawl has millions of domains', async () => {
    const { domains, before } = open();
    const acquire = vi.spyOn(Semaphore.prototype, 'acquire');
    try {
      const both = ['1', '2'].map((host) => domains.change('c', 'a.test', addHost(host)));
      await Promise.all(both);
      before.commit = () => {
        throw new Error('throttled');
      };
      await expect(domains.change('c', 'a.test', addHost('3'))).rejects.toThrow('throttled');
      before.commit = undefined;
      await domains.change('c', 'a.test', addHost('4'));
      const [first, second, third, fourth] = acquire.mock.contexts;
      expect(first, 'those at the same time wait for each other').toBe(second);
      expect(new Set([first, third, fourth]).size).toBe(3);
    } finally {
      acquire.mockRestore();
    }
  });

  test('of nothing writes nothing; links that are skipped are counted all the same', async () => {
    const { domains, heads, calls } = open();
    expect(await domains.change('c', 'a.test', () => ({ result: 7 }))).toBe(7);
    expect(calls.some((call) => call.startsWith('commit'))).toBe(false);
    await domains.change('c', 'a.test', () => ({ skipped: 3, result: 0 }));
    await domains.change('c', 'a.test', () => ({ skipped: 2, result: 0 }));
    expect([...heads.values()][0]?.totals.skipped).toEqual({ hostsPerDomain: 5 });
  });
});
