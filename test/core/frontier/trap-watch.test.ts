import { describe, expect, test } from 'vitest';
import { closedGroups, createTrapWatch, type TrapState } from '../../../shared/core/frontier/trap-watch.ts';
import { hashOf, wordsOf } from './watched-crawl.ts';

const A = 'http://a.com';
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const watch = (state: TrapState = {}, known: (url: string) => boolean = () => true) =>
  createTrapWatch(state, { minNew: 0.05, isKnown: known });

/** Each set of two of 8 filters, each with 6 values, with a text of its own. */
const combinations = range(8).flatMap((a) =>
  range(8)
    .filter((b) => b !== a)
    .flatMap((b) =>
      range(36).map((v) => `?f${wordsOf(a)}=${wordsOf(v % 6)}&f${wordsOf(b)}=${wordsOf(Math.floor(v / 6))}`),
    ),
);
const text = (words: string) => hashOf(`${words}.`);

describe('combinations of filters', () => {
  test('close whatever their texts are, one filter at a time stays open, and so does another path', () => {
    const traps = watch();
    for (const query of combinations)
      traps.count(`${A}/shop${query}`, { newLinks: [`${A}/shop${query}&x=y`], textHash: text(query) });
    expect(closedGroups(traps.state())).toEqual([
      { kind: 'combinations', group: '/shop?*&*', pages: expect.any(Number) },
    ]);
    expect(closedGroups(traps.state())[0]?.pages).toBeLessThan(300);
    expect(traps.isClosed(`${A}/shop?a=b&c=d`)).toBe(true);
    expect(traps.isClosed(`${A}/shop?a=b`)).toBe(false);
    expect(traps.isClosed(`${A}/shop?a=b&page=2`)).toBe(false);
    expect(traps.isClosed(`${A}/forum?a=b&c=d`)).toBe(false);
  });

  test('of a path and of its folder that are both closed are named by the path', () => {
    const closed = (group: string) => ({ group, pages: 60, fresh: 0, isClosed: true as const });
    const traps = watch({ combinations: [closed('/shelf/*?*&*'), closed('/shelf/x?*&*')] });
    const groupOf = (path: string) => traps.closedBy(`${A}${path}?a=b&c=d`)?.group;
    expect([groupOf('/shelf/x'), groupOf('/shelf/y')]).toEqual(['/shelf/x?*&*', '/shelf/*?*&*']);
  });

  test('stay open while they lead to new pages', () => {
    const traps = watch();
    for (const [i, query] of combinations.entries())
      traps.count(`${A}/shop${query}`, {
        newLinks: i % 6 === 0 ? [`${A}/product/${wordsOf(i)}`] : [],
        textHash: 7,
      });
    expect(closedGroups(traps.state()).filter(({ kind }) => kind === 'combinations')).toEqual([]);
  });

  test('of a folder close when they are spread over its paths', () => {
    const traps = watch();
    for (const [i, query] of combinations.entries())
      traps.count(`${A}/shelf/${wordsOf(i % 60)}${query}`, {
        newLinks: [`${A}/shelf/x${query}&x=y`],
        textHash: text(query),
      });
    expect(closedGroups(traps.state()).map(({ group }) => group)).toEqual(['/shelf/*?*&*']);
    expect(traps.isClosed(`${A}/shelf/another?a=b&c=d`)).toBe(true);
    expect(traps.isClosed(`${A}/viewtopic?a=b&c=d`)).toBe(false);
  });

  test('are none where values are new all the time, or names always the same', () => {
    const traps = watch();
    for (const i of range(3000)) {
      traps.count(`${A}/topic?f=${i % 9}&t=${i}`, { newLinks: [], textHash: text(wordsOf(2 * i)) });
      traps.count(`${A}/page?id=${i % 300}&lang=${wordsOf(i % 10)}`, {
        newLinks: [],
        textHash: text(wordsOf(2 * i + 1)),
      });
    }
    expect(closedGroups(traps.state())).toEqual([]);
  });
});

