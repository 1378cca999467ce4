/** Items are each once in what is published, whatever is discarded between. */
import { expect, test } from 'vitest';
import type { ItemStore } from '../../../shared/crawler/ports/item-store.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { begin, crawlToEnd, createWorld, runToEnd, SILENT } from './world.ts';

const A = 'http://a.test';

/** As an engine keeps them: what is staged for a version that the head has reached is published. */
function createItems() {
  const staged = new Map<number, readonly string[]>();
  const published: string[] = [];
  const store: ItemStore = {
    async stage(_crawl, _host, version, lines) {
      staged.set(version, [...lines]);
      return undefined;
    },
    async publish(_crawl, _host, version) {
      for (const [of, lines] of staged) {
        if (of > version) continue;
        for (const line of lines) published.push(line);
        staged.delete(of);
      }
    },
  };
  return { store, published };
}

const hooks = (itemsOf: (url: string) => readonly string[]): PageHooks => ({
  ...SILENT,
  onPage: async ({ url }) => ({ items: itemsOf(url) }),
});

const oneEach = hooks((url) => [JSON.stringify({ url })]);

test('items are staged before the head that they belong to is committed, and published after it', async () => {
  const steps: string[] = [];
  const items = {
    stage: async (_: string, host: string, version: number, lines: readonly string[]) => {
      steps.push(`stage ${host} ${version} ${lines.join(' ')}`);
      return undefined;
    },
    publish: async (_: string, host: string, version: number) => {
      steps.push(`publish ${host} ${version}`);
    },
  };
  const site = { [`${A}/`]: page('/1'), [`${A}/1`]: page() };
  await crawlToEnd(site, {}, { hooks: oneEach, optional: { items } });
  expect(steps).toEqual([`stage a.test 1 {"url":"${A}/"} {"url":"${A}/1"}`, 'publish a.test 1']);
});

test('what a turn that was discarded had staged does not count when the next attempt has no items', async () => {
  const { store, published } = createItems();
  // The second attempt finds the page in trouble, so it has none; the third one has.
  const site: Site = { [`${A}/`]: (before) => (before === 1 ? { status: 500 } : page()) };
  const world = createWorld(site, { hooks: oneEach, optional: { items: store } });
  const { commit } = world.engine.ledgers;
  let isBroken = true;
  world.engine.ledgers.commit = async (crawl, host, next) => {
    if (isBroken && next.totals.requests > 1) {
      isBroken = false;
      throw new Error('the store is away');
    }
    await commit(crawl, host, next);
  };
  await begin(world, [`${A}/`]);
  expect(await runToEnd(world)).toEqual(['a.test: the store is away']);
  expect(published).toEqual([`{"url":"${A}/"}`]);
});

test('a careful turn, whose announcements are versions of the head, brings none of them back', async () => {
  const { store, published } = createItems();
  const world = createWorld({ [`${A}/`]: page() }, { hooks: oneEach, optional: { items: store } });
  const { commit } = world.engine.ledgers;
  let broken = 3;
  world.engine.ledgers.commit = async (crawl, host, next) => {
    if (broken > 0 && next.totals.pages > 0) {
      broken--;
      throw new Error('the store is away');
    }
    await commit(crawl, host, next);
  };
  await begin(world, [`${A}/`]);
  await runToEnd(world);
  expect(broken).toBe(0);
  expect(published).toEqual([`{"url":"${A}/"}`]);
});

test('a page may have more items than a function call takes arguments', async () => {
  const { store, published } = createItems();
  const many = hooks(() => Array.from({ length: 300_000 }, () => '{}'));
  await crawlToEnd({ [`${A}/`]: page() }, {}, { hooks: many, optional: { items: store } });
  expect(published).toHaveLength(300_000);
});

test('a turn with many items is committed early', async () => {
  const { store, published } = createItems();
  const site = {
    [`${A}/`]: page('/1', '/2', '/3'),
    [`${A}/1`]: page(),
    [`${A}/2`]: page(),
    [`${A}/3`]: page(),
  };
  const large = hooks((url) =>
    Array.from({ length: 6 }, (_, i) => `{"${url}${i}":"${'x'.repeat(1_000_000)}"}`),
  );
  const world = createWorld(site, { hooks: large, optional: { items: store } });
  let turns = 0;
  const { commit } = world.engine.ledgers;
  world.engine.ledgers.commit = async (...args) => {
    turns++;
    await commit(...args);
  };
  await begin(world, [`${A}/`]);
  expect(await runToEnd(world)).toEqual([]);
  expect(new Set(published).size).toBe(24);
  expect(turns).toBe(2);
});
