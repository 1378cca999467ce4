/** Folders that bring no new pages: what counts for and against a folder, and when it closes. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import {
  createFolderWatch,
  type FolderWatch,
  type WatchedFolder,
} from '../../../shared/core/frontier/folder-watch.ts';

const A = 'http://a.com';
const SIZES_OF = { ...SIZES, minTextPages: 10, minTrapPages: 20, minTrapWindow: 10, maxTrapWindow: 40 };
const watch = (state: readonly WatchedFolder[] = []) =>
  createFolderWatch(state, { minNew: 0.1, sizes: SIZES_OF });
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const letters = (n: number): string =>
  n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string);
/** The nth page of a folder: two words below it. */
const pageOf = (n: number, folder = '/deep') => `${A}${folder}/${letters(n)}/${letters(n * 7)}`;

interface Brought {
  readonly links?: readonly string[];
  readonly text?: number | undefined;
  readonly worth?: (url: string) => number;
}
const count = (
  traps: FolderWatch,
  url: string,
  { links = [`${url}/a`, `${url}/b`], text = 7, worth = () => 0 }: Brought = {},
) => traps.count(url, { newLinks: links, textHash: text, worthOfLink: worth });

/** Counts that number of pages of a folder. Returns after how many it was closed; undefined: it is open. */
function closedAfter(
  pages: number,
  brings: (n: number, url: string) => Brought = () => ({}),
  traps = watch(),
): number | undefined {
  for (const n of range(pages)) {
    const url = pageOf(n);
    const brought = brings(n, url);
    traps.count(url, {
      newLinks: brought.links ?? [`${url}/a`, `${url}/b`],
      textHash: 'text' in brought ? brought.text : 7,
      worthOfLink: brought.worth ?? (() => 0),
    });
    if (traps.closedBy(pageOf(9999)) === '/deep/**') return n + 1;
  }
  return undefined;
}
const groupsOf = (traps: FolderWatch) => traps.state().map(({ group }) => group);

describe('the folders of a page', () => {
  test.each([
    ['/a/b/c/d', ['/a/b/**', '/a/**', '/**']],
    ['/a/b/c/d/e/f', ['/a/b/**', '/a/**', '/**']],
    ['/a/b/c', ['/a/**', '/**']],
    ['/a/b/c/', ['/a/**', '/**']],
    ['/a/b', ['/**']],
    ['/a/b/', ['/**']],
    ['/a+b', ['/**']],
    ['/a,b', ['/**']],
    ['/a%2Fb', ['/**']],
    ['/a%2fb', ['/**']],
    ['/x/a+b', ['/x/**', '/**']],
    ['/a', []],
    ['/a/', []],
    ['/', []],
    ['/a/b?c=d', []],
    ['/?a/b', []],
  ])('%s are %j', (path, groups) => {
    const traps = watch();
    count(traps, A + path);
    expect(groupsOf(traps)).toEqual(groups);
    expect(traps.state().every(({ pages }) => pages === 1)).toBe(true);
  });

  test('are closed together with it, but a page that is in the folder directly stays open', () => {
    const traps = watch([{ group: '/deep/**', pages: 60, fresh: 0, isClosed: true }]);
    const closed = ['/deep/a/b', '/deep/a/b/c', '/deep/a+b', '/deep/a%2fb/'];
    for (const path of closed) expect([path, traps.closedBy(A + path)]).toEqual([path, '/deep/**']);
    for (const path of ['/deep', '/deep/', '/deep/a', '/deep/a/', '/other/a/b', '/deep/a/b?c', '/deeper/a/b'])
      expect([path, traps.closedBy(A + path)]).toEqual([path, undefined]);
  });

  test('are named by the smallest one that is closed', () => {
    const closed = (group: string): WatchedFolder => ({ group, pages: 60, fresh: 0, isClosed: true });
    const traps = watch([closed('/**'), closed('/a/**'), closed('/a/b/**')]);
    expect([
      traps.closedBy(`${A}/a/b/c/d`),
      traps.closedBy(`${A}/a/b/c`),
      traps.closedBy(`${A}/a/b`),
    ]).toEqual(['/a/b/**', '/a/**', '/**']);
  });
});

