/** XML: entity bombs, external entities, sitemaps and feeds without an end. */
import { gzipSync } from 'node:zlib';
import { asked, askedBefore, atMost, type Check, kept, neverAsked, settled } from '../checks.ts';
import type { HostileCase, HostileRequest } from '../hostile-case.ts';
import { listed, MB, page, repeated, replyCase, response, type Text } from '../replies.ts';

const XML = 'application/xml';
const HEAD = '<?xml version="1.0"?>';
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** A page of XML at `/`. */
const xml = (
  name: string,
  body: (request: HostileRequest) => Text,
  checks: readonly Check[],
  type = XML,
  isQuick = true,
): HostileCase =>
  replyCase(`xml: ${name}`, checks, (request) => response({ type, body: body(request) }), { isQuick });

/** A host whose robots.txt names `/map.xml`, with a page that links to `/p1` .. `/p20`. */
const PAGES = Array.from({ length: 20 }, (_, i) => `/p${i + 1}`);
function sitemap(
  name: string,
  body: (request: HostileRequest) => Text,
  checks: readonly Check[],
  {
    isQuick = true,
    type = XML,
    answer,
  }: { isQuick?: boolean; type?: string; answer?: HostileCase['answer'] } = {},
): HostileCase {
  return {
    name: `sitemap: ${name}`,
    isQuick,
    checks: [kept(), ...PAGES.map((path) => asked(path)), ...checks],
    answer(request) {
      const { target, addresses } = request;
      if (target === '/robots.txt')
        return response({
          type: 'text/plain',
          body: `User-agent: *\nDisallow: /x\nSitemap: ${addresses.origin}/map.xml\n`,
        });
      if (target === '/') return page('The pages', PAGES);
      return target === '/map.xml' ? response({ type, body: body(request) }) : answer?.(request);
    },
  };
}

const entry = (loc: string, more = '') => `<url><loc>${loc}</loc>${more}</url>`;
const urlset = (entries: string) => `${HEAD}<urlset ${NS}>${entries}</urlset>`;
const LAUGHS = `<!DOCTYPE r [<!ENTITY a "ha">${listed(30, (i) => `<!ENTITY ${name(i + 1)} "${`&${name(i)};`.repeat(10)}">`)}]>`;
function name(i: number): string {
  return 'a'.repeat(i + 1);
}

const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="/first">1</a>';

