import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { CrawlStatus } from '../../../shared/crawler/ports/crawl-registry.ts';
import { page, robots, type Site } from '../../crawler/worker/scripted-fetcher.ts';
import { runToEnd, statesOf } from '../../crawler/worker/world.ts';
import { A, B, openRoom, type Room, type RoomOptions } from './control-room.ts';

const SITE: Site = {
  [`${A}robots.txt`]: robots('User-agent: *\nDisallow: /no\n'),
  [A]: page('/1', '/2', '/no'),
  [`${A}1`]: page(B),
  [`${A}2`]: page(),
  [B]: page(),
};

async function begun(options: RoomOptions = {}, config: CrawlOptions = {}, seeds = [A]): Promise<Room> {
  const room = openRoom({ site: SITE, ...options });
  await room.control.create({ crawl: 'one', seeds, config });
  return room;
}

async function standing(status: CrawlStatus, options: RoomOptions = {}, config: CrawlOptions = {}) {
  const room = await begun(options, config);
  await room.engine.registry.setStatus('one', status, { code: 'maxPages', text: 'why' });
  room.done.length = 0;
  return room;
}

describe('a crawl that was run', () => {
  test('reports its progress', async () => {
    const { control, world } = await begun({
      totals: { activeMs: 1504, usage: { puts: 3 } },
      engine: {
        warcFiles: async () => Array.from({ length: 1200 }, (_, i) => `${i}.warc.gz`),
        costOf: ({ puts = 0 }) => ({ isExact: true, total: puts * 2, byItem: { puts: puts * 2 } }),
      },
    });
    expect(await runToEnd(world, ['one'])).toEqual([]);
    const summary = await control.status('one');
    expect(summary).toMatchObject({
      pages: 3,
      urls: 4,
      hosts: 1,
      seconds: 1.5,
      byStatus: { fetched: 3, deniedByRobots: 1, waiting: 0 },
      skipped: { scope: 1 },
      errors: {},
      httpStatus: { 200: 4 },
      state: 'running',
      crawl: 'one',
      rate: 2,
      cost: 6,
      costByItem: { puts: 6 },
      setAside: [],
    });
    expect(summary.warcFiles).toHaveLength(1000);
    expect((await control.list()).crawls).toEqual([
      { crawl: 'one', state: 'running', reason: undefined, pages: 3 },
    ]);
  });

  test('reports what happened to a URL, in any spelling, and where its record is now', async () => {
    const { control, world } = await begun({
      engine: {
        locate: async (crawl, { offset, length }) => ({
          file: `${crawl}.joined`,
          offset: offset + 9,
          length,
        }),
      },
    });
    await runToEnd(world, ['one']);
    expect(await control.url('one', 'A.test/1#x')).toMatchObject({
      url: `${A}1`,
      status: 'fetched',
      via: A,
      warcFile: 'one.joined',
      warcOffset: expect.any(Number),
    });
    expect(await control.url('one', `${A}no`)).toMatchObject({
      status: 'deniedByRobots',
      warcFile: undefined,
    });
    expect(await control.url('one', `${A}1?utm_source=x`)).toMatchObject({ url: `${A}1` });
    await expect(control.url('one', `${A}9`)).rejects.toMatchObject({ code: 'notFound', field: 'url' });
    await expect(control.url('one', 'https://z.test/')).rejects.toMatchObject({ code: 'notFound' });
    await expect(control.url('one', 'mailto:a@b.test')).rejects.toMatchObject({
      code: 'invalid',
      field: 'url',
    });
    await expect(control.url('two', A)).rejects.toMatchObject({ code: 'notFound', field: 'crawl' });
  });

  test('lists its hosts, a page at a time, and each in detail', async () => {
    const { control, world } = await begun({}, {}, [A, B]);
    await runToEnd(world, ['one']);
    const first = await control.hosts('one', { limit: 1 });
    const second = await control.hosts('one', { limit: 1, cursor: first.cursor });
    expect(second.cursor).toBeUndefined();
    const entries = [...first.hosts, ...second.hosts].toSorted((a, b) => (a.host < b.host ? -1 : 1));
    expect(entries).toEqual([
      expect.objectContaining({ host: 'a.test', known: 4, waiting: 0, pages: 3, failures: 0 }),
      expect.objectContaining({ host: 'b.test', known: 1, waiting: 0, pages: 1 }),
    ]);
    expect(await control.host('one', 'A.test')).toMatchObject({
      ...entries[0],
      requests: 4,
      byStatus: { fetched: 3 },
      httpStatus: { 200: 4 },
      robots: [{ origin: 'https://a.test', kind: 'rules', expiresAt: expect.stringMatching(/^2026-01-02T/) }],
    });
    await expect(control.host('one', 'z.test')).rejects.toMatchObject({ code: 'notFound', field: 'host' });
    await expect(control.host('one', 'a b/')).rejects.toMatchObject({ code: 'notFound', field: 'host' });
    await expect(control.hosts('one', { limit: 1001 })).rejects.toMatchObject({ field: 'limit' });
  });

  test('names the hosts that it gave up, and gives them another try when resumed', async () => {
    let isUp = false;
    const answer = () => (isUp ? page() : { fails: 'connect' as const });
    const site = { [`${B}robots.txt`]: answer, [B]: answer };
    const { control, world, woken } = await begun({ site }, { maxHostFailures: 2 }, [B]);
    await runToEnd(world, ['one']);
    expect(await control.status('one')).toMatchObject({
      setAside: [{ host: 'b.test', cause: expect.stringContaining('connect') }],
    });
    expect((await control.host('one', 'b.test')).setAside).toContain('connect');
    isUp = true;
    await control.resume('one');
    await runToEnd(world, ['one']);
    expect(woken).toEqual(['one 1']);
    expect(await control.status('one')).toMatchObject({ setAside: [], pages: 1 });
  });

  test('looks for no hosts given up among too many', async () => {
    const { control } = await begun({ totals: { hosts: 2001 } });
    expect(await control.status('one')).toMatchObject({ hosts: 2001, setAside: [] });
  });

  test('that had finished continues with the seeds that are added', async () => {
    const { control, world, engine } = await begun();
    await runToEnd(world, ['one']);
    await engine.registry.setStatus('one', 'finished');
    await control.addSeeds('one', [B]);
    await runToEnd(world, ['one']);
    expect(await statesOf(world.engine, 'one')).toMatchObject({ [B]: 'fetched' });
    expect(await control.status('one')).toMatchObject({ state: 'running', pages: 4, hosts: 2 });
  });
});

