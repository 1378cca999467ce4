/** Combinations of filters: what is counted as one, what counts against them, and when they close. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import {
  createCombinationWatch,
  type WatchedCombinations,
} from '../../../shared/core/frontier/combination-watch.ts';

const A = 'http://a.com';
const SIZES_OF = { ...SIZES, minTrapPages: 40, minTrapWindow: 10, maxTrapWindow: 40 };
const MIN_NEW = 0.1;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
/** Watches pages each of which has a new URL of its own group, unless its new links are given. */
function watch(state: readonly WatchedCombinations[] = [], isKnown: (url: string) => boolean = () => false) {
  const traps = createCombinationWatch(state, { minNew: MIN_NEW, isKnown, sizes: SIZES_OF });
  const further = (url: string) => url + (url.includes('?') ? '&z=1' : 'z/');
  return {
    ...traps,
    count: (url: string, worth: (prefix: string | undefined) => number, newLinks = [further(url)]) =>
      traps.count(url, newLinks, worth),
  };
}

/** All orders of two of some filters, with few values each: more sequences than names, few values. */
const NAMES = ['color', 'size', 'brand', 'price'];
const QUERIES = range(3).flatMap((v) =>
  NAMES.flatMap((a) =>
    NAMES.filter((b) => b !== a).flatMap((b) => range(3).map((w) => `?${a}=${v}&${b}=${w}`)),
  ),
);
const shop = (n: number, path = '/shop') => `${A}${path}${QUERIES[n % QUERIES.length]}`;
const ANOTHER = '?color=1&size=1';
const worthless = () => 0;

/** Counts that number of pages. Returns after how many the group of the URL was closed; undefined: it is open. */
function closedAfter(
  pages: number,
  urlOf: (n: number) => string,
  {
    traps = watch(),
    url = `${A}/shop${ANOTHER}`,
    worth = worthless as (n: number) => number,
    linksOf,
  }: {
    traps?: ReturnType<typeof watch>;
    url?: string;
    worth?: (n: number) => number;
    linksOf?: (n: number) => string[];
  } = {},
): number | undefined {
  for (const n of range(pages)) {
    traps.count(urlOf(n), () => worth(n), linksOf?.(n));
    if (traps.closedBy(url) !== undefined) return n + 1;
  }
  return undefined;
}
const stateOf = (traps: ReturnType<typeof watch>, group: string) =>
  traps.state().find((one) => one.group === group);

describe('combinations of filters close', () => {
  test('when they bring no links any more, and there were enough of them', () => {
    const traps = watch();
    const after = closedAfter(200, (n) => shop(n), { traps });
    expect(after).toBe(SIZES_OF.minTrapPages);
    expect(stateOf(traps, '/shop?*&*')).toEqual({
      group: '/shop?*&*',
      pages: after,
      fresh: expect.any(Number),
      isClosed: true,
    });
    expect(stateOf(traps, '/shop?*&*')?.fresh).toBeLessThan(MIN_NEW);
  });

  test('only while they grow: a list of them on other pages is finite', () => {
    const few = (n: number) => (n % 3 === 0 ? [shop(n + 1)] : []);
    const elsewhere = (n: number) => [`${A}/shop/${n}`];
    for (const linksOf of [() => [], few, elsewhere])
      expect(closedAfter(500, (n) => shop(n), { linksOf })).toBeUndefined();
    const many = (n: number) => (n % 3 === 0 ? [] : [shop(n + 1)]);
    expect(closedAfter(500, (n) => shop(n), { linksOf: many })).toBeLessThan(60);
  });

  test('as late as their mean says, if they have brought links for long', () => {
    const after = closedAfter(400, (n) => shop(n), { worth: (n) => (n < 60 ? 1 : 0) });
    // 1 falls to a tenth within 2.3 windows of 15 pages and more.
    expect(after).toBeGreaterThan(60 + 30);
    expect(after).toBeLessThan(60 + 60);
  });

  test.each([
    ['one page in five brings a link', 5, 1, false],
    ['one in fifty does', 50, 1, true],
    ['all do that are worth little', 1, 0.2, false],
    ['all do that are worth too little', 1, 0.05, true],
  ])('though %s: %s', (_what, every, worth, closes) => {
    expect(
      closedAfter(800, (n) => shop(n), { worth: (n) => (n % every === 0 ? worth : 0) }) !== undefined,
    ).toBe(closes);
  });

  test('and one value at a time, and numbers of pages, stay open, as do other paths', () => {
    const traps = watch();
    closedAfter(200, (n) => shop(n), { traps });
    expect(traps.closedBy(`${A}/shop?color=1&size=2`)).toBe('/shop?*&*');
    expect(traps.closedBy(`${A}/shop?new=1&other=2`)).toBe('/shop?*&*');
    expect(traps.closedBy(`${A}/shop?color=1,2`)).toBe('/shop?*&*');
    for (const path of [
      '/shop',
      '/shop?color=1',
      '/shop?color=1&page=2',
      '/shop/x?color=1&size=2',
      '/else?color=1&size=2',
    ])
      expect([path, traps.closedBy(A + path)]).toEqual([path, undefined]);
  });

  test('and are not counted any more, nor asked what they bring', () => {
    const traps = watch();
    closedAfter(200, (n) => shop(n), { traps });
    const before = traps.state();
    for (const n of range(20))
      traps.count(shop(n), () => {
        throw new Error('nobody needs it');
      });
    expect(traps.state()).toEqual(before);
  });
});

