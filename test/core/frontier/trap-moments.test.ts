/**
 * When traps close, to the page, over made-up hosts of every kind of page; and what heads keep of them, which
 * other versions of the program read. A change of these numbers is a change of what is crawled: say so in the
 * CHANGELOG.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import { closedGroups, createTrapWatch, type TrapState } from '../../../shared/core/frontier/trap-watch.ts';
import { seededRandom } from '../../crawler/worker/fake-clock.ts';
import { wordsOf } from './watched-crawl.ts';

const HOST = 'http://a.com';
const PAGES = 6000;

interface Page {
  readonly path: string;
  readonly links: readonly string[];
  /** None: the page has no text that could be compared. */
  readonly text?: number;
  readonly isCopy?: boolean;
}
type Kind = (upTo: (n: number) => number, i: number) => Page;

/** The kinds of pages that hosts are made of. `upTo(n)`: a number below `n`, by chance. */
const KINDS: Readonly<Record<string, Kind>> = {
  article: (_, i) => ({ path: `/news/${wordsOf(i)}`, links: [`/news/${wordsOf(i + 1)}`], text: i * 7919 }),
  calendar: (upTo, i) => ({ path: `/calendar/${i}/${upTo(12)}`, links: [`/calendar/${i + 1}/1`], text: 5 }),
  session: (upTo, i) => ({ path: `/view/${i * 31}`, links: [`/view/${i * 31 + 1}`], text: upTo(40) }),
  list: (upTo, i) => ({ path: `/list/${i}`, links: [`/item/${i}`, `/list/${i + 1}`], text: upTo(3) }),
  item: (upTo, i) => ({ path: `/item/${i}`, links: [], ...(upTo(5) > 0 && { text: i * 104_729 }) }),
  copy: (upTo, i) => ({ path: `/copy/${i}`, links: [`/copy/${i + 1}`], text: i, isCopy: upTo(20) > 0 }),
  rare: (upTo) => {
    const path = `/${wordsOf(upTo(60))}?x=${upTo(1000)}`;
    return { path, links: [`${path}0`], text: upTo(2) };
  },
  constant: (_, i) => ({ path: `/constants/${i}`, links: [], text: 7 }),
  filter: (upTo) => {
    const [a, b] = [upTo(8), upTo(8)];
    const path = `/shop?f${wordsOf(a)}=${wordsOf(upTo(6))}&f${wordsOf(b)}=${wordsOf(upTo(6))}`;
    return {
      path,
      links: upTo(60) === 0 ? [`/product/${wordsOf(upTo(1e6))}`] : [`${path}&fz=q`],
      text: upTo(1e9),
    };
  },
  shelf: (upTo) => ({
    path: `/shelf/${wordsOf(upTo(50))}?x=${wordsOf(upTo(5))}&${wordsOf(upTo(4))}=y&page=${upTo(3)}`,
    links: ['/shelf/a?x=a&a=y'],
    text: upTo(1e9),
  }),
  words: (upTo) => ({
    path: `/tag/${wordsOf(upTo(5))}+${wordsOf(upTo(5))}`,
    links: ['/tag/a+b'],
    text: upTo(1e9),
  }),
  deep: (upTo, i) => {
    const path = `/deep/${'a/'.repeat(1 + upTo(5))}${wordsOf(i)}/`;
    return { path, links: [`${path}a/`, `${path}b/`], text: upTo(3) };
  },
  mirror: (upTo, i) => ({
    path: `/mirror/b/c/${wordsOf(i)}`,
    links: upTo(3) > 0 ? [`/mirror/b/c/${wordsOf(i)}/x`] : [],
    text: upTo(900),
  }),
};

/** Crawls a host with pages of these kinds, in turn by chance. */
function crawl(seed: number, kinds: readonly string[], sizes: Sizes = SIZES, minNew = 0.05) {
  const random = seededRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  const options = { minNew, sizes, isKnown: (url: string) => url.includes('/tag/') };
  let watch = createTrapWatch({}, options);
  const closed: string[] = [];
  const known = new Set<string>();
  const kept = createHash('sha256');
  let wanted = 0;
  for (let i = 1; i <= PAGES; i++) {
    const { path, links, text, isCopy } = (KINDS[kinds[upTo(kinds.length)] as string] as Kind)(upTo, i);
    const url = HOST + path;
    if (watch.isClosed(url)) continue;
    if (watch.wantsText(url)) wanted++;
    const newLinks = links.map((link) => HOST + link).filter((link) => !watch.isClosed(link));
    watch.count(url, { newLinks, ...(text !== undefined && { textHash: text }), ...(isCopy && { isCopy }) });
    const state = watch.state();
    for (const { kind, group } of closedGroups(state)) {
      if (known.has(`${kind} ${group}`)) continue;
      known.add(`${kind} ${group}`);
      closed.push(`${i}: ${kind} ${group}`);
    }
    if (i % 250 > 0) continue;
    // As a head keeps it from turn to turn.
    const json = JSON.stringify(state);
    kept.update(json);
    watch = createTrapWatch(JSON.parse(json) as TrapState, options);
  }
  return { closed, wanted, kept: kept.digest('hex').slice(0, 12) };
}

