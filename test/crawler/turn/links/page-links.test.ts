/** Where the links of a page go: to be followed, to be fetched with it, or left out and counted. */
import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import { MAX_LINKS, type PageYield } from '../../../../shared/core/frontier/template-watch.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import type { HtmlLink } from '../../../../shared/core/parser/link-set.ts';
import { PageLinks, type PageLinksOptions } from '../../../../shared/crawler/turn/links/page-links.ts';
import { captureOf } from '../../../core/archive/captures.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const CAPTURE = captureOf({ url: PAGE, body: Buffer.from('bytes') });
const RESPONSE = { ...CAPTURE, body: { ...CAPTURE.body, sha1: Uint8Array.from(CAPTURE.body.sha1) } };
const a = (path: string, fields: Partial<HtmlLink> = {}): HtmlLink => ({
  url: ORIGIN + path,
  kind: 'a',
  ...fields,
});

interface Situation {
  readonly config?: CrawlOptions;
  readonly pages?: number;
  readonly nameOf?: (url: string) => string;
  readonly linksAtOnce?: number;
  /** URLs that the ledger has. */
  readonly known?: readonly string[];
  readonly isRequest?: boolean;
  readonly isCopy?: boolean;
  readonly response?: typeof RESPONSE;
}

function open({ config, pages = 0, nameOf, linksAtOnce = 1000, known = [] }: Situation) {
  const taken: Link[] = [];
  const skipped: string[] = [];
  const noted: unknown[] = [];
  const work: string[] = [];
  const counted: [string, PageYield][] = [];
  const entries: unknown[] = [];
  const services = {
    engine: { clock: { now: () => T0 }, sizes: { ...SIZES, linksAtOnce } },
    work: {
      run(crawl: string, url: string, step: string, part: () => void) {
        work.push(`${crawl} ${url} ${step}`);
        part();
      },
      async pause() {
        work.push(`pause after ${taken.length}`);
      },
    },
  };
  const options = {
    crawl: crawlOfTurn({ config, ...(nameOf && { nameOf }) }),
    counters: {
      totals: { pages },
      countSkipped: (reason: string, count = 1) => void skipped.push(`${count} ${reason}`),
    },
    traps: { count: (url: string, brought: PageYield) => void counted.push([url, brought]) },
    intake: {
      take(link: Link, now: number) {
        expect(now).toBe(T0);
        taken.push(link);
        return !known.includes(link.url);
      },
      knows: (url: string) => known.includes(url),
      skip({ url, via }: Link, reason: string) {
        skipped.push(`${reason} ${url} from ${via}`);
        return false;
      },
      noteSkip: (skip: unknown) => void noted.push(skip),
    },
    sitemapLinks: {
      takeEntry(record: UrlRecord, link: HtmlLink, now: number) {
        entries.push([record.url, link, now]);
        return true;
      },
    },
  } as unknown as PageLinksOptions;
  return { links: new PageLinks(services as never, options), taken, skipped, noted, work, counted, entries };
}

async function take(
  facts: Partial<DocumentFacts>,
  situation: Situation = {},
  record: UrlRecord = recordOf(PAGE, { depth: 2 }),
) {
  const opened = open(situation);
  const { response = RESPONSE, isRequest, isCopy } = situation;
  await opened.links.take(record, response, { ...PLAIN_FACTS, ...facts }, { isRequest, isCopy });
  return opened;
}
const urls = (links: readonly Link[]) => links.map(({ url }) => url);

describe('links to be followed', () => {
  test('are one hop deeper, from this page', async () => {
    const { taken, skipped, entries } = await take({ links: [a('/1'), a('/2', { kind: 'area' })] });
    expect(taken).toEqual(
      [`${ORIGIN}/1`, `${ORIGIN}/2`].map((url) => expect.objectContaining({ url, depth: 3, via: PAGE })),
    );
    expect(taken[0]).toMatchObject({ kind: undefined, isSeed: undefined, redirects: undefined });
    expect([skipped, entries]).toEqual([[], []]);
  });

  test('have the name by which the crawl knows them', async () => {
    const nameOf = (url: string) => url.replace(/;.*/, '');
    expect(urls((await take({ links: [a('/1;s=2')] }, { nameOf })).taken)).toEqual([`${ORIGIN}/1`]);
    const { skipped } = await take({ links: [a('/1;s=2', { nofollow: true })] }, { nameOf });
    expect(skipped).toEqual([`nofollow ${ORIGIN}/1 from ${PAGE}`]);
  });

  test('are taken in with a pause after each group, in their order, each part reported', async () => {
    const links = [1, 2, 3, 4, 5].map((i) => a(`/${i}`));
    const { taken, work } = await take({ links }, { linksAtOnce: 2 });
    expect(urls(taken)).toEqual(links.map(({ url }) => url));
    const part = `c ${PAGE} links`;
    expect(work).toEqual([part, part, 'pause after 2', part, 'pause after 4', part]);
    expect((await take({ links: links.slice(0, 2) }, { linksAtOnce: 2 })).work).toEqual([part, part]);
  });
});

