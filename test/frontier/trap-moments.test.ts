/**
 * When traps close, to the page, over made-up hosts of every kind of page; and what heads keep of them, which
 * other versions of the program read. A change of these numbers is a change of what is crawled: say so in the
 * CHANGELOG.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { closedGroups, createTrapWatch, type TrapState } from '../../shared/frontier/trap-watch.ts';
import { SIZES, type Sizes } from '../../shared/sizes.ts';
import { seededRandom } from '../worker/fake-clock.ts';
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
  session: (upTo, i) => ({ path: `/view/${i * 31}`, links: [], text: upTo(40) }),
  list: (upTo, i) => ({ path: `/list/${i}`, links: [`/item/${i}`, `/list/${i + 1}`], text: upTo(3) }),
  item: (upTo, i) => ({ path: `/item/${i}`, links: [], ...(upTo(5) > 0 && { text: i * 104_729 }) }),
  copy: (upTo, i) => ({ path: `/copy/${i}`, links: [], text: i, isCopy: upTo(20) > 0 }),
  rare: (upTo) => ({ path: `/${wordsOf(upTo(60))}/x/${upTo(1000)}`, links: [], text: upTo(2) }),
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
    links: [],
    text: upTo(1e9),
  }),
  words: (upTo) => ({ path: `/tag/${wordsOf(upTo(5))}+${wordsOf(upTo(5))}`, links: [], text: upTo(1e9) }),
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
  ['articles, items and lists', () => crawl(1, ['article', 'item', 'list']), [], 5977, '610ad892bef6'],
  [
    'traps of templates',
    () => crawl(2, ['calendar', 'session', 'list', 'copy', 'article']),
    [
      '387: template /calendar/0/0',
      '387: folder /calendar/**',
      '476: template /copy/0',
      '3328: template /view/0',
    ],
    3198,
    '1decd7d649c8',
  ],
  [
    'filters',
    () => crawl(3, ['filter', 'shelf', 'words', 'item']),
    ['417: combinations /tag/*+*', '677: combinations /shop?*&*'],
    383,
    '94a158634afd',
  ],
  ['combinations in folders', () => crawl(4, ['shelf']), [], 22, '33d1c1f3a124'],
  [
    'words of a path',
    () => crawl(5, ['words', 'article']),
    ['171: combinations /tag/*+*'],
    757,
    'd49a8fc981e0',
  ],
  [
    'folders',
    () => crawl(6, ['deep', 'mirror', 'article', 'rare']),
    ['330: folder /deep/**'],
    4558,
    '78ad953e48d7',
  ],
  [
    'everything',
    () => crawl(7, Object.keys(KINDS)),
    [
      '1039: template /calendar/0/0',
      '1039: folder /calendar/**',
      '1173: template /copy/0',
      '1352: folder /deep/**',
      '1364: combinations /tag/*+*',
      '2141: combinations /shop?*&*',
    ],
    3408,
    'def853f6cb2b',
  ],
  [
    'everything, by small numbers',
    () => crawl(8, Object.keys(KINDS), SMALL),
    [
      '181: template /calendar/0/0',
      '181: folder /calendar/**',
      '238: folder /deep/**',
      '239: template /copy/0',
      '325: combinations /tag/*+*',
      '2158: combinations /shop?*&*',
      '2255: template /view/0',
    ],
    2796,
    '1eb4d0ec0a62',
  ],
  [
    'very many templates',
    () => crawl(9, ['rare', 'rare', 'rare', 'calendar', 'words'], SMALL, 0.25),
    [
      '42: template /calendar/0/0',
      '42: folder /calendar/**',
      '94: combinations /tag/*+*',
      '1193: template /lp/x/0',
      '1494: template /t/x/0',
      '1713: template /lm/x/0',
      '1779: template /ll/x/0',
      '2093: template /r/x/0',
      '2340: template /ma/x/0',
      '2815: template /ls/x/0',
      '3453: template /j/x/0',
      '3788: template /ms/x/0',
      '4192: template /m/x/0',
      '4278: template /lc/x/0',
      '4417: template /n/x/0',
      '4439: template /lj/x/0',
      '4477: template /mj/x/0',
      '4710: template /la/x/0',
      '4816: template /mt/x/0',
      '4966: template /mi/x/0',
      '5055: template /l/x/0',
      '5097: template /ln/x/0',
      '5162: template /mh/x/0',
      '5398: template /mm/x/0',
      '5558: template /f/x/0',
      '5675: template /le/x/0',
      '5798: template /s/x/0',
      '5840: template /lq/x/0',
      '5847: template /mp/x/0',
      '5876: template /mg/x/0',
      '5937: template /p/x/0',
    ],
    347,
    'b44a5492a8d8',
  ],
  [
    'everything, where much is wanted',
    () => crawl(10, Object.keys(KINDS), SIZES, 0.3),
    [
      '504: folder /deep/**',
      '598: template /calendar/0/0',
      '598: folder /calendar/**',
      '785: template /copy/0',
      '843: combinations /tag/*+*',
      '2215: combinations /shop?*&*',
      '3803: template /view/0',
    ],
    3122,
    '2725585ffb61',
  ],
])(
  '%s: what closes at which page, how many texts are requested, and what is kept',
  (_, crawled, closed, wanted, kept) => {
    expect(crawled()).toEqual({ closed, wanted, kept });
  },
);