describe('a folder closes', () => {
  test('when its pages have one text and lead deeper into it; the folders around it stay open', () => {
    const traps = watch();
    const after = closedAfter(100, undefined, traps);
    // Its first pages are not judged, and the next one has a new text. Then its mean falls by a tenth with each page.
    expect(after).toBe(10 + 1 + Math.ceil(Math.log(0.1) / Math.log(0.9)));
    expect(traps.closedBy(pageOf(1))).toBe('/deep/**');
    expect(traps.closedBy(`${A}/other/a/b`)).toBeUndefined();
    const root = traps.state().find(({ group }) => group === '/**');
    expect(root).toMatchObject({ fresh: 1 });
  });

  test('not before it has had enough pages', () => {
    // Its mean is low already.
    const state = [{ group: '/deep/**', pages: 10, fresh: 0.01, growth: 2, seen: [], novel: 0 }];
    expect(closedAfter(30, undefined, watch(state))).toBe(10);
    expect(closedAfter(30, undefined, watch([{ ...state[0]!, pages: 18 }]))).toBe(2);
  });

  test.each([
    ['one for every two pages', 2, true],
    ['one for every three', 3, false],
    ['none', Number.POSITIVE_INFINITY, false],
  ])('if its pages bring new links into it, %s: %s', (_rate, every, closes) => {
    const after = closedAfter(300, (n, url) => ({ links: n % every === 0 ? [`${url}/a`] : [] }));
    expect(after !== undefined).toBe(closes);
  });

  test('by many links of few pages not: a page counts for two links at most', () => {
    const many = (url: string) => range(40).map((n) => `${url}/x${n}`);
    expect(closedAfter(300, (n, url) => ({ links: n % 10 === 0 ? many(url) : [] }))).toBeUndefined();
  });

  test.each([
    ['a new text each time', (n: number) => n, false],
    ['a new text for one page in five', (n: number) => (n % 5 === 0 ? n : 7), false],
    ['a few texts in turn', (n: number) => n % 4, true],
    ['one text', () => 7, true],
    ['texts that are not known', () => undefined, false],
  ])('with %s', (_what, textOf, closes) => {
    const after = closedAfter(400, (n, url) => ({ text: textOf(n), links: [`${url}/a`, `${url}/b`] }));
    expect(after !== undefined).toBe(closes);
  });

  test.each([
    ['each page leads to', 1, 1, false],
    ['one page in five leads to', 5, 1, false],
    ['one page in forty leads to', 40, 1, true],
    ['each page leads to, and is worth nothing', 1, 0, true],
    ['each page leads to, and is worth a little', 1, 0.2, false],
    ['each page leads to, and is worth too little', 1, 0.05, true],
  ])('unless a link out of it is worth something, which %s', (_rate, every, worth, closes) => {
    const after = closedAfter(400, (n, url) => ({
      links: [`${url}/a`, `${url}/b`, ...(n % every === 0 ? [`${A}/out/${n}`] : [])],
      worth: (link) => (link.includes('/out/') ? worth : 0),
    }));
    expect(after !== undefined).toBe(closes);
  });

  test('though its links into itself would be worth something: those are not asked for', () => {
    const asked: string[] = [];
    const after = closedAfter(200, (_n, url) => ({
      links: [`${url}/a`, `${url}/b`],
      worth: (link) => {
        asked.push(link);
        return link.startsWith(`${A}/deep`) ? 1 : 0;
      },
    }));
    // The folders below it ask for them, and are other groups.
    expect(after).toBeDefined();
    expect(asked.every((link) => link.startsWith(A))).toBe(true);
  });

  test('by the first fifty links of a page', () => {
    const inner = (url: string, n: number) => range(n).map((i) => `${url}/${letters(i)}`);
    const out = `${A}/out/x`;
    const worth = (link: string) => (link === out ? 1 : 0);
    expect(closedAfter(200, (_n, url) => ({ links: [...inner(url, 49), out], worth }))).toBeUndefined();
    expect(closedAfter(200, (_n, url) => ({ links: [...inner(url, 50), out], worth }))).toBeDefined();
  });

  test.each([
    ['/deep/x/y', true],
    ['/deep/x+y', true],
    ['/deep/x%2Fy', true],
    ['/deep/x/y/', true],
    ['/deep/x', false],
    ['/deep/x/', false],
    ['/deep/x/y?z=1', false],
    ['/deep', false],
    ['/other/x/y', false],
    ['/deeper/x/y', false],
  ])('by links to %s: %s', (path, closes) => {
    const after = closedAfter(300, () => ({ links: [A + path, A + path] }));
    expect(after !== undefined).toBe(closes);
  });

  test('and counts no page any more', () => {
    const traps = watch();
    closedAfter(200, undefined, traps);
    const before = traps.state();
    for (const n of range(20)) count(traps, pageOf(500 + n));
    expect(traps.state()).toEqual(before);
    expect(before[0]).toEqual({
      group: '/deep/**',
      pages: expect.any(Number),
      fresh: expect.any(Number),
      isClosed: true,
    });
  });
});

describe('pages with one text', () => {
  const after = (linksOf: (n: number, url: string) => readonly string[]) =>
    closedAfter(300, (n, url) => ({ links: linksOf(n, url) }));

  test.each<[string, (n: number, url: string) => readonly string[], boolean]>([
    ['whose links lead deeper by the same words', (_n, url) => [`${url}/a/b`, `${url}/c/d`], true],
    ['by numbers', (n, url) => [`${url}/${n}/x`, `${url}/${n + 1}/x`], true],
    [
      'by other words each time',
      (n, url) => [`${url}/${letters(n)}/x`, `${url}/${letters(n + 50)}/y`],
      false,
    ],
    ['back by the same words', (_n, url) => [`${url.slice(0, url.lastIndexOf('/'))}/a/b`, `${url}/c`], true],
    [
      'back by other words each time',
      (n, url) => [`${url.slice(0, url.lastIndexOf('/'))}/${letters(n + 90)}/b`, `${url}/c`],
      false,
    ],
  ])('%s are the same page again: %s', (_what, linksOf, closes) => {
    expect(after(linksOf) !== undefined).toBe(closes);
  });
});