describe('a word of the operator', () => {
  const words: ['pause' | 'stop' | 'resume', CrawlStatus, CrawlStatus | RegExp][] = [
    ['pause', 'running', 'paused'],
    ['pause', 'paused', 'paused'],
    ['pause', 'limited', /stands at its limit already: why/],
    ['pause', 'stopped', /is stopped: there is nothing to pause/],
    ['pause', 'finished', /is finished: there is nothing to pause/],
    ['stop', 'running', 'stopped'],
    ['stop', 'paused', 'stopped'],
    ['stop', 'limited', 'stopped'],
    ['stop', 'stopped', 'stopped'],
    ['stop', 'finished', /is finished: there is nothing to stop/],
    ['resume', 'running', 'running'],
    ['resume', 'paused', 'running'],
    ['resume', 'limited', 'running'],
    ['resume', 'stopped', 'running'],
    ['resume', 'finished', 'running'],
  ];
  test.each(words)('%s, to a crawl that is %s: %s', async (word, status, outcome) => {
    const { control, done } = await standing(status);
    if (outcome instanceof RegExp) {
      const refused = { code: 'conflict', message: expect.stringMatching(outcome) };
      await expect(control[word]('one')).rejects.toMatchObject(refused);
      expect(done).toEqual([]);
    } else expect(await control[word]('one')).toMatchObject({ state: outcome });
  });

  test.each(['pause', 'stop', 'resume', 'status'] as const)(
    '%s, about no crawl, is not found',
    async (word) => {
      const { control } = openRoom();
      await expect(control[word]('one')).rejects.toMatchObject({ code: 'notFound', field: 'crawl' });
    },
  );

  test('keeps the reason until another one is given', async () => {
    const { control } = await begun();
    expect(await control.pause('one')).toMatchObject({ state: 'paused', reason: 'by the operator' });
    expect((await control.resume('one')).reason).toBeUndefined();
  });
});