const XML_PAGES: readonly HostileCase[] = [
  xml('a billion laughs', () => `${HEAD}${LAUGHS}<r>&${name(30)};</r>`, [kept(), atMost(4)]),
  xml(
    'an entity of 1 MB, 10,000 times',
    () => `${HEAD}<!DOCTYPE r [<!ENTITY a "${repeated('a', MB)}">]><r>${'&a;'.repeat(10_000)}</r>`,
    [kept()],
    XML,
    false,
  ),
  xml(
    'external entities: file: and the canary',
    ({ addresses: { port, canaryPath } }) =>
      `${HEAD}<!DOCTYPE r SYSTEM "http://127.0.0.1:${port}${canaryPath}" [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b SYSTEM "http://127.0.0.1:${port}${canaryPath}"><!ENTITY % c SYSTEM "http://127.0.0.1:${port}${canaryPath}">%c;]><r>&a;&b;</r>`,
    [kept()],
  ),
  xml(
    'XInclude and stylesheets of the canary',
    ({ addresses: { port, canaryPath } }) =>
      `${HEAD}<?xml-stylesheet href="http://127.0.0.1:${port}${canaryPath}" type="text/xsl"?><r xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="http://127.0.0.1:${port}${canaryPath}"/></r>`,
    [kept()],
  ),
  xml(
    'a document type without an end',
    () => `${HEAD}<!DOCTYPE r [${repeated('<!ENTITY a "b">', 4 * MB)}`,
    [kept()],
    XML,
    false,
  ),
  xml('500,000 elements deep', () => `${HEAD}${repeated('<a>', 1.5 * MB)}`, [kept()], XML, false),
  xml(
    'XHTML that is not well-formed',
    () => `${XHTML}<p><b></p><a href=/x&y>2</body>`,
    [kept(), asked('/first')],
    'application/xhtml+xml',
  ),
  xml(
    'XHTML with a billion laughs',
    () => `${LAUGHS}${XHTML}<p>&${name(30)};</p></body></html>`,
    [kept(), asked('/first')],
    'application/xhtml+xml',
  ),
  xml(
    'a feed of 100,000 items',
    () =>
      `${HEAD}<rss version="2.0"><channel>${listed(100_000, (i) => `<item><link>/x${i}</link></item>`)}</channel></rss>`,
    [kept(), atMost(10)],
    'application/rss+xml',
    false,
  ),
  xml(
    'a feed with an xml:base of 2 MB, and 3,000 entries',
    () =>
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x${repeated('y', 2 * MB)}/">${listed(3000, (i) => `<entry><link href="${i}"/></entry>`)}</feed>`,
    // Each entry once: a list that ends is fetched to its end.
    [kept(), atMost(3002)],
    'application/atom+xml',
    false,
  ),
  xml(
    'svg with 50,000 links',
    () =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${repeated('<a xlink:href="/x">', MB)}</svg>`,
    [kept()],
    'image/svg+xml',
    false,
  ),
];

const FLOOD = 1000;
const SITEMAPS: readonly HostileCase[] = [
  sitemap(
    'a priority of 2 MB of digits',
    ({ addresses: { origin } }) =>
      urlset(entry(`${origin}/in`, `<priority>${repeated('0', 2 * MB)}x</priority>`)),
    [asked('/in')],
    { isQuick: false },
  ),
  sitemap(
    'a priority of 2 MB of spaces',
    ({ addresses: { origin } }) =>
      urlset(entry(`${origin}/in`, `<priority>${repeated(' ', 2 * MB)}x</priority>`)),
    [],
    { isQuick: false },
  ),
  sitemap(
    'odd priorities and dates',
    ({ addresses: { origin } }) =>
      urlset(
        ['1e999', '-1', 'NaN', '0x1', ' 0.5 ', '٠']
          .map((value, i) =>
            entry(`${origin}/in${i}`, `<priority>${value}</priority><lastmod>${value}99999-99-99</lastmod>`),
          )
          .join(''),
      ),
    [0, 1, 2, 3, 4, 5].map((i) => asked(`/in${i}`)),
  ),
  sitemap(
    'a billion laughs',
    ({ addresses: { origin } }) =>
      `${HEAD}${LAUGHS}<urlset ${NS}>${entry(`${origin}/in`)}${entry(`&${name(30)};`)}</urlset>`,
    [settled('/map.xml'), atMost(30)],
  ),
  sitemap(
    'an index of 1,000 sitemaps of 1,000 URLs',
    ({ addresses: { origin } }) =>
      `${HEAD}<sitemapindex ${NS}>${listed(FLOOD, (i) => `<sitemap><loc>${origin}/map-${i}.xml</loc></sitemap>`)}</sitemapindex>`,
    [askedBefore(PAGES, 100, /^\/map/)],
    {
      isQuick: false,
      answer: ({ target, addresses: { origin } }) =>
        target.startsWith('/map-')
          ? response({
              type: XML,
              body: urlset(listed(1000, (i) => entry(`${origin}/x${target.slice(5)}/${i}`))),
            })
          : undefined,
    },
  ),
  sitemap(
    'indexes without an end',
    ({ addresses: { origin } }) => index(origin, '/map-0.xml'),
    [atMost(60)],
    {
      answer: ({ target, addresses: { origin } }) =>
        target.startsWith('/map-')
          ? response({
              type: XML,
              body: index(origin, `/map-${Number.parseInt(target.slice(5), 10) + 1}.xml`),
            })
          : undefined,
    },
  ),
  sitemap('an index that names itself', ({ addresses: { origin } }) => index(origin, '/map.xml'), [
    atMost(30),
  ]),
  sitemap(
    '200,000 URLs, all forbidden',
    ({ addresses: { origin } }) => urlset(listed(200_000, (i) => entry(`${origin}/x${i}`))),
    [atMost(30)],
    { isQuick: false },
  ),
  sitemap(
    'a URL of 2 MB',
    ({ addresses: { origin } }) => urlset(entry(`${origin}/${repeated('y', 2 * MB)}`)),
    [atMost(30)],
    { isQuick: false },
  ),
  sitemap(
    'other sites and private addresses',
    ({ addresses: { port, canaryPath } }) =>
      urlset(
        ['http://127.0.0.1', 'http://[::1]', 'http://localhost', 'http://0']
          .map((site) => entry(`${site}:${port}${canaryPath}`))
          .join(''),
      ),
    [],
  ),
  sitemap('a gzip bomb', () => gzipSync(urlset(repeated(' ', 300 * MB))), [], {
    isQuick: false,
    type: 'application/gzip',
  }),
  sitemap(
    'HTML in place of XML',
    () => '<!doctype html><html><body><a href="/hidden">a</a>',
    [neverAsked('/hidden')],
    { type: 'text/html' },
  ),
  sitemap(
    'cut in the middle',
    ({ addresses: { origin } }) => `${HEAD}<urlset ${NS}>${entry(`${origin}/in`)}<url><lo`,
    [asked('/in')],
  ),
  sitemap('4 MB without >', () => `${HEAD}<urlset ${NS}><url ${repeated('a', 4 * MB)}`, [], {
    isQuick: false,
  }),
  sitemap(
    'CDATA and comments without an end',
    () => `${HEAD}<urlset ${NS}><url><loc><![CDATA[${repeated(']]', 2 * MB)}<!--`,
    [],
    { isQuick: false },
  ),
  sitemap(
    'plain text of 100,000 lines',
    ({ addresses: { origin } }) => listed(100_000, (i) => `${origin}/x${i}\n`),
    [atMost(30)],
    { type: 'text/plain', isQuick: false },
  ),
  sitemap('binary', () => Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 131) & 255)), [
    settled(),
  ]),
];

function index(origin: string, path: string): string {
  return `${HEAD}<sitemapindex ${NS}><sitemap><loc>${origin}${path}</loc></sitemap></sitemapindex>`;
}

export const XML_CASES: readonly HostileCase[] = [...XML_PAGES, ...SITEMAPS];
