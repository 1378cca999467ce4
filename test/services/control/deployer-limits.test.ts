import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { NewCrawl } from '../../../shared/services/control/control.ts';
import type { DeployerLimits } from '../../../shared/services/control/deployer-limits.ts';
import type { ControlPolicy } from '../../../shared/services/control/plan-request.ts';
import { A, B, CONTACT, openRoom } from './control-room.ts';

const LIMITS: DeployerLimits = {
  delayMs: 100,
  ipDelayMs: 200,
  perHost: 2,
  maxBytesPerSecond: 5_000_000,
  maxBytesPerSecondPerHost: 50_000,
  maxCost: 5,
  allowedDomains: ['a.test', 'c.test'],
};
const open = (limits: DeployerLimits = LIMITS, defaults = {}) =>
  openRoom({ policy: { limits, defaults: { contact: CONTACT, ...defaults } } });

test.each<[field: string, config: NewCrawl['config'], message: RegExp]>([
  ['config.delayMs', { delayMs: 0 }, /^Expected config.delayMs >= 100, got 0: the deployer/],
  ['config.ipDelayMs', { ipDelayMs: 199 }, /^Expected config.ipDelayMs >= 200, got 199/],
  [
    'config.ipDelayExcept.0',
    { ipDelayMs: 300, ipDelayExcept: ['0.0.0.0/0'] },
    /"0.0.0.0\/0" is not open here; none may be without/,
  ],
  ['config.perHost', { perHost: 3 }, /^Expected config.perHost <= 2, got 3/],
  ['config.maxBytesPerSecond', { maxBytesPerSecond: 5_000_001 }, /<= 5000000, got 5000001/],
  ['config.maxBytesPerSecondPerHost', { maxBytesPerSecondPerHost: 50_001 }, /<= 50000, got 50001/],
  [
    'config.overrides.0.maxBytesPerSecondPerHost',
    { overrides: [{ hosts: ['a.test'], maxBytesPerSecondPerHost: 60_000 }] },
    /<= 50000, got 60000/,
  ],
  ['config.maxCost', { maxCost: 5.01 }, /^Expected config.maxCost <= 5, got 5.01/],
  [
    'config.domains.1',
    { domains: ['www.a.test', 'b.test'] },
    /"b.test" is not open here; only a.test, c.test/,
  ],
  ['config.overrides.0.delayMs', { overrides: [{ hosts: ['a.test'], delayMs: 99 }] }, />= 100, got 99/],
  ['config.overrides.0.perHost', { overrides: [{ hosts: ['a.test'], perHost: 9 }] }, /<= 2, got 9/],
])('%s beyond the limits is refused by every way to begin a crawl', async (field, config, message) => {
  const { control, done } = open();
  const request = { crawl: 'one', seeds: [A], config };
  for (const begin of [() => control.create(request), () => control.seed(request)])
    await expect(begin()).rejects.toMatchObject({
      code: 'invalid',
      field,
      message: expect.stringMatching(message),
    });
  expect(done).toEqual([]);
});

test('a crawl that asks for nothing has the limits, and the defaults as far as they fit', async () => {
  const { control, engine } = open(LIMITS, { delayMs: 10, perHost: 4, maxCost: 50, maxBytesPerSecond: 1e9 });
  await control.create({ crawl: 'one', seeds: [A] });
  expect((await engine.registry.load('one'))?.config).toMatchObject({
    delayMs: 100,
    ipDelayMs: 200,
    perHost: 2,
    maxBytesPerSecond: 5_000_000,
    maxBytesPerSecondPerHost: 50_000,
    maxCost: 5,
    domains: ['a.test', 'c.test'],
  });
  const slow = open({ delayMs: 3000 });
  await slow.control.create({ crawl: 'one', seeds: [A] });
  expect((await slow.engine.registry.load('one'))?.config).toMatchObject({ delayMs: 3000 });
});

test('a crawl excepts those addresses from the least ipDelayMs that the deployment excepts', async () => {
  const cdn = ['104.16.0.0/13', '2400:cb00::/32'];
  const { control, engine } = open(LIMITS, { ipDelayExcept: cdn });
  await control.create({ crawl: 'all', seeds: [A] });
  await control.create({ crawl: 'one', seeds: [A], config: { ipDelayMs: 500, ipDelayExcept: [cdn[1]!] } });
  const configOf = async (crawl: string) => (await engine.registry.load(crawl))?.config;
  expect(await configOf('all')).toMatchObject({ ipDelayMs: 200, ipDelayExcept: cdn });
  expect(await configOf('one')).toMatchObject({ ipDelayMs: 500, ipDelayExcept: [cdn[1]] });
  const wide = control.create({ seeds: [A], config: { ipDelayExcept: [cdn[0]!, '104.0.0.0/8'] } });
  await expect(wide).rejects.toMatchObject({ code: 'invalid', field: 'config.ipDelayExcept.1' });
  const free = open({});
  await free.control.create({ crawl: 'free', seeds: [A], config: { ipDelayExcept: ['0.0.0.0/0'] } });
});

test('seeds of other domains are refused, at the beginning and later', async () => {
  const { control } = open();
  const refusal = { code: 'invalid', message: expect.stringContaining('only a.test, c.test may be crawled') };
  await expect(control.create({ seeds: [B] })).rejects.toMatchObject(refusal);
  await control.create({ crawl: 'one', seeds: [A] });
  await expect(control.addSeeds('one', [B])).rejects.toMatchObject(refusal);
});