describe('a crawl is resumed', () => {
  test('with other limits, which are stored before it runs', async () => {
    const { control, engine, done, woken } = await standing(
      'limited',
      { totals: { pages: 5, hosts: 1 } },
      { maxPages: 5 },
    );
    expect(await control.resume('one', { maxPages: 6, maxBytes: undefined })).toMatchObject({
      state: 'running',
    });
    expect((await engine.registry.load('one'))?.config).toMatchObject({ maxPages: 6 });
    expect(done).toEqual(['resume 1']);
    expect(woken).toEqual(['one 1']);
  });

  test.each<[CrawlOptions, CrawlOptions, RegExp]>([
    [{ maxPages: 5 }, {}, /its maxPages is 5, and it has fetched 5 already/],
    [{ maxPages: 5 }, { maxPages: 4 }, /its maxPages is 4/],
    [{ maxBytes: 99 }, {}, /its maxBytes is 99, and it has received 100/],
    [{ maxTimeMs: 1000 }, {}, /its maxTimeMs is 1000, and it has run for 2000/],
    [
      { maxCost: 0.1 },
      { maxPages: 6 },
      /its maxCost is 0.1, and it has cost 0.25 already. Resume it with a higher maxCost/,
    ],
  ])(
    '%j and resumed with %j stands at its limit: a conflict that says so',
    async (config, limits, message) => {
      const totals = { pages: 5, bytes: 100, activeMs: 2000, cost: 0.25, hosts: 1 };
      const { control, done, woken } = await standing('limited', { totals }, config);
      const refused = { code: 'conflict', message: expect.stringMatching(message) };
      await expect(control.resume('one', limits)).rejects.toMatchObject(refused);
      expect([...done, ...woken]).toEqual([]);
    },
  );

  test.each<[object, string, RegExp]>([
    [{ maxPages: 0 }, 'maxPages', /^Expected maxPages >= 1, got 0$/],
    [{ maxPage: 1 }, 'maxPage', /did you mean maxPages/],
    [
      { delayMs: 1 },
      'delayMs',
      /^Expected one of render, recrawl, recrawlEveryMs, recrawlSchedule, recrawlTimeZone, recrawlPerDay, changeFeed, documents, maxPages, maxBytes, maxTimeMs, maxCost, maxPagesPerHost, domainBudget, keepTrying, cookies to resume with, got delayMs/,
    ],
  ])('by %j: refused by name', async (limits, field, message) => {
    const { control } = await standing('paused');
    const refused = { code: 'invalid', field, message: expect.stringMatching(message) };
    await expect(control.resume('one', limits)).rejects.toMatchObject(refused);
  });

  test('from before its seeds were sent: they are now', async () => {
    const { control, sent } = await standing('paused');
    sent.length = 0;
    await control.resume('one');
    expect(sent).toEqual([A]);
  });
});

describe('a crawl with settings that a newer version has added', () => {
  async function newer(): Promise<Room> {
    const room = await begun();
    await room.engine.registry.configure('one', { shoeSize: 44 } as CrawlOptions);
    return room;
  }

  test('is shown, paused, stopped and deleted', async () => {
    const { control } = await newer();
    expect(await control.status('one')).toMatchObject({ state: 'running' });
    expect((await control.list()).crawls).toMatchObject([{ crawl: 'one' }]);
    expect(await control.pause('one')).toMatchObject({ state: 'paused' });
    expect(await control.stop('one')).toMatchObject({ state: 'stopped' });
  });

  test.each([
    ['resume', (control: Room['control']) => control.resume('one')],
    ['addSeeds', (control: Room['control']) => control.addSeeds('one', [B])],
    ['url', (control: Room['control']) => control.url('one', A)],
    ['domains', (control: Room['control']) => control.domains('one', {})],
  ])('is refused by %s, and says what to do', async (_, ask) => {
    const { control } = await newer();
    await expect(ask(control)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Deploy the newer version again'),
    });
  });
});
