import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BY_OPERATOR } from '../../shared/core/causes/status-reason.ts';
import { type HostTotals, NO_TOTALS } from '../../shared/core/frontier/host-totals.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import type { Subject } from './subject.ts';
import { CRAWL, headOf, LONG_MS, linkTo, RECORD, receiveOne, token } from './subjects.ts';

const TEN_PAGES = { code: 'maxPages', text: '10 pages' } as const;

export function registryContract(subject: Subject): void {
  const { until } = subject;
  const registry = () => subject.engine.registry;
  const commit = (host: string, ...rest: Parameters<typeof headOf>) =>
    subject.engine.ledgers.commit(CRAWL, host, headOf(...rest));

  test('a resume sets the crawl running, whatever it is, and has a number of its own', async () => {
    await registry().create(CRAWL, RECORD);
    await registry().setStatus(CRAWL, 'limited', TEN_PAGES);
    expect(await registry().resume(CRAWL)).toBe(1);
    expect(await registry().load(CRAWL)).toEqual({ ...RECORD, resumes: 1 });
    await registry().setStatus(CRAWL, 'paused', BY_OPERATOR);
    await registry().setStatus(CRAWL, 'running');
    expect(await registry().resume(CRAWL)).toBe(2);
    const both = await Promise.all([registry().resume(CRAWL), registry().resume(CRAWL)]);
    expect(both.sort()).toEqual([3, 4]);
    expect(await registry().load(CRAWL)).toEqual({ ...RECORD, resumes: 4 });
    await expect(registry().resume('other')).rejects.toThrow();
  });

  test('keeps lists of sites beside the record, which names one of them', async () => {
    // Random names, as those of real hosts do not compress.
    const many = Array.from({ length: 15_000 }, (_, i) => ({
      url: `https://${hash('sha256', String(i))}.test/`,
      delayMs: i,
    }));
    const first = await registry().storeSites(CRAWL, many);
    expect(first.count).toBe(15_000);
    expect(await registry().storeSites(CRAWL, many)).toEqual(first);
    await registry().create(CRAWL, { ...RECORD, sites: first });
    expect(await registry().load(CRAWL)).toEqual({ ...RECORD, sites: first });
    expect(await registry().readSites(CRAWL, first)).toEqual(many);
    const fewer = many.slice(1);
    const next = await registry().storeSites(CRAWL, fewer);
    await registry().setSites(CRAWL, next);
    expect((await registry().load(CRAWL))?.sites).toEqual(next);
    expect(await registry().readSites(CRAWL, next)).toEqual(fewer);
    // A process that has read the record before needs it.
    expect(await registry().readSites(CRAWL, first)).toEqual(many);
    await registry().setSites(CRAWL, next);
    await expect(registry().readSites(CRAWL, { id: 'none', count: 1 })).rejects.toThrow();
  });

  test('knows a crawl once it was created', async () => {
    expect(await registry().load(CRAWL)).toBeUndefined();
    await registry().create(CRAWL, RECORD);
    expect(await registry().load(CRAWL)).toEqual(RECORD);
    expect(await registry().load('other')).toBeUndefined();
  });

  test('reads the settings of an earlier version as those of this one', async () => {
    const read = async (crawl: string, config: object) => {
      await registry().create(crawl, { ...RECORD, config });
      await registry().configure(crawl, { maxPages: 7 });
      return (await registry().load(crawl))?.config;
    };
    expect(await read('any', { allowInvalidCertificates: true })).toEqual({ tls: 'any', maxPages: 7 });
    const others = { tls: 'record', maxPages: 7 };
    expect(await read('none', { ...others, allowInvalidCertificates: false })).toEqual(others);
  });

  test('does not create a crawl twice', async () => {
    await registry().create(CRAWL, RECORD);
    await expect(registry().create(CRAWL, { ...RECORD, status: 'paused' })).rejects.toThrow();
    expect(await registry().load(CRAWL)).toEqual(RECORD);
  });

  test('keeps a status with its reason, until the next', async () => {
    await registry().create(CRAWL, RECORD);
    await registry().setStatus(CRAWL, 'limited', TEN_PAGES);
    expect(await registry().load(CRAWL)).toEqual({ ...RECORD, status: 'limited', why: TEN_PAGES });
    await registry().setStatus(CRAWL, 'running');
    expect(await registry().load(CRAWL)).toEqual(RECORD);
  });

  test('sets a status only from those that are named, and says whether it did', async () => {
    await registry().create(CRAWL, RECORD);
    expect(await registry().setStatus(CRAWL, 'stopped', BY_OPERATOR)).toBe(true);
    expect(await registry().setStatus(CRAWL, 'limited', TEN_PAGES, { from: ['running'] })).toBe(false);
    expect(await registry().load(CRAWL)).toEqual({
      ...RECORD,
      status: 'stopped',
      why: BY_OPERATOR,
    });
    expect(await registry().setStatus(CRAWL, 'running', undefined, { from: ['paused', 'stopped'] })).toBe(
      true,
    );
    expect(await registry().load(CRAWL)).toEqual(RECORD);
  });

  test('sets a status only while the limits are those that are named', async () => {
    await registry().create(CRAWL, { ...RECORD, config: { ...RECORD.config, maxPages: 10 } });
    const condition = { from: ['running'] as const, limits: { maxPages: 10 } };
    await registry().configure(CRAWL, { maxPages: 20 });
    expect(await registry().setStatus(CRAWL, 'limited', TEN_PAGES, condition)).toBe(false);
    await registry().configure(CRAWL, { maxPages: 10, maxCost: 5 });
    expect(await registry().setStatus(CRAWL, 'limited', TEN_PAGES, condition)).toBe(false);
    const limits = { maxPages: 10, maxCost: 5 };
    expect(await registry().setStatus(CRAWL, 'limited', TEN_PAGES, { ...condition, limits })).toBe(true);
  });

  test('of many that set a status at once from the same one, one does', async () => {
    await registry().create(CRAWL, RECORD);
    const words = ['paused', 'stopped', 'limited', 'finished'] as const;
    const set = await Promise.all(
      words.map((status) => registry().setStatus(CRAWL, status, TEN_PAGES, { from: ['running'] })),
    );
    expect(set.filter((isSet) => isSet)).toHaveLength(1);
    expect((await registry().load(CRAWL))?.status).toBe(words[set.indexOf(true)]);
  });

  test('changes the parts of a configuration that are given, and no other', async () => {
    await registry().create(CRAWL, RECORD);
    await registry().configure(CRAWL, { maxPages: 20 });
    await registry().configure(CRAWL, { delayMs: 5 });
    await registry().configure(CRAWL, {});
    expect(await registry().load(CRAWL)).toEqual({
      ...RECORD,
      config: { scope: 'host', maxPages: 20, delayMs: 5 },
    });
  });

  test('keeps when the first pass was complete, and that it was announced', async () => {
    await registry().create(CRAWL, RECORD);
    expect((await registry().load(CRAWL))?.firstPass).toBeUndefined();
    for (const at of [5, 9]) await registry().noteFirstPass(CRAWL, { at });
    expect((await registry().load(CRAWL))?.firstPass).toEqual({ at: 5 });
    await registry().noteFirstPass(CRAWL, { at: 9, isAnnounced: true });
    expect(await registry().load(CRAWL)).toMatchObject({
      firstPass: { at: 5, isAnnounced: true },
      status: 'running',
    });
  });

  test('keeps the version of the rules for URLs that it is given, and all else as it is', async () => {
    await registry().create(CRAWL, RECORD);
    for (let i = 0; i < 2; i++) await registry().setUrlRulesVersion(CRAWL, 7);
    expect(await registry().load(CRAWL)).toEqual({ ...RECORD, urlRulesVersion: 7 });
    await expect(registry().setUrlRulesVersion('other', 7)).rejects.toThrow();
  });

  test('widens the scope, safely again and from many at once', async () => {
    await registry().create(CRAWL, RECORD);
    const www = 'http://www.a.test/';
    for (let i = 0; i < 2; i++) await registry().addScopeSeeds(CRAWL, [www, 'http://a.test/']);
    await Promise.all(
      ['http://1.test/', 'http://2.test/', 'http://3.test/'].map((url) =>
        registry().addScopeSeeds(CRAWL, [url]),
      ),
    );
    const { scopeSeeds, ...rest } = (await registry().load(CRAWL))!;
    expect([...scopeSeeds].sort()).toEqual(
      ['http://1.test/', 'http://2.test/', 'http://3.test/', 'http://a.test/', www].sort(),
    );
    expect(rest).toMatchObject({ config: RECORD.config, status: 'running' });
  });

  test('sums up the heads, whenever it is asked, and after an abrupt end', async () => {
    await registry().create(CRAWL, RECORD);
    const none = await registry().totals(CRAWL);
    expect(none).toMatchObject({
      hosts: 0,
      hostsWaiting: 0,
      pages: 0,
      bytes: 0,
      requests: 0,
      httpStatus: {},
    });
    await commit('a.test', 1, {
      urls: { waiting: 5, fetched: 1 },
      totals: { pages: 1, bytes: 100, requests: 2, httpStatus: { 200: 1, 404: 1 }, skipped: { scope: 3 } },
    });
    await commit('b.test', 1, { urls: { failed: 1 }, totals: { requests: 3, errors: { timeout: 3 } } });
    await commit('a.test', 2, {
      urls: { waiting: 2, fetched: 3, gone: 1 },
      totals: {
        pages: 4,
        bytes: 900,
        requests: 5,
        httpStatus: { 200: 3, 404: 2 },
        skipped: { scope: 3, depth: 1 },
      },
    });
    await expect(commit('a.test', 2, { urls: { waiting: 100 } })).rejects.toThrow();
    await subject.engine.ledgers.commit('other', 'a.test', headOf(1, { urls: { waiting: 50 } }));
    const expected = {
      hosts: 2,
      hostsWaiting: 1,
      urls: { waiting: 2, fetched: 3, redirect: 0, gone: 1, deniedByRobots: 0, skipped: 0, failed: 1 },
      pages: 4,
      bytes: 900,
      requests: 8,
      httpStatus: { 200: 3, 404: 2 },
      skipped: { scope: 3, depth: 1 },
      errors: { timeout: 3 },
    };
    expect(await registry().totals(CRAWL)).toMatchObject(expected);
    if (subject.lacks('reopen')) return;
    const reopened = await subject.opened.reopen();
    expect(await reopened.registry.totals(CRAWL)).toMatchObject(expected);
    expect(await reopened.registry.load(CRAWL)).toEqual(RECORD);
  });

  test('is not quiet while a message is kept, though it is received', async () => {
    const { queue } = subject.engine;
    await registry().create(CRAWL, RECORD);
    await queue.send([{ host: 'a.test', message: token('1') }]);
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    const received = await until(receiveOne(queue, LONG_MS));
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    await queue.park(received, 60_000);
    expect(await registry().isQuiet(CRAWL)).toBe(false);
  });

  test('is quiet in the end, once messages and parcels are acknowledged and no host is due', async () => {
    const { queue, exchange } = subject.engine;
    await registry().create(CRAWL, RECORD);
    await exchange.send({ crawl: CRAWL, links: [linkTo('http://a.test/')] });
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    const parcels = await until(exchange.receive(10, LONG_MS));
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    await queue.send([{ host: 'a.test', message: token('1') }]);
    await exchange.acknowledge(parcels);
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    const received = await until(receiveOne(queue, LONG_MS));
    await commit('a.test', 1, { dueAt: Date.now() + 1e9 });
    await queue.acknowledge(received, received.deliveries);
    expect(await registry().isQuiet(CRAWL)).toBe(false);
    await commit('a.test', 2);
    await becomesQuiet(subject.engine);
  });

  const withRequisites = (version: number, requisites: HostTotals['requisites']) =>
    commit('a.test', version, { dueAt: Date.now() + 1e9, totals: { ...NO_TOTALS, requisites } });

  test('without pages to begin, is quiet at once where no requisite is awaited, though hosts are due', async () => {
    await registry().create(CRAWL, RECORD);
    await withRequisites(1, undefined);
    expect(await registry().isQuiet(CRAWL, true)).toBe(true);
    await withRequisites(2, { waiting: 2, awaited: 2 });
    expect(await registry().isQuiet(CRAWL, true)).toBe(false);
    await withRequisites(3, { fetched: 1, waiting: 1, awaited: 0 });
    expect(await registry().isQuiet(CRAWL, true)).toBe(true);
    expect(await registry().isQuiet(CRAWL)).toBe(false);
  });

  test('without pages to begin, is not quiet while links to requisites are on their way', async () => {
    const { queue, exchange } = subject.engine;
    await registry().create(CRAWL, RECORD);
    await exchange.send({ crawl: CRAWL, links: [{ ...linkTo('http://b.test/1.png'), kind: 'requisite' }] });
    await withRequisites(1, { sent: 1, waiting: 0, awaited: 0 });
    expect(await registry().isQuiet(CRAWL, true)).toBe(false);
    const parcels = await until(exchange.receive(10, LONG_MS));
    const message = { kind: 'links' as const, crawl: CRAWL, links: parcels[0]!.outLinks.links };
    await queue.send([{ host: 'b.test', message }]);
    await exchange.acknowledge(parcels);
    expect(await registry().isQuiet(CRAWL, true)).toBe(false);
    const received = await until(receiveOne(queue, LONG_MS));
    expect(await registry().isQuiet(CRAWL, true)).toBe(false);
    await queue.acknowledge(received, received.deliveries);
    await becomesQuiet(subject.engine, true);
  });

  /** "Perhaps late": within what a test may take. */
  async function becomesQuiet(engine: Engine, requisitesOnly?: boolean): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if (await engine.registry.isQuiet(CRAWL, requisitesOnly)) return;
      await subject.pass(20);
    }
    expect(await engine.registry.isQuiet(CRAWL, requisitesOnly)).toBe(true);
  }
}