test('the limit of money holds when a crawl is resumed, also if it began before there was a limit', async () => {
  const limits: { maxCost?: number } = {};
  const { control, engine } = open(limits);
  await control.create({ crawl: 'one', seeds: [A], config: { maxCost: 50 } });
  limits.maxCost = 5;
  await expect(control.resume('one', { maxCost: 6 })).rejects.toMatchObject({
    code: 'invalid',
    field: 'maxCost',
  });
  await expect(control.resume('one', { maxCost: 1e308 })).rejects.toMatchObject({ code: 'invalid' });
  await control.resume('one');
  expect((await engine.registry.load('one'))?.config).toMatchObject({ maxCost: 5 });
  await control.resume('one', { maxCost: 4 });
  expect((await engine.registry.load('one'))?.config).toMatchObject({ maxCost: 4 });
});

test('a crawl is resumed with rendering where there is a browser, and refused elsewhere', async () => {
  const resume = async (refuses: ControlPolicy['refuses']) => {
    const { control, engine } = openRoom({ policy: { defaults: { contact: CONTACT }, refuses } });
    await control.create({ crawl: 'one', seeds: [A] });
    await control.resume('one', { render: 'needed' });
    return (await engine.registry.load('one'))?.config;
  };
  expect(await resume({})).toMatchObject({ render: 'needed' });
  await expect(resume({ render: 'this stack has no browser' })).rejects.toMatchObject({
    ...{ code: 'invalid', field: 'render' },
    message: 'render cannot be set here: this stack has no browser',
  });
});

test('where there is no browser, settings of a crawl that renders no more are no fault', async () => {
  const none = 'this stack has no browser';
  const refuses = { render: none, keepRendered: none, screenshots: none };
  const { control, engine } = openRoom({ policy: { defaults: { contact: CONTACT }, refuses } });
  const config = { render: 'never', screenshots: true } as const;
  await control.create({ crawl: 'one', seeds: [A], config });
  await control.resume('one', { render: 'never' });
  expect((await engine.registry.load('one'))?.config).toMatchObject(config);
  const others: CrawlOptions[] = [
    { screenshots: true },
    { ...config, overrides: [{ hosts: ['a.test'], render: 'always' }] },
  ];
  for (const refused of others)
    await expect(control.create({ crawl: 'two', seeds: [A], config: refused })).rejects.toThrow(none);
});

test('when the money of the day is spent, no crawl begins or continues', async () => {
  let spent = 0;
  const { control } = openRoom({
    policy: { limits: { maxCostPerDay: 20 } },
    engine: { spentToday: async () => spent },
  });
  await control.create({ crawl: 'one', seeds: [A] });
  await control.pause('one');
  spent = 20.01;
  const isSpent = { code: 'conflict', message: expect.stringContaining('20 US dollars today') };
  await expect(control.create({ crawl: 'two', seeds: [A] })).rejects.toMatchObject(isSpent);
  await expect(control.resume('one')).rejects.toMatchObject(isSpent);
  spent = 0;
  await control.resume('one');
});

test('no more crawls run than may, however they come to run', async () => {
  const { control, engine } = open({ maxRunningCrawls: 1 });
  const isFull = { code: 'conflict', message: expect.stringContaining('maxRunningCrawls') };
  await control.create({ crawl: 'one', seeds: [A] });
  await expect(control.create({ crawl: 'two', seeds: [A] })).rejects.toMatchObject(isFull);
  await expect(control.seed({ crawl: 'two', seeds: [A] })).rejects.toMatchObject(isFull);
  await control.resume('one');
  await control.pause('one');
  await control.create({ crawl: 'two', seeds: [A] });
  await expect(control.resume('one')).rejects.toMatchObject(isFull);
  await engine.registry.setStatus('one', 'finished');
  await expect(control.addSeeds('one', [A])).rejects.toMatchObject(isFull);
});

test('crawls that begin in one moment are not more than may run; the seeds of those that are paused are kept', async () => {
  const { control, engine, sent } = open({ maxRunningCrawls: 2 });
  // Each looks for room before any other has begun.
  let looking = 4;
  const all = Promise.withResolvers<void>();
  const list = engine.registry.list.bind(engine.registry);
  Object.assign(engine.registry, {
    async list() {
      const names = await list();
      if (--looking === 0) all.resolve();
      await all.promise;
      return names;
    },
  });
  const begun = await Promise.allSettled(
    ['one', 'two', 'three', 'four'].map((crawl) =>
      control.create({ crawl, seeds: [`https://${crawl}.test/`] }),
    ),
  );
  const states = await Promise.all(
    ['one', 'two', 'three', 'four'].map(async (crawl) => (await control.status(crawl)).state),
  );
  expect(states.filter((state) => state === 'running').length).toBeLessThanOrEqual(2);
  expect(begun.map(({ status }) => status === 'fulfilled')).toEqual(
    states.map((state) => state === 'running'),
  );
  for (const [i, result] of begun.entries())
    if (result.status === 'rejected') {
      expect(states[i]).toBe('paused');
      expect(result.reason.message).toMatch(/maxRunningCrawls.* is paused, with its seeds: resume it then$/);
    }
  expect(sent).toHaveLength(4);
});
