/**
 * URL spaces that grow without new content. Each host has real pages beside the trap, which must all be
 * fetched.
 */
import { asked, atMost, type Check, kept } from '../checks.ts';
import type { HostileCase, HostileRequest, Reply } from '../hostile-case.ts';
import { page, response } from '../replies.ts';

const REAL = Array.from({ length: 30 }, (_, i) => `/real/${'x'.repeat(i + 1)}`);
/** Each with words of its own. */
const realText = (path: string): string =>
  `Real page ${path} is about ${[...path].map((_, i) => WORDS[(path.length * 7 + i * i) % WORDS.length]).join(' ')}`;
const WORDS =
  'apple river stone cloud window paper silver garden winter copper forest bridge candle harbour meadow'.split(
    ' ',
  );

/** `enter`: where the trap begins. `inside`: its pages. */
function trap(
  name: string,
  mostRequests: number,
  enter: string,
  inside: (target: string, request: HostileRequest) => Reply | undefined,
  checks: readonly Check[] = [],
): HostileCase {
  return {
    name: `trap: ${name}`,
    checks: [kept(), ...REAL.map((path) => asked(path)), atMost(mostRequests), ...checks],
    answer(request) {
      const { target } = request;
      if (target === '/robots.txt') return response({ status: '404 Not Found' });
      if (target === '/') return page('Home', [...REAL, enter]);
      if (target.startsWith('/real/')) return page(realText(target), ['/', enter]);
      return inside(target, request);
    },
  };
}

const quick = (one: HostileCase): HostileCase => ({ ...one, isQuick: true });

const FACETS = ['colour', 'size', 'brand', 'price', 'rating', 'stock'];
const VALUES = ['a', 'b', 'c', 'd'];
/** A shop's list: each page links to every facet with every value, added at the end or exchanged. */
function facets(target: string): Reply {
  const chosen = new URLSearchParams(target.split('?')[1] ?? '');
  const links = FACETS.flatMap((facet) =>
    VALUES.map((value) => {
      const next = new URLSearchParams(chosen);
      next.delete(facet);
      next.append(facet, value);
      return `/shop?${next}`;
    }),
  );
  return page('Twelve things of the shop: lamp, chair, table, shelf, sofa, desk', links);
}

/** The same by path: `/filter/colour-a/size-b`. */
function facetPath(target: string): Reply {
  const chosen = target.split('/').slice(2).filter(Boolean);
  const links = FACETS.flatMap((facet) =>
    VALUES.map(
      (value) =>
        `/filter/${[...chosen.filter((part) => !part.startsWith(facet)), `${facet}-${value}`].join('/')}`,
    ),
  );
  return page('Twelve things of the shop: lamp, chair, table, shelf, sofa, desk', links);
}

const number = (target: string): number => Number(/\d+/.exec(target)?.[0] ?? 0);
/** Letters that look like an id, the same for the same number. */
const idOf = (n: number): string =>
  Buffer.from(`session-${n}-${n * 7919}`)
    .toString('base64url')
    .toLowerCase();

let sessions = 0;