test('links of a copy are left out, without those that are known and its requisites', async () => {
  const links = [a('/1'), a('/known'), a('/logo.png', { kind: 'img' })];
  const { taken, skipped } = await take({ links }, { isCopy: true, known: [`${ORIGIN}/known`] });
  expect(urls(taken)).toEqual([`${ORIGIN}/logo.png`]);
  expect(skipped).toEqual([`nearDuplicate ${ORIGIN}/1 from ${PAGE}`]);
});

describe('nofollow', () => {
  const robots = { noindex: false, nofollow: true } as DocumentFacts['robots'];
  const links = [a('/1', { nofollow: true }), a('/2')];

  test('in the head of a sitemap is not for its URLs', async () => {
    const entries = [a('/1', { kind: 'url' }), a('/2', { kind: 'url' })];
    const sitemap = recordOf(PAGE, { kind: 'sitemap' });
    expect((await take({ links: entries, robots, type: 'sitemap' }, {}, sitemap)).skipped).toEqual([]);
    expect((await take({ links, robots }, {}, sitemap)).skipped).toHaveLength(2);
    expect((await take({ links: entries, robots })).skipped).toHaveLength(2);
  });

  test('of a link leaves that link out', async () => {
    const { taken, skipped } = await take({ links });
    expect(urls(taken)).toEqual([`${ORIGIN}/2`]);
    expect(skipped).toEqual([`nofollow ${ORIGIN}/1 from ${PAGE}`]);
  });

  test('of the page leaves out all but its parts', async () => {
    const part = a('/s.css', { kind: 'style' });
    const { taken, skipped } = await take(
      { links: [...links, part], robots },
      { config: { requisites: true } },
    );
    expect(urls(taken)).toEqual([part.url]);
    expect(skipped).toEqual([1, 2].map((i) => `nofollow ${ORIGIN}/${i} from ${PAGE}`));
  });

  test('is followed where the crawl says so', async () => {
    const config = { obeyNofollow: false, requisites: true };
    expect((await take({ links, robots }, { config })).taken).toHaveLength(2);
  });
});

describe('a listing of a folder', () => {
  const links = [a('/pub/?C=N;O=D'), a('/pub/file'), a('/other/?C=N;O=D')];
  const listing = recordOf(`${ORIGIN}/pub/`);

  test('gives its files, without itself in other orders', async () => {
    const { taken, skipped } = await take({ links }, {}, listing);
    expect(urls(taken)).toEqual([`${ORIGIN}/pub/file`, `${ORIGIN}/other/?C=N;O=D`]);
    expect(skipped).toEqual([`listingOrder ${ORIGIN}/pub/?C=N;O=D from ${ORIGIN}/pub/`]);
  });

  test('gives all if the crawl has no URL rules', async () => {
    const urlRules = { trackingParameters: false, sessionParameters: false };
    const { taken, skipped } = await take({ links }, { config: { urlRules } }, listing);
    expect(urls(taken)).toEqual(urls(links as never));
    expect(skipped).toEqual([]);
  });
});

