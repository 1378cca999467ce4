/** A crawl at its limit of pages, several processes of which work for it, makes its pages whole. */
import { expect, test } from 'vitest';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, runToEnd, statesOf, type World } from './world.ts';

const A = 'http://a.test';
const IMAGE = `${A}/1.png`;
const SITE: Site = {
  [`${A}/`]: { body: '<img src=/1.png><a href=/2>x</a>' },
  // Its second try comes after so long that the host has no token until then.
  [IMAGE]: (before) => ({ status: before === 0 ? 500 : 200, headers: { 'Content-Type': 'image/png' } }),
};
const CONFIG = { requisites: true, maxPages: 1, retryMs: 60_000 };

/** Crawls with the engine that `change` makes of one that several processes share. Returns the image's state. */
async function crawl(change: (engine: Engine) => Partial<Engine>): Promise<string | undefined> {
  const world = createWorld(SITE);
  const shared: Engine = { ...world.engine, registry: { ...world.engine.registry, isShared: true } };
  const engine = { ...shared, ...change(shared) } as World['engine'];
  await begin(world, [`${A}/`], CONFIG);
  expect(await runToEnd({ ...world, engine })).toEqual([]);
  expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text: '1 pages' } });
  return (await statesOf(engine))[IMAGE];
}

test('also if the counters do not know yet that a host has requisites', async () => {
  const state = await crawl(({ registry }) => ({
    registry: {
      ...registry,
      isQuiet: async (id, requisitesOnly) => requisitesOnly === true || registry.isQuiet(id),
    },
  }));
  expect(state).toBe('fetched');
});

test('also if it is called limited while the head that says so is being stored', async () => {
  let isFirst = true;
  const state = await crawl(({ ledgers, registry }) => ({
    ledgers: {
      ...ledgers,
      async commit(id, host, head) {
        if (isFirst && head.totals.requisites?.awaited)
          isFirst = !(await registry.setStatus(id, 'limited', { code: 'maxPages', text: '1 pages' }));
        await ledgers.commit(id, host, head);
      },
    },
  }));
  expect(isFirst).toBe(false);
  expect(state).toBe('fetched');
});