describe('a path has filters', () => {
  const of = (urlOf: (n: number) => string) =>
    closedAfter(600, urlOf, { url: `${A}/list?x=1&y=2` }) !== undefined;

  test.each<[string, (n: number) => string, boolean]>([
    ['if few values are combined in many ways', (n) => `${A}/list${QUERIES[n % QUERIES.length]}`, true],
    [
      'not if values are new all the time',
      (n) => `${A}/list?${NAMES[n % 4]}=${n}&${NAMES[(n + 1 + (n % 3)) % 4]}=${n}`,
      false,
    ],
    [
      'not if one of its values is new all the time',
      (n) => `${A}/list?${NAMES[n % 4]}=1&${NAMES[(n + 1 + (n % 3)) % 4]}=${n}`,
      false,
    ],
    ['not if its names come in few sequences', (n) => `${A}/list?a=${n % 3}&b=${n % 5}`, false],
    [
      'not if it has as many sequences as names',
      (n) => (n % 2 ? `${A}/list?a=${n % 3}&b=1` : `${A}/list?b=1&a=${n % 3}`),
      false,
    ],
    [
      'if it has one sequence more',
      (n) =>
        [`${A}/list?a=1&b=${n % 3}`, `${A}/list?b=1&a=${n % 3}`, `${A}/list?a=1&b=1&a=2`][n % 3] as string,
      true,
    ],
  ])('%s', (_what, urlOf, closes) => {
    expect(of(urlOf)).toBe(closes);
  });

  test.each([
    ['a third of its pages, it has', 45, true],
    ['more than that, it has none', 44, false],
  ])('if its distinct values are %s filters', (_what, pages, closes) => {
    // 15 of them, and three names in more sequences.
    const state: WatchedCombinations = {
      group: '/list?*&*',
      pages: pages - 1,
      fresh: 0,
      values: range(14),
      names: [1, 2, 3],
      sequences: [1, 2, 3, 4, 5],
    };
    const traps = watch([state]);
    traps.count(`${A}/list?a=1&a=1`, worthless);
    expect(traps.closedBy(`${A}/list?x=1&y=2`) !== undefined).toBe(closes);
  });
});

describe('a page that combines nothing', () => {
  test.each(['/shop', '/shop?color=1', '/shop?color=1&page=2', '/shop/x/y', '/'])(
    '%s is not counted',
    (path) => {
      const traps = watch();
      traps.count(A + path, () => {
        throw new Error('nobody needs it');
      });
      expect(traps.state()).toEqual([]);
      expect(traps.closedBy(A + path)).toBeUndefined();
    },
  );
});

describe('paths of a folder', () => {
  const spread = (n: number) =>
    shop(n, `/shelf/x${'abcdefghijklmnopqrstuvwxyz'[n % 26]}${'abcdefghijklmnopqrstuvwxyz'[(n * 7) % 26]}`);

  test('are judged together where each has few pages', () => {
    const traps = watch();
    expect(closedAfter(300, spread, { traps, url: `${A}/shelf/new${ANOTHER}` })).toBe(SIZES_OF.minTrapPages);
    expect(traps.closedBy(`${A}/shelf/other${ANOTHER}`)).toBe('/shelf/*?*&*');
    expect(traps.closedBy(`${A}/else/other${ANOTHER}`)).toBeUndefined();
  });

  test('are not judged by a path that is closed by itself: the folder begins again', () => {
    const traps = watch();
    expect(closedAfter(300, (n) => shop(n, '/shelf/big'), { traps, url: `${A}/shelf/big${ANOTHER}` })).toBe(
      40,
    );
    expect(traps.closedBy(`${A}/shelf/big${ANOTHER}`)).toBe('/shelf/big?*&*');
    expect(traps.closedBy(`${A}/shelf/other${ANOTHER}`)).toBeUndefined();
    expect(stateOf(traps, '/shelf/*?*&*')).toBeUndefined();
  });

  test('bring what their pages bring', () => {
    const traps = watch();
    const after = closedAfter(400, spread, {
      traps,
      url: `${A}/shelf/new${ANOTHER}`,
      worth: (n) => (n % 4 === 0 ? 1 : 0),
    });
    expect(after).toBeUndefined();
  });
});