describe('parts of a page', () => {
  const config = { requisites: true };

  test('are requisites, one hop deeper, without a hop of requisites', async () => {
    const links = [a('/i.png', { kind: 'img' }), a('/big.png', { requisite: 'img' })];
    const { taken } = await take({ links }, { config });
    expect(taken).toEqual(
      links.map(({ url }) =>
        expect.objectContaining({ url, depth: 3, via: PAGE, kind: 'requisite', redirects: 0 }),
      ),
    );
  });

  test('have the name by which the crawl knows them', async () => {
    const nameOf = (url: string) => url.replace(/;.*/, '');
    const { taken } = await take({ links: [a('/i.png;s=2', { kind: 'img' })] }, { config, nameOf });
    expect(urls(taken)).toEqual([`${ORIGIN}/i.png`]);
  });

  test('are frames if parts are wanted, otherwise frames are links', async () => {
    const frame = a('/f', { kind: 'frame' });
    expect((await take({ links: [frame] }, { config })).taken).toMatchObject([{ kind: 'requisite' }]);
    expect((await take({ links: [frame] })).taken).toMatchObject([{ kind: undefined, depth: 3 }]);
  });

  test('of parts are sought five hops from the page', async () => {
    const style = (redirects: number) =>
      recordOf(`${ORIGIN}/s.css`, { kind: 'requisite', depth: 3, redirects });
    const css = { type: 'css', links: [a('/b.png', { kind: 'css' })] } as unknown as DocumentFacts;
    expect((await take(css, { config }, style(0))).taken).toMatchObject([
      { kind: 'requisite', redirects: 1, depth: 4, via: `${ORIGIN}/s.css` },
    ]);
    expect((await take(css, { config }, style(4))).taken).toMatchObject([{ redirects: 5 }]);
    const { taken, skipped } = await take(css, { config }, style(5));
    expect(taken).toEqual([]);
    expect(skipped).toEqual([`requisiteHops ${ORIGIN}/b.png from ${ORIGIN}/s.css`]);
    // Redirects that led to a page are no hops.
    expect((await take(css, { config }, recordOf(PAGE, { redirects: 5 }))).taken).toMatchObject([
      { redirects: 0 },
    ]);
  });

  test('that do not belong to the crawl by themselves give parts alone', async () => {
    const links = [a('/next'), a('/i.png', { kind: 'img' })];
    const elsewhere = recordOf('http://b.test/frame', { kind: 'requisite', depth: 3 });
    const { taken, skipped } = await take({ links }, { config }, elsewhere);
    expect(urls(taken)).toEqual([`${ORIGIN}/i.png`]);
    expect(skipped).toEqual([]);
    expect((await take({ links: [a('/next', { nofollow: true })] }, { config }, elsewhere)).skipped).toEqual(
      [],
    );
    const own = recordOf(`${ORIGIN}/frame`, { kind: 'requisite', depth: 3 });
    expect(urls((await take({ links }, { config }, own)).taken)).toEqual(urls(links as never));
    expect(urls((await take({ links, type: 'css' }, { config }, own)).taken)).toEqual([`${ORIGIN}/i.png`]);
  });
});

test.each([
  ['html', `${ORIGIN}/f`, 'requisite', true],
  ['feed', `${ORIGIN}/f`, 'requisite', true],
  ['css', `${ORIGIN}/f`, 'requisite', false],
  ['other', `${ORIGIN}/f`, 'requisite', false],
  ['html', 'http://b.test/f', 'requisite', false],
  ['html', `${ORIGIN}/f`, undefined, false],
  ['html', `${ORIGIN}/f`, 'sitemap', true],
  ['html', 'http://b.test/f', 'sitemap', false],
  ['sitemap', `${ORIGIN}/f`, 'sitemap', false],
  ['feed', `${ORIGIN}/f`, 'sitemap', false],
] as const)(
  'a document of type %s at %s, fetched as %s, is a document of its own: %s',
  (type, url, kind, is) => {
    const { links } = open({ config: { maxDepth: 5 } });
    expect(links.isOwnDocument(recordOf(url, { kind, depth: 5 }), { ...PLAIN_FACTS, type } as never)).toBe(
      is,
    );
  },
);

test('a requisite that is too deep is no document of its own', () => {
  const { links } = open({ config: { maxDepth: 5 } });
  expect(links.isOwnDocument(recordOf(`${ORIGIN}/f`, { kind: 'requisite', depth: 6 }), PLAIN_FACTS)).toBe(
    false,
  );
});

describe('sitemaps and feeds', () => {
  test('entries of a sitemap are taken by what they say', async () => {
    const nameOf = (url: string) => url.replace(/;.*/, '');
    const entry = a('/1;s', { kind: 'url', priority: 0.5 });
    const index = a('/2.xml', { kind: 'sitemap' });
    const { entries, taken } = await take({ links: [entry, index] }, { nameOf });
    expect(entries).toEqual([
      [PAGE, { ...entry, url: `${ORIGIN}/1` }, T0],
      [PAGE, index, T0],
    ]);
    expect(taken).toEqual([]);
  });

  test('one that was not read to its end is counted', async () => {
    expect((await take({ fault: 'not well-formed' })).skipped).toEqual(['1 sitemapFault']);
  });
});