const EVERYTHING = Object.keys(KINDS).filter((kind) => kind !== 'constant');
const SMALL: Sizes = { ...SIZES, minTrapPages: 12, minTextPages: 2, minTrapWindow: 5, maxTrapWindow: 20 };

test.each<
  [
    what: string,
    crawled: () => ReturnType<typeof crawl>,
    closed: readonly string[],
    wanted: number,
    kept: string,
  ]
>([
  ['constants that other pages list', () => crawl(11, ['constant', 'article']), [], 5986, '47f5c4da2186'],
  ['articles, items and lists', () => crawl(1, ['article', 'item', 'list']), [], 5977, 'ca156fe1dc3a'],
  [
    'traps of templates',
    () => crawl(2, ['calendar', 'session', 'list', 'copy', 'article']),
    [
      '387: template /calendar/0/0',
      '387: folder /calendar/**',
      '476: template /copy/0',
      '3328: template /view/0',
    ],
    3199,
    '90b833c1ee03',
  ],
  [
    'filters',
    () => crawl(3, ['filter', 'shelf', 'words', 'item']),
    ['417: combinations /tag/*+*', '677: combinations /shop?*&*'],
    388,
    'd68e6d496a5e',
  ],
  ['combinations in folders', () => crawl(4, ['shelf']), [], 9, '9022a3a13168'],
  [
    'words of a path',
    () => crawl(5, ['words', 'article']),
    ['171: combinations /tag/*+*'],
    757,
    'f7bd985f2807',
  ],
  [
    'folders',
    () => crawl(6, ['deep', 'mirror', 'article', 'rare']),
    ['330: folder /deep/**'],
    2386,
    'fea76928efc4',
  ],
  [
    'everything',
    () => crawl(7, EVERYTHING),
    [
      '1039: template /calendar/0/0',
      '1039: folder /calendar/**',
      '1086: folder /deep/**',
      '1173: template /copy/0',
      '1364: combinations /tag/*+*',
      '2141: combinations /shop?*&*',
    ],
    2841,
    'da1034343f16',
  ],
  [
    'everything, by small numbers',
    () => crawl(8, EVERYTHING, SMALL),
    [
      '181: template /calendar/0/0',
      '181: folder /calendar/**',
      '225: folder /deep/**',
      '239: template /copy/0',
      '325: combinations /tag/*+*',
      '2158: combinations /shop?*&*',
      '2255: template /view/0',
    ],
    2302,
    'd329ee4e8f78',
  ],
  [
    'very many templates',
    () => crawl(9, ['rare', 'rare', 'rare', 'calendar', 'words'], SMALL, 0.25),
    [
      '42: template /calendar/0/0',
      '42: folder /calendar/**',
      '94: combinations /tag/*+*',
      '1193: template /lp?x',
      '2054: template /ld?x',
      '2089: template /mg?x',
      '2299: template /d?x',
      '2340: template /ma?x',
      '2383: template /mh?x',
      '2411: template /lr?x',
      '2772: template /t?x',
      '2815: template /ls?x',
      '2838: template /l?x',
      '2887: template /n?x',
      '2951: template /me?x',
      '3011: template /mp?x',
      '3223: template /r?x',
      '3337: template /lk?x',
      '3342: template /mj?x',
      '3542: template /p?x',
      '3561: template /h?x',
      '3667: template /o?x',
      '3730: template /e?x',
      '3746: template /lf?x',
      '3794: template /lb?x',
      '3949: template /lc?x',
      '3966: template /m?x',
      '4051: template /mf?x',
      '4114: template /ms?x',
      '4174: template /lj?x',
      '4285: template /lh?x',
      '4382: template /mo?x',
      '4446: template /mi?x',
      '4484: template /mq?x',
      '4491: template /c?x',
      '4514: template /q?x',
      '4744: template /mr?x',
      '4892: template /lt?x',
      '4938: template /g?x',
      '4954: template /lq?x',
      '5104: template /li?x',
      '5164: template /la?x',
      '5188: template /lm?x',
      '5275: template /mn?x',
      '5323: template /mt?x',
      '5398: template /mm?x',
      '5408: template /b?x',
      '5548: template /lg?x',
      '5672: template /ln?x',
      '5742: template /k?x',
      '5858: template /mb?x',
      '5960: template /ml?x',
      '6000: template /mc?x',
    ],
    496,
    'c0e83fc64ce9',
  ],
  [
    'everything, where much is wanted',
    () => crawl(10, EVERYTHING, SIZES, 0.3),
    [
      '504: folder /deep/**',
      '547: folder /calendar/**',
      '812: template /copy/0',
      '843: combinations /tag/*+*',
      '2215: combinations /shop?*&*',
      '3803: template /view/0',
    ],
    2585,
    'e409194e27fa',
  ],
])(
  '%s: what closes at which page, how many texts are requested, and what is kept',
  (_, crawled, closed, wanted, kept) => {
    expect(crawled()).toEqual({ closed, wanted, kept });
  },
);
