/** A crawl as a turn sees it: how fresh its settings are, and what it changes of them. */
import { expect, test } from 'vitest';
import { BY_OPERATOR } from '../../../shared/core/causes/status-reason.ts';
import { CrawlTooLarge } from '../../../shared/crawler/ports/crawl-registry.ts';
import { CRAWL_ID, openTurn, type TurnSituation } from './turn-bench.ts';
import { HOST, ORIGIN } from './turn-fakes.ts';

const open = async (situation: TurnSituation = {}) => {
  const turn = await openTurn(situation);
  return { ...turn, crawl: turn.parts.crawl, registry: turn.engine.registry };
};

test('has the settings of its host, and those of all hosts for fetchers', async () => {
  const overrides = [{ hosts: [HOST], delayMs: 7000 }];
  const { crawl } = await open({ config: { delayMs: 2000, overrides } });
  expect(crawl).toMatchObject({ id: CRAWL_ID, host: HOST, status: 'running' });
  expect(crawl.config.delayMs).toBe(7000);
  expect(crawl.everywhere.config.delayMs).toBe(2000);
  expect(crawl.everywhere.budget).toBe(crawl.budget);
});

test('is read again when it is two seconds old, not before', async () => {
  const { crawl, registry, clock } = await open({ config: { delayMs: 2000 } });
  await registry.setStatus(CRAWL_ID, 'paused');
  await registry.configure(CRAWL_ID, { delayMs: 3000 });
  await clock.advance(1999);
  expect(await crawl.current()).toBe(crawl);
  expect(crawl.status).toBe('running');
  expect(await crawl.isRunning()).toBe(true);
  await clock.advance(1);
  // A loaded record is kept until it is requested again.
  expect([crawl.status, crawl.config.delayMs]).toEqual(['running', 2000]);
  expect(await crawl.isRunning()).toBe(false);
  expect([crawl.status, crawl.config.delayMs]).toEqual(['paused', 3000]);
});

test('the latest is read whatever its age', async () => {
  const { crawl, registry } = await open();
  await registry.setStatus(CRAWL_ID, 'stopped');
  expect(await crawl.latest()).toBe(crawl);
  expect(crawl.status).toBe('stopped');
});

test('new settings are those of its host, too', async () => {
  const overrides = [{ hosts: [HOST], delayMs: 7000 }];
  const { crawl, registry } = await open({ config: { delayMs: 2000 } });
  await registry.configure(CRAWL_ID, { overrides });
  await crawl.latest();
  expect(crawl.config.delayMs).toBe(7000);
  expect(crawl.everywhere.config.delayMs).toBe(2000);
});

test('a crawl that is not there any more counts as stopped, with the settings it had', async () => {
  const { crawl, registry } = await open({ config: { delayMs: 2000 } });
  registry.load = async () => undefined;
  await crawl.latest();
  expect(crawl.status).toBe('stopped');
  expect(await crawl.isRunning()).toBe(false);
  expect(crawl.config.delayMs).toBe(2000);
});

test('knows URLs by its rules', async () => {
  const { crawl } = await open();
  expect(crawl.nameOf(`${ORIGIN}/?sid=1&utm_source=x`)).toBe(
    crawl.everywhere.nameOf(`${ORIGIN}/?sid=1&utm_source=x`),
  );
  expect(crawl.nameOf(`${ORIGIN}/?utm_source=x`)).not.toContain('utm_source');
});

test('its scope can be widened, and is so at once', async () => {
  const { crawl, registry } = await open();
  expect(crawl.scope.check('http://b.test/', 0)).toBe('scope');
  expect(await crawl.widenScope('http://b.test/')).toBe(true);
  expect((await registry.load(CRAWL_ID))?.scopeSeeds).toEqual([`${ORIGIN}/`, 'http://b.test/']);
  await crawl.current();
  expect(crawl.scope.check('http://b.test/', 0)).toBeUndefined();
});

test('a scope for which the record has no room is not widened; other failures are thrown', async () => {
  const { crawl, registry } = await open();
  registry.addScopeSeeds = async () => {
    throw new CrawlTooLarge('too many seeds');
  };
  expect(await crawl.widenScope('http://b.test/')).toBe(false);
  registry.addScopeSeeds = async () => {
    throw new Error('no table');
  };
  await expect(crawl.widenScope('http://b.test/')).rejects.toThrow('no table');
});

test.each(['finished', 'limited'] as const)(
  'a crawl that was called %s runs again, and the turn knows it',
  async (status) => {
    const { crawl, registry } = await open({ status });
    await registry.setStatus(CRAWL_ID, status, BY_OPERATOR);
    await crawl.revive();
    expect(await registry.load(CRAWL_ID)).toMatchObject({ status: 'running' });
    expect((await registry.load(CRAWL_ID))?.why).toBeUndefined();
    expect(crawl.status).toBe('running');
  },
);

test('an operator who stopped it meanwhile has the last word', async () => {
  const { crawl, registry } = await open({ status: 'finished' });
  await registry.setStatus(CRAWL_ID, 'stopped');
  await crawl.revive();
  expect((await registry.load(CRAWL_ID))?.status).toBe('stopped');
  expect(crawl.status).toBe('stopped');
});

test('what was read while it changed is not kept', async () => {
  const { crawl, registry, services } = await open({ status: 'finished' });
  const { addScopeSeeds, setStatus } = registry;
  registry.addScopeSeeds = async (...args) => {
    await services.crawls.get(CRAWL_ID);
    await addScopeSeeds(...args);
  };
  registry.setStatus = async (...args) => {
    await services.crawls.get(CRAWL_ID);
    return setStatus(...args);
  };
  await crawl.latest();
  await crawl.widenScope('http://b.test/');
  await crawl.current();
  expect(crawl.scope.check('http://b.test/', 0)).toBeUndefined();
  await crawl.revive();
  expect(crawl.status).toBe('running');
});

test('a crawl that cannot be set running, or read after it, fails the turn', async () => {
  const { crawl, registry } = await open({ status: 'finished' });
  const { setStatus } = registry;
  registry.setStatus = () => Promise.reject(new Error('no table'));
  await expect(crawl.revive()).rejects.toThrow('no table');
  registry.setStatus = setStatus;
  registry.load = () => Promise.reject(new Error('no record'));
  await expect(crawl.revive()).rejects.toThrow('no record');
});