describe('links that the parser left out', () => {
  test('are counted, and listed as far as they are known', async () => {
    const dropped = [`${ORIGIN}/x`, `${ORIGIN}/y`];
    const record = recordOf(PAGE, { via: `${ORIGIN}/from` });
    const { skipped, noted } = await take(
      { droppedLinks: 7, dropCause: 'count', dropped } as never,
      {},
      record,
    );
    expect(skipped).toEqual(['7 linksPerPage']);
    expect(noted).toEqual([
      {
        url: PAGE,
        reason: 'linksPerPage',
        via: `${ORIGIN}/from`,
        cause: expect.objectContaining({ code: expect.any(String) }),
      },
      { url: `${ORIGIN}/x`, reason: 'linksPerPage', via: PAGE },
      { url: `${ORIGIN}/y`, reason: 'linksPerPage', via: PAGE },
    ]);
    expect((await take({ droppedLinks: 1, dropCause: 'count' } as never)).noted).toHaveLength(1);
  });

  test('are none if none were', async () => {
    expect(await take({})).toMatchObject({ skipped: [], noted: [] });
  });
});

describe('the trap watch', () => {
  const config = { trapAfterPages: 3 };
  const watched: Situation = { config, pages: 3 };

  test('begins when the host has a number of pages, unless that is 0', () => {
    const is = (pages: number, trapAfterPages: number) =>
      open({ config: { trapAfterPages }, pages }).links.isWatchingTraps();
    expect([is(2, 3), is(3, 3), is(4, 3), is(4, 0), is(1, 1)]).toEqual([false, true, true, false, true]);
  });

  test('counts the new links of a page and its text', async () => {
    const links = [a('/1'), a('/2'), a('/3', { nofollow: true })];
    const { counted } = await take({ links, textHash: 7 }, { ...watched, known: [`${ORIGIN}/1`] });
    expect(counted).toMatchObject([[PAGE, { newLinks: [`${ORIGIN}/2`], textHash: 7, isCopy: false }]]);
  });

  test('counts a page as unused if it forbids both uses and both are obeyed', async () => {
    const robots = { ...PLAIN_FACTS.robots, noindex: true, nofollow: true };
    const isUnused = async (config: CrawlOptions, one = robots) =>
      (await take({ robots: one }, { ...watched, config: { ...watched.config, ...config } })).counted[0]?.[1]
        .isUnused;
    expect([
      await isUnused({}),
      await isUnused({}, { ...robots, nofollow: false }),
      await isUnused({}, { ...robots, noindex: false }),
      await isUnused({ obeyNoindex: false }),
      await isUnused({ obeyNofollow: false }),
    ]).toEqual([true, false, false, false, false]);
  });

  test('counts the first new links alone', async () => {
    const links = Array.from({ length: 200 }, (_, i) => a(`/${i}`));
    const { counted, taken } = await take({ links }, watched);
    expect(taken).toHaveLength(200);
    expect(counted[0]?.[1].newLinks).toEqual(links.slice(0, MAX_LINKS).map(({ url }) => url));
  });

  test('counts a page that is nearly the same as another one as a copy, whatever it names as canonical', async () => {
    const copies = [{}, { canonical: PAGE }, { canonical: `${ORIGIN}/page?a=1` }];
    for (const facts of copies) {
      const { counted } = await take(facts, { ...watched, isCopy: true });
      expect(counted).toMatchObject([[PAGE, { newLinks: [], textHash: undefined, isCopy: true }]]);
    }
  });

  test('takes the bytes for the text of what is no HTML', async () => {
    const { counted } = await take({ type: 'other', textHash: 7 }, watched);
    expect(counted[0]?.[1].textHash).toBe((CAPTURE.body.sha1 as Buffer).readUInt32LE(0));
  });

  test.each([
    [{}, recordOf(PAGE, { kind: 'sitemap' })],
    [{}, recordOf(PAGE, { kind: 'requisite' })],
    [{ pages: 2 }, recordOf(PAGE)],
    [{ isRequest: true }, recordOf(PAGE)],
  ] as const)(
    'does not count sitemaps, requisites, first pages and requests of the project: %j',
    async (situation, record) => {
      const { counted, taken } = await take({ links: [a('/1')] }, { ...watched, ...situation }, record);
      expect(counted).toEqual([]);
      expect(taken).toHaveLength(1);
    },
  );

  test.each([
    ['/p?b=2', '/p?a=1', true],
    ['/p?b=2', '/p', true],
    ['/p?b=2', '/p?b=2', false],
    ['/p?b=2', '/q', false],
    ['/p?b=2', '/pp', false],
    ['/p?b=2', '/p/q', false],
    ['/p', '/p?a=1', false],
    ['/p?b=2', undefined, false],
  ] as const)(
    'page %s that names %s as canonical is a copy by its parameters: %s',
    async (url, canonical, isCopy) => {
      const facts = { canonical: canonical && ORIGIN + canonical };
      const { counted } = await take(facts, watched, recordOf(ORIGIN + url));
      expect(counted[0]?.[1].isCopy).toBe(isCopy);
    },
  );
});
