import { expect, test } from 'vitest';
import { domainKey, grantPages } from '../../shared/core/frontier/domain-state.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { StaleTurn } from '../../shared/crawler/ports/stale-turn.ts';
import { createDomainHeads } from '../../shared/crawler/turn/links/domain-heads.ts';
import { testIf } from './capabilities.ts';
import type { Subject } from './subject.ts';
import { CRAWL, headOf, ODD_HOSTS } from './subjects.ts';

const A = 'a.test';

/** Bytes that do not compress, and that show their offset. */
function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0, x = seed; i < size; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}

export function ledgerStoreContract(subject: Subject): void {
  const store = () => subject.engine.ledgers;
  const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

  test('knows nothing of a host never met', async () => {
    expect(await store().loadHead(CRAWL, A)).toBeUndefined();
    expect(await store().listParts(CRAWL, A)).toEqual([]);
  });

  test('replaces a head version by version, and reads its own writes', async () => {
    for (let version = 1; version <= 5; version++) {
      const head = headOf(version, {
        token: `t${version}`,
        clock: { nextFetchAt: 1.7e12 + version, failures: 2, cause: { code: 'other', text: '503 «…»' } },
        robots: [{ origin: 'http://a.test', kind: 'rules', expiresAt: 5, rules: 'x\n\u{1F600}' }],
      });
      await store().commit(CRAWL, A, head);
      expect(await store().loadHead(CRAWL, A)).toEqual(head);
    }
  });

  test('lists the last passes over hosts of sites, of this crawl alone', async () => {
    const passes = async () => {
      const found = [];
      for await (const one of store().sitePasses(CRAWL)) found.push([one.host, one.pass]);
      return found.sort();
    };
    const began = { since: 1.7e12, pages: 1 };
    await store().commit(CRAWL, A, headOf(1, { site: began }));
    await store().commit(CRAWL, 'b.test', headOf(1));
    await store().commit('another', A, headOf(1, { site: began }));
    expect(await passes()).toEqual([[A, began]]);
    const ended = { ...began, pages: 9, said: 'done', saidAt: 1.7e12 + 5 } as const;
    await store().commit(CRAWL, A, headOf(2, { site: ended }));
    await store().commit(CRAWL, 'b.test', headOf(2, { site: ended }));
    await expect(store().commit(CRAWL, A, headOf(1, { site: began }))).rejects.toThrow(StaleTurn);
    await store().importHead(CRAWL, 'c.test', headOf(7, { site: ended }));
    expect(await passes()).toEqual([A, 'b.test', 'c.test'].map((host) => [host, ended]));
  });

  test.each([1, 2, 4, 5, 9])(
    'refuses version %i where 3 is to follow 2, and nothing becomes visible',
    async (version) => {
      await store().commit(CRAWL, A, headOf(1));
      await store().commit(CRAWL, A, headOf(2, { token: 'good' }));
      const refused = headOf(version, { token: 'bad', dueAt: 1, urls: { waiting: 5 } });
      await expect(store().commit(CRAWL, A, refused)).rejects.toThrow(StaleTurn);
      expect(await store().loadHead(CRAWL, A)).toEqual(headOf(2, { token: 'good' }));
      expect(await store().dueHosts(CRAWL, Date.now(), 10)).toEqual([]);
      await store().commit(CRAWL, A, headOf(3));
    },
  );

  test('imports a head at its own version, over none and over its own earlier copy', async () => {
    for (const version of [7, 7, 9]) {
      const head = headOf(version, { dueAt: version, urls: { waiting: version } });
      await store().importHead(CRAWL, A, head);
      expect(await store().loadHead(CRAWL, A)).toEqual(head);
    }
    expect(await store().dueHosts(CRAWL, Date.now(), 10)).toEqual([{ host: A, version: 9 }]);
    await expect(store().importHead(CRAWL, A, headOf(8))).rejects.toThrow(StaleTurn);
    await store().commit(CRAWL, A, headOf(10));
    await expect(store().importHead(CRAWL, A, headOf(9))).rejects.toThrow(StaleTurn);
    expect(await store().loadHead(CRAWL, A)).toEqual(headOf(10));
  });

  test('refuses a later version for a host never met', async () => {
    await expect(store().commit(CRAWL, A, headOf(2))).rejects.toThrow(StaleTurn);
    expect(await store().loadHead(CRAWL, A)).toBeUndefined();
  });

  test.each([1, 2])('of commits of version %i that race, exactly one wins', async (version) => {
    if (version === 2) await store().commit(CRAWL, A, headOf(1));
    const heads = ['a', 'b', 'c', 'd'].map((token) => headOf(version, { token }));
    const results = await Promise.allSettled(heads.map((head) => store().commit(CRAWL, A, head)));
    const winners = heads.filter((_, i) => results[i]?.status === 'fulfilled');
    expect(winners.length).toBe(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StaleTurn);
    expect(await store().loadHead(CRAWL, A)).toEqual(winners[0]);
  });

  test('keeps crawls and hosts apart, whatever their names', async () => {
    const crawls = ['crawl', 'crawl.2', 'c'];
    for (const crawl of crawls)
      for (const host of ODD_HOSTS) {
        await store().putPart(crawl, host, 's1-x', Buffer.from(`${crawl} ${host}`));
        await store().commit(crawl, host, headOf(1, { token: `${crawl} ${host}` }));
      }
    for (const crawl of crawls) {
      const hosts: string[] = [];
      for await (const { host, head } of store().hosts(crawl)) {
        hosts.push(host);
        expect(head.token).toBe(`${crawl} ${host}`);
        expect(Buffer.from(await store().readPart(crawl, host, 's1-x')).toString()).toBe(`${crawl} ${host}`);
      }
      expect(hosts.sort()).toEqual([...ODD_HOSTS].sort());
    }
  });

  test.each([0, 1, 1000, 65_536, 65_537, 200_000, 5_000_000])('keeps a part of %i bytes', async (size) => {
    const bytes = bytesOf(size);
    await store().putPart(CRAWL, A, 'r1-a.keys', bytes);
    expect(isSame(await store().readPart(CRAWL, A, 'r1-a.keys'), bytes)).toBe(true);
    expect(await store().listParts(CRAWL, A)).toEqual(['r1-a.keys']);
  });

  test.each([1000, 200_000, 5_000_000])('reads any range of a part of %i bytes', async (size) => {
    const bytes = bytesOf(size);
    await store().putPart(CRAWL, A, 'r1-a.ready', bytes);
    const ranges = [
      [0, 1],
      [0, size],
      [size - 1, 1],
      [Math.floor(size / 3), Math.floor(size / 3)],
      [500, undefined],
      [0, 0],
    ] as const;
    for (const [offset, length] of ranges) {
      const range = await store().readPart(CRAWL, A, 'r1-a.ready', offset, length);
      const expected = bytes.subarray(offset, length === undefined ? undefined : offset + length);
      expect(isSame(range, expected), `${length} bytes at ${offset}`).toBe(true);
    }
  });

  test("does not keep the caller's array, nor give its own", async () => {
    const bytes = bytesOf(100);
    await store().putPart(CRAWL, A, 's1-a', bytes);
    bytes.fill(0);
    (await store().readPart(CRAWL, A, 's1-a')).fill(1);
    expect(isSame(await store().readPart(CRAWL, A, 's1-a'), bytesOf(100))).toBe(true);
  });

  test('storing a part again with the same bytes is safe', async () => {
    for (const size of [100, 200_000])
      for (let i = 0; i < 2; i++) await store().putPart(CRAWL, A, `s${size}-a`, bytesOf(size));
    expect((await store().listParts(CRAWL, A)).sort()).toEqual(['s100-a', 's200000-a']);
    expect(isSame(await store().readPart(CRAWL, A, 's200000-a'), bytesOf(200_000))).toBe(true);
  });

  test('deletes the parts named and no other; deleting again is safe', async () => {
    const sizes = [10, 200_000, 20, 300_000];
    const names = sizes.map((size) => `s${size}-a`);
    for (const size of sizes) await store().putPart(CRAWL, A, `s${size}-a`, bytesOf(size));
    await store().putPart(CRAWL, 'b.test', names[0]!, bytesOf(5));
    for (let i = 0; i < 2; i++) await store().deleteParts(CRAWL, A, names.slice(0, 2));
    expect((await store().listParts(CRAWL, A)).sort()).toEqual(names.slice(2).sort());
    for (const name of names.slice(0, 2))
      await expect(store().readPart(CRAWL, A, name)).rejects.toMatchObject({ name: 'LostPart', part: name });
    expect((await store().readPart(CRAWL, A, names[3]!)).length).toBe(300_000);
    expect((await store().readPart(CRAWL, 'b.test', names[0]!)).length).toBe(5);
    await store().deleteParts(CRAWL, A, []);
  });

  testIf(subject, 'reopen', 'keeps heads and parts through an abrupt end', async () => {
    const head = headOf(1, { token: 't', dueAt: 5 });
    await store().putPart(CRAWL, A, 's1-a', bytesOf(10));
    await store().putPart(CRAWL, A, 'r1-a.keys', bytesOf(200_000));
    await store().commit(CRAWL, A, head);
    const { ledgers: reopened } = await subject.opened.reopen();
    expect(await reopened.loadHead(CRAWL, A)).toEqual(head);
    expect((await reopened.listParts(CRAWL, A)).sort()).toEqual(['r1-a.keys', 's1-a']);
    expect(isSame(await reopened.readPart(CRAWL, A, 's1-a'), bytesOf(10))).toBe(true);
    expect(isSame(await reopened.readPart(CRAWL, A, 'r1-a.keys'), bytesOf(200_000))).toBe(true);
    await expect(reopened.commit(CRAWL, A, headOf(1))).rejects.toThrow(StaleTurn);
    await reopened.commit(CRAWL, A, headOf(2));
  });

  test('iterates over all of 1,200 hosts, while they are committed to, each once', async () => {
    const names = Array.from({ length: 1200 }, (_, i) => `h${i}.test`);
    await Promise.all(names.map((host) => store().commit(CRAWL, host, headOf(1, { token: host }))));
    await store().commit('other', 'o.test', headOf(1));
    const met: string[] = [];
    for await (const { host, head } of store().hosts(CRAWL)) {
      met.push(host);
      expect(head.token).toBe(host);
      if (met.length % 100 === 0) await store().commit(CRAWL, host, headOf(2));
    }
    expect(met.sort()).toEqual(names.sort());
  });

  test('iterates over no host of a crawl that has none, and may be left early', async () => {
    await store().commit(CRAWL, A, headOf(1));
    for await (const { host } of store().hosts('nobody')) throw new Error(`met ${host}`);
    for await (const _ of store().hosts(CRAWL)) break;
    await store().commit(CRAWL, A, headOf(2));
  });

  test('gives the hosts that are due, the longest due first, and no more than requested', async () => {
    const dueAts = [500, 100, 900, undefined, 300, 1001, 1000];
    for (const [i, dueAt] of dueAts.entries())
      await store().commit(CRAWL, `h${i}.test`, headOf(1, { dueAt }));
    await store().commit('other', 'o.test', headOf(1, { dueAt: 1 }));
    const hosts = (await store().dueHosts(CRAWL, 1000, 10)).map(({ host }) => host);
    expect(hosts).toEqual(['h1.test', 'h4.test', 'h0.test', 'h2.test', 'h6.test']);
    expect(await store().dueHosts(CRAWL, 1000, 2)).toEqual([
      { host: 'h1.test', version: 1 },
      { host: 'h4.test', version: 1 },
    ]);
    expect(await store().dueHosts(CRAWL, 99, 10)).toEqual([]);
    await store().commit(CRAWL, 'h1.test', headOf(2));
    await store().commit(CRAWL, 'h4.test', headOf(2, { dueAt: 950 }));
    expect((await store().dueHosts(CRAWL, 1000, 10)).map(({ host, version }) => [host, version])).toEqual([
      ['h0.test', 1],
      ['h2.test', 1],
      ['h4.test', 2],
      ['h6.test', 1],
    ]);
  });

  test('gives the hosts besides whose due time is further ahead than anything may be, after those that are due', async () => {
    for (const [i, dueAt] of [86_400_000, 100, 2000, 400_000, 500].entries())
      await store().commit(CRAWL, `h${i}.test`, headOf(1, { dueAt }));
    await store().commit('other', 'o.test', headOf(1, { dueAt: 86_400_000 }));
    const hostsAt = async (limit: number, farAfter?: number) =>
      (await store().dueHosts(CRAWL, 1000, limit, farAfter)).map(({ host }) => host);
    expect(await hostsAt(10)).toEqual(['h1.test', 'h4.test']);
    expect(await hostsAt(10, 10_000_000)).toEqual(['h1.test', 'h4.test', 'h0.test']);
    expect(await hostsAt(2, 10_000_000)).toEqual(['h1.test', 'h4.test']);
    expect(await hostsAt(10, 86_400_000)).toEqual(['h1.test', 'h4.test']);
  });

  test('two processes that change the state of a domain at once lose no change of the other', async () => {
    const { ledgers } = subject.engine;
    const clock = { random: () => 0, uuid: () => subject.engine.clock.uuid(), sleep: async () => {} };
    const processes = [createDomainHeads({ ledgers, clock }), createDomainHeads({ ledgers, clock })];
    // Alike, so that one process might take the other's head for its own.
    const changes = Array.from({ length: 12 }, (_, i) =>
      processes[i % 2]?.change(CRAWL, 'a.test', (state) => {
        const { state: next, pages } = grantPages(state, { period: 1, budget: 100, wanted: 1 });
        return { state: next, skipped: 1, result: pages };
      }),
    );
    expect(await Promise.all(changes)).toEqual(changes.map(() => 1));
    // More, where the answer to a write was lost and the other process went on: it is made again.
    expect((await processes[0]?.load(CRAWL, 'a.test'))?.granted[1]).toBeGreaterThanOrEqual(12);
    const { totals } = (await store().loadHead(CRAWL, domainKey('a.test'))) ?? NEW_HEAD;
    expect(totals.skipped.hostsPerDomain).toBeGreaterThanOrEqual(12);
    expect(await store().loadHead(CRAWL, A)).toBeUndefined();
  });
}