describe('a folder', () => {
  const trap = (traps: ReturnType<typeof watch>, pages: number) => {
    let waiting = [`${A}/deep/a/`, `${A}/deep/b/`];
    for (let i = 0; i < pages; i++) {
      const [url, ...rest] = waiting as [string, ...string[]];
      const newLinks = [`${url}a/`, `${url}b/`];
      traps.count(url, { newLinks, textHash: 7 });
      waiting = [...rest, ...newLinks];
    }
  };

  test('that repeats a page under ever new paths closes, and what is around it does not', () => {
    const traps = watch({}, () => false);
    trap(traps, 150);
    expect(closedGroups(traps.state())).toEqual([
      { kind: 'folder', group: '/deep/**', pages: expect.any(Number) },
    ]);
    expect(traps.isClosed(`${A}/deep/a/c/`)).toBe(true);
    expect(traps.isClosed(`${A}/deep/a/`)).toBe(false);
    expect(traps.isClosed(`${A}/docs/a/b/`)).toBe(false);
  });

  test('closes as well if the state is kept after each page', () => {
    let traps = watch({}, () => false);
    let waiting = [`${A}/deep/a/`, `${A}/deep/b/`];
    for (let i = 0; i < 150; i++) {
      const [url, ...rest] = waiting as [string, ...string[]];
      waiting = [...rest, `${url}a/`, `${url}b/`];
      traps.count(url, { newLinks: waiting.slice(-2), textHash: 7 });
      if (i > 2) traps = watch(JSON.parse(JSON.stringify(traps.state())), () => false);
    }
    expect(closedGroups(traps.state()).map(({ group }) => group)).toEqual(['/deep/**']);
  });

  test('of which each page adds to its own path closes, also by encoded slashes', () => {
    const traps = watch({}, () => false);
    let waiting = [`${A}/in/`];
    for (let i = 0; i < 160 && waiting.length > 0; i++) {
      const [url, ...rest] = waiting as [string, ...string[]];
      const newLinks = [`${url}/`, `${url}%2f`, `${url}%2F/`];
      traps.count(url, { newLinks, textHash: 7 });
      waiting = [...rest, ...newLinks].filter((one) => !traps.isClosed(one));
    }
    expect(closedGroups(traps.state()).map(({ kind }) => kind)).toContain('folder');
    expect(traps.isClosed(`${A}/in/%2f%2f%2f%2f`)).toBe(true);
  });

  test('of equal pages that does not feed itself stays open', () => {
    const traps = watch({}, () => false);
    for (const i of range(2000))
      traps.count(`${A}/app/${wordsOf(i)}/${wordsOf(i + 7)}`, { newLinks: [], textHash: 7 });
    expect(closedGroups(traps.state())).toEqual([]);
  });

  test('whose equal pages each lead elsewhere stays open: scripts fill them', () => {
    const traps = watch({}, () => false);
    for (const i of range(2000))
      traps.count(`${A}/app/x/${wordsOf(i)}/`, { newLinks: [`${A}/app/x/${wordsOf(i + 1)}/`], textHash: 7 });
    expect(closedGroups(traps.state())).toEqual([]);
  });

  test('whose equal pages have new links out of it stays open, as long as these lead to pages worth fetching', () => {
    const closedWhile = (target: (i: number) => string) => {
      const traps = watch({}, () => false);
      for (const i of range(400)) {
        const url = `${A}/deep/${wordsOf(i)}/${wordsOf(i + 1)}`;
        traps.count(url, { newLinks: [`${url}/a`, `${url}/b`, target(i)], textHash: 7 });
        // Pages of one template, which all are alike.
        traps.count(`${A}/list?page=${i}`, { newLinks: [], textHash: 8 });
      }
      return closedGroups(traps.state()).filter(({ kind }) => kind === 'folder');
    };
    expect(closedWhile((i) => `${A}/${wordsOf(i)}`)).toEqual([]);
    expect(closedWhile((i) => `${A}/list?page=${i + 1000}`).map(({ group }) => group)).toEqual(['/deep/**']);
  });

  test('of pages with texts of their own stays open, and so does its mirror', () => {
    const traps = watch({}, () => false);
    for (const folder of ['docs', 'mirror'])
      for (const i of range(2000))
        traps.count(`${A}/${folder}/${wordsOf(i % 30)}/${wordsOf(i)}`, {
          newLinks: [`${A}/${folder}/${wordsOf((i + 1) % 30)}/${wordsOf(i + 1)}`],
          textHash: text(wordsOf(i)),
        });
    expect(closedGroups(traps.state())).toEqual([]);
  });
});

describe('the state', () => {
  test('takes 14 KB at most', () => {
    const traps = watch({}, (url) => url.length % 3 > 0);
    const long = 'long/'.repeat(17);
    for (const i of range(20_000)) {
      const url = `${A}/${wordsOf(i % 23)}${long}${wordsOf(i % 29)}`;
      const more =
        i % 3 === 0
          ? `?a${wordsOf(i % 17)}=${wordsOf(i % 31)}&b${wordsOf(i % 19)}=${i % 37}`
          : `/${wordsOf(i % 400)}/`;
      traps.count(url + more, {
        newLinks: [`${url}/new/${wordsOf(i)}`],
        textHash: i % 2 ? text(wordsOf(i)) : 7,
      });
    }
    const bytes = JSON.stringify(traps.state()).length;
    expect(bytes).toBeLessThan(14_000);
    expect(JSON.stringify(watch(traps.state()).state())).toBe(JSON.stringify(traps.state()));
  });

  test('is nothing for a host without pages', () => {
    expect(watch().state()).toEqual({});
  });
});