describe('words of a path', () => {
  const words = ['red', 'blue', 'large', 'small', 'new', 'old', 'wide', 'thin'];
  const pairs = words.flatMap((a) => words.filter((b) => b !== a).map((b) => `/tag/${a}/${b}/`));
  const knownPaths = new Set([...pairs, ...words.map((word) => `/tag/${word}/`)].map((path) => A + path));
  const isKnown = (url: string) => knownPaths.has(url);

  test('close where the host has both orders, whatever number of values there are', () => {
    const traps = watch([], isKnown);
    const after = closedAfter(56, (n) => A + (pairs[n] as string), { traps, url: `${A}/tag/red/thin/` });
    expect(after).toBe(SIZES_OF.minTrapPages);
    expect(traps.closedBy(`${A}/tag/red/thin/`)).toBe('/tag/*+*');
    // The host has the last word of it alone, if not the other order.
    expect(traps.closedBy(`${A}/tag/strange/thin/`)).toBe('/tag/*+*');
    expect(traps.closedBy(`${A}/tag/thin/strange/`)).toBeUndefined();
    expect(traps.closedBy(`${A}/tag/red/`)).toBeUndefined();
  });

  test('are none where the host has one order', () => {
    const traps = watch([], (url) => isKnown(url) && !/red\/|thin\//.test(url));
    traps.count(`${A}/tag/red/thin/`, worthless);
    expect(traps.state()).toEqual([]);
  });

  test('are judged by links that do not lead below their path', () => {
    const prefixes: (string | undefined)[] = [];
    const traps = watch([], isKnown);
    traps.count(`${A}/tag/red/blue/`, (prefix) => {
      prefixes.push(prefix);
      return 1;
    });
    traps.count(`${A}/shop${ANOTHER}`, (prefix) => {
      prefixes.push(prefix);
      return 1;
    });
    expect(prefixes).toEqual(['/tag/', undefined]);
  });
});

describe('from turn to turn', () => {
  test('combinations are judged as if there had been one turn', () => {
    const whole = watch();
    let cut = watch();
    for (const n of range(38)) {
      for (const traps of [whole, cut]) traps.count(shop(n), () => (n % 3 === 0 ? 0.1 : 0));
      cut = watch(JSON.parse(JSON.stringify(cut.state())));
    }
    const rough = (traps: ReturnType<typeof watch>) =>
      traps.state().map((one) => ({ ...one, fresh: one.fresh.toFixed(2) }));
    expect(rough(cut)).toEqual(rough(whole));
    expect(closedAfter(10, (n) => shop(38 + n), { traps: cut })).toBe(2);
  });

  test('what is kept of them is what they have had', () => {
    const traps = watch();
    traps.count(`${A}/list?a=1&b=2`, () => 0.5);
    expect(traps.state()).toEqual([
      {
        group: '/list?*&*',
        pages: 1,
        fresh: 0.95,
        values: [expect.any(Number), expect.any(Number)],
        names: [expect.any(Number), expect.any(Number)],
        sequences: [expect.any(Number)],
      },
      expect.objectContaining({ group: '/*?*&*', pages: 1 }),
    ]);
    const words = watch([], () => true);
    words.count(`${A}/tag/red/blue/`, () => 1);
    expect(words.state()[0]).toEqual({ group: '/tag/*+*', pages: 1, fresh: 1 });
  });

  test('what is kept of them is bounded', () => {
    const traps = watch();
    const letters = (n: number) =>
      n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string);
    for (const n of range(3000))
      traps.count(`${A}/list?n${letters(n)}=${n}&m${letters(n % 90)}=${n}&k=${n}`, () => 1);
    const [state] = traps.state();
    expect(state?.values?.length).toBeLessThanOrEqual(16);
    expect(state?.level).toBeGreaterThan(0);
    expect([state?.names?.length, state?.sequences?.length]).toEqual([16, 24]);
    expect(new Set(state?.names).size).toBe(16);
    expect(state?.names?.every((name) => name >= 0 && name <= 0xffff)).toBe(true);
  });

  test('eight groups are watched, and sixteen closed ones remembered', () => {
    const closed = range(16).map(
      (n): WatchedCombinations => ({ group: `/c${n}?*&*`, pages: 60, fresh: 0, isClosed: true }),
    );
    const traps = watch(closed);
    for (const n of range(30))
      for (const _ of range(2))
        traps.count(`${A}/p${'abcdefghij'[n % 10]}${'abcdefghij'[Math.floor(n / 10)]}${ANOTHER}`, worthless);
    expect(traps.state().filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(8);
    expect(
      closedAfter(200, (n) => shop(n, '/zz/shop'), { traps, url: `${A}/zz/shop${ANOTHER}` }),
    ).toBeDefined();
    const groups = traps
      .state()
      .filter(({ isClosed }) => isClosed)
      .map(({ group }) => group);
    expect(groups).toEqual([...closed.slice(1).map(({ group }) => group), '/zz/shop?*&*']);
  });

  test('a group that has had nothing but its name begins with what is worth most', () => {
    const traps = watch([{ group: '/shop?*&*', pages: 39, fresh: 0 } as WatchedCombinations]);
    traps.count(shop(0), worthless);
    expect(stateOf(traps, '/shop?*&*')).toMatchObject({ pages: 40, fresh: 0 });
  });
});