describe('the text of a page is wanted', () => {
  const wants = (state: readonly WatchedFolder[], url = pageOf(3)) => watch(state).wantsText(url);
  const folder = (fields: Partial<WatchedFolder>): WatchedFolder => ({
    group: '/deep/**',
    pages: 30,
    fresh: 0.5,
    growth: 1,
    seen: [1],
    ...fields,
  });
  test.each<[string, readonly WatchedFolder[], boolean]>([
    ['while nothing is watched', [], false],
    ['of a folder that has had a worthless page', [folder({})], true],
    ['of a folder that is young', [folder({ pages: 9 })], false],
    ['from the tenth page on', [folder({ pages: 10 })], true],
    ['of a folder whose pages bring few links into it', [folder({ growth: 0.2 })], false],
    ['of one whose pages bring just enough', [folder({ growth: 0.25 })], true],
    ['of another folder', [folder({ group: '/other/**' })], false],
    ['of the folder around it', [folder({ group: '/**' })], true],
    ['of a closed folder', [folder({ isClosed: true })], false],
  ])('%s: %s of them', (_which, state, wanted) => {
    expect(wants(state)).toBe(wanted);
  });

  test('for one page in four while all are worth something', () => {
    const traps = watch([folder({ fresh: 1 })]);
    const wanted = range(400).filter((n) => traps.wantsText(pageOf(n))).length;
    expect(wanted).toBeGreaterThan(60);
    expect(wanted).toBeLessThan(140);
  });
});

describe('from turn to turn', () => {
  test('folders are judged as if there had been one turn, but for what rounding does', () => {
    const brings = (n: number, url: string): Brought => ({
      text: n % 6 === 0 ? n : 7,
      links: n % 3 === 0 ? [`${url}/a`, `${url}/b`, `${A}/out/${n}`] : [`${url}/a`],
      worth: (link) => (link.includes('/out/') ? 0.3 : 0),
    });
    const whole = watch();
    let cut = watch();
    for (const n of range(300)) {
      const url = pageOf(n, n % 2 === 0 ? '/deep' : `/d${n % 5}`);
      for (const traps of [whole, cut]) {
        const { links = [], text, worth = () => 0 } = brings(n, url);
        traps.count(url, { newLinks: links, textHash: text, worthOfLink: worth });
      }
      if (n % 7 === 0) cut = watch(JSON.parse(JSON.stringify(cut.state())));
    }
    const seen = (traps: FolderWatch) =>
      traps
        .state()
        .map(({ group, pages, isClosed, fresh, growth = 0 }) => [
          group,
          pages,
          isClosed,
          fresh.toFixed(1),
          growth.toFixed(1),
        ]);
    const kept = new Map(seen(cut).map((one) => [one[0], one]));
    for (const one of seen(whole).filter(([, pages]) => (pages as number) > 20))
      expect(kept.get(one[0])).toEqual(one);
  });

  test('eight folders are watched: the ones with the most pages', () => {
    const traps = watch();
    for (const n of range(60)) count(traps, `${A}/big/${letters(n)}/x`, { text: n });
    for (const n of range(40))
      for (const x of [1, 2]) count(traps, `${A}/f${letters(n)}/${letters(x)}/x`, { text: n + x });
    const groups = groupsOf(traps);
    expect(groups.length).toBeLessThanOrEqual(8);
    expect(groups).toContain('/big/**');
    expect(groups).toContain('/**');
  });

  test('a new folder takes the place of the one with the fewest pages, and its weight', () => {
    const traps = watch();
    const pagesOf = (folder: string, pages: number) => {
      for (const n of range(pages)) count(traps, `${A}/${folder}/${letters(n)}/x`, { text: n });
    };
    for (const n of range(7)) pagesOf(`f${letters(n)}`, n === 3 ? 2 : 5 + n);
    pagesOf('new', 2);
    expect(groupsOf(traps).sort()).toEqual(
      [
        '/**',
        '/new/**',
        ...range(7)
          .filter((n) => n !== 3)
          .map((n) => `/f${letters(n)}/**`),
      ].sort(),
    );
    pagesOf('newer', 2);
    expect(groupsOf(traps)).not.toContain('/new/**');
  });

  test('sixteen closed ones are remembered: the last ones', () => {
    const closed = range(16).map(
      (n): WatchedFolder => ({ group: `/c${n}/**`, pages: 60, fresh: 0, isClosed: true }),
    );
    const traps = watch(closed);
    expect(closedAfter(200, undefined, traps)).toBeDefined();
    const groups = traps
      .state()
      .filter(({ isClosed }) => isClosed)
      .map(({ group }) => group);
    expect(groups).toEqual([...closed.slice(1).map(({ group }) => group), '/deep/**']);
  });
});