export const TRAP_CASES: readonly HostileCase[] = [
  quick(
    trap('a calendar by months', 800, '/calendar?month=1', (target) =>
      page(`Month ${number(target)}. Nothing happens.`, [
        `/calendar?month=${number(target) + 1}`,
        `/calendar?month=${number(target) - 1}`,
      ]),
    ),
  ),
  trap('a calendar by path', 800, '/2026/11', (target) => {
    const [, year = '2026', month = '1'] = target.split('/');
    const next =
      Number(month) >= 12
        ? `/${Number(year) + 1}/01`
        : `/${year}/${String(Number(month) + 1).padStart(2, '0')}`;
    return page(`No events in ${month} of ${year}`, [
      next,
      ...Array.from({ length: 28 }, (_, i) => `/${year}/${month}/${i + 1}`),
    ]);
  }),
  quick(trap('facets in every order', 2000, '/shop', facets)),
  trap('facets by path', 2000, '/filter', facetPath),
  trap('facets with a text of their own words', 2000, '/shop', (target) => {
    const made = facets(target);
    return response({
      body: `<p>Shown: ${target.replace(/\W+/g, ' ')}</p>${made.bytes.toString().split('\r\n\r\n')[1]}`,
    });
  }),
  quick(
    trap('a directory of a/ and b/ with the same bytes', 1500, '/deep/', () => page('Index', ['a/', 'b/'])),
  ),
  trap('a directory of twenty folders with the same bytes', 1500, '/deep/', () =>
    page(
      'Index',
      Array.from('abcdefghijklmnopqrst', (letter) => `${letter}/`),
    ),
  ),
  quick(trap('a folder in itself', 400, '/loop/', () => page('Loop', ['loop/', 'loop/loop/']))),
  trap('a link without a slash', 400, '/dir/page', () =>
    page('A page', ['dir/page', 'other/page', '../dir/dir/page']),
  ),
  trap('session ids in the path', 1200, '/s/0/list', () =>
    page('The same list', [`/s/${idOf(sessions++)}/list`, `/s/${idOf(sessions++)}/item`]),
  ),
  trap('session ids in an unknown parameter', 1200, '/list?zid=0', () =>
    page('The same list', [`/list?zid=${idOf(sessions++)}`, `/item?zid=${idOf(sessions++)}`]),
  ),
  trap('session ids by PHPSESSID', 100, '/list', () =>
    page('The same list', [`/list?PHPSESSID=${idOf(sessions++)}`, `/item;jsessionid=${idOf(sessions++)}`]),
  ),
  trap('soft 404: any path is a page that links to others', 1500, '/missing/0', () =>
    page('Page not found. Sorry.', [
      `/missing/${idOf(sessions++)}`,
      `/${idOf(sessions++)}`,
      `/${idOf(sessions++)}.html`,
    ]),
  ),
  trap('a list that continues by numbers', 800, '/list?page=1', (target) =>
    page('No more results', [`/list?page=${number(target) + 1}`]),
  ),
  trap('offsets of one list in steps of one', 800, '/list?from=0', (target) =>
    page(
      'Result: one, two, three',
      Array.from({ length: 20 }, (_, i) => `/list?from=${number(target) + i + 1}`),
    ),
  ),
  trap('sort orders and views', 1500, '/table', (target) => {
    const query = target.split('?')[1] ?? '';
    return page(
      'A table',
      ['sort=a', 'sort=b', 'sort=c', 'dir=up', 'dir=down', 'view=grid', 'view=list'].map(
        (more) => `/table?${query ? `${query}&` : ''}${more}`,
      ),
    );
  }),
  quick(
    trap('a search that echoes its words', 1500, '/search?q=apple', (target) => {
      const asked = new URLSearchParams(target.split('?')[1]).get('q') ?? '';
      return page(
        `Nothing found for ${asked}`,
        WORDS.map((word) => `/search?q=${encodeURIComponent(`${asked} ${word}`.slice(-60))}`),
      );
    }),
  ),
  trap('paths that differ in case', 1500, '/case/abcdefghij', (target) => {
    const word = target.split('/')[2] ?? '';
    return page(
      'The same',
      [...word].map(
        (_, i) =>
          `/case/${word.slice(0, i)}${word[i] === word[i]?.toUpperCase() ? word[i]?.toLowerCase() : word[i]?.toUpperCase()}${word.slice(i + 1)}`,
      ),
    );
  }),
  trap('a parameter more with each click', 300, '/more?a=1', (target) =>
    page('More', [`${target}&a=1`, `${target}&b=${target.length}`]),
  ),
  // 296 requests mostly. In one order of pages of 30, which depends on the machine's speed, up to 800: first four of its folders close.
  quick(
    trap('slashes more with each click', 900, '/slash/', (target) =>
      page('Slash', [`${target}/`, `${target}./`, `${target}%2f`]),
    ),
  ),
  trap('dates before and after any', 1500, '/day?d=2026-11-22', (target) => {
    const day = new Date(`${/\d{4}-\d\d-\d\d/.exec(target)?.[0] ?? '2026-11-22'}T00:00:00Z`);
    const shifted = (days: number) => new Date(day.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    return page(
      `Events of ${shifted(0)}: none`,
      [-365, -30, -7, -1, 1, 7, 30, 365].map((days) => `/day?d=${shifted(days)}`),
    );
  }),
  quick(
    trap('redirects to new ids', 1500, '/go', (target) =>
      target === '/go'
        ? response({ status: '302 Found', headers: [['Location', `/to/${idOf(sessions++)}`]] })
        : page('The same page', ['/go', `/to/${idOf(sessions++)}`]),
    ),
  ),
];
