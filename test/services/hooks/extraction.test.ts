import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { createHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { withExtraction } from '../../../shared/services/hooks/run-extraction.ts';
import type { ExtractionMiddleware, PageLink } from '../../../shared/services/project/project.ts';
import { handClock, madePage } from './made-page.ts';

/** For what does not end by itself: all else has the time that it takes on a busy machine. */
const HASTY_MS = 30;
const config = {
  hookTimeoutMs: 60_000,
  blockTimeoutMs: 60_000,
  maxDecodedBytes: 100_000,
  maxLinksPerPage: 3,
};
const own = { body: '<title>Own</title><a href=/a>a</a><img src=/i>' };

const extract = (...extraction: ExtractionMiddleware[]) => extractWithin(config.hookTimeoutMs, ...extraction);

async function extractWithin(hookTimeoutMs: number, ...extraction: ExtractionMiddleware[]) {
  const limits = { ...config, hookTimeoutMs };
  const hooks = createHooks({ extraction }, { config: limits, clock: handClock().clock }) as PageHooks;
  const page = await madePage(own);
  const { facts, error } = await hooks.extract(page);
  return {
    links: facts.links,
    title: facts.title,
    dropped: facts.droppedLinks,
    error,
    isOwn: facts === page.facts,
  };
}

describe("a project's extraction", () => {
  test('stands around the own one, the first outermost', async () => {
    const order: string[] = [];
    const layer =
      (name: string, path: string): ExtractionMiddleware =>
      async (_page, next) => {
        order.push(`${name} before`);
        const { links, title } = await next();
        order.push(`${name} after`);
        return { title: `${title} ${name}`, links: [...links, { url: `http://a.test/${path}`, kind: 'a' }] };
      };
    expect(await extract(layer('outer', 'x'), layer('inner', 'y'))).toMatchObject({
      title: 'Own inner outer',
      links: [
        { url: 'http://a.test/a', kind: 'a' },
        { url: 'http://a.test/y', kind: 'a' },
        { url: 'http://a.test/x', kind: 'a' },
      ],
    });
    expect(order).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
  });

  test('gives links that become canonical, each once, their kinds kept, and no more than a page may have', async () => {
    const links: PageLink[] = [
      { url: 'HTTP://B.test:80/x/../y#z', kind: 'feed', nofollow: true },
      { url: 'http://b.test/y', kind: 'a' },
      { url: 'http://b.test/1', kind: 'img' },
      { url: 'http://b.test/2', kind: 'a', nofollow: true },
      { url: 'http://b.test/3', kind: 'a' },
    ];
    expect(await extract(async () => ({ links }))).toEqual({
      links: [
        { url: 'http://b.test/y', kind: 'feed' },
        { url: 'http://b.test/1', kind: 'img' },
        { url: 'http://b.test/2', kind: 'a', nofollow: true },
      ],
      title: undefined,
      dropped: 1,
      error: undefined,
      isOwn: false,
    });
  });

  test.each([
    [{ url: '/relative', kind: 'a' }],
    [{ url: 'mailto:a@b.test', kind: 'a' }],
    [{ url: 'http://b.test/', kind: 'anchor' }],
    [{ url: 7, kind: 'a' }],
    [null],
    ['http://b.test/'],
  ])('that gives %j as a link loses that link, and gets an error', async (bad) => {
    const outcome = await extract(async (_page, next) => {
      const { links } = await next();
      return { links: [bad as never, ...links.slice(0, 1)] };
    });
    expect(outcome.links.map(({ url }) => url)).toEqual(['http://a.test/a']);
    expect(outcome.error).toBe(
      `1 of 2 links are not { url: an absolute http(s) URL, kind }: ${JSON.stringify(bad)}`,
    );
  });

  test('that gives links too long to be compared quickly loses them, and those that become so', async () => {
    const [long, growing] = ['x'.repeat(16_000), '\u00e9'.repeat(4000)].map(
      (path) => `http://b.test/${path}`,
    );
    const links: PageLink[] = [long!, growing!, 'http://b.test/'].map((url) => ({ url, kind: 'a' }));
    const outcome = await extract(async () => ({ links }));
    expect(outcome.links.map(({ url }) => url)).toEqual(['http://b.test/']);
    expect(outcome.error).toMatch(/^2 of 3 links are not/);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('oh');
      },
      'oh',
    ],
    [
      'gives nothing',
      async () => undefined,
      'Expected the extraction to be an object { title, links } with an array of links',
    ],
    [
      'gives no links',
      async () => ({ links: 7 }),
      'Expected the extraction to be an object { title, links } with an array of links',
    ],
    [
      'gives a title that is none',
      async () => ({ links: [], title: 7 }),
      'Expected the title to be a string, got number',
    ],
  ])('that %s leaves the page its own', async (_, layer, error) => {
    expect(await extract(layer as never)).toMatchObject({ title: 'Own', isOwn: true, error });
  });

  test('that never ends leaves the page its own', async () => {
    const endless = () => {
      while (true);
    };
    const error = `Took longer than ${HASTY_MS} ms (hookTimeoutMs)`;
    expect(await extractWithin(HASTY_MS, endless)).toMatchObject({ title: 'Own', isOwn: true, error });
  });

  test('may be anything: the result is bounded, canonical and distinct', async () => {
    const { facts } = await madePage(own);
    const url = fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string());
    const link = fc.oneof(fc.record({ url, kind: fc.constantFrom('a', 'img', 'x') }), fc.anything());
    fc.assert(
      fc.property(fc.array(link), fc.option(fc.string(), { nil: undefined }), (links, title) => {
        const outcome = withExtraction(facts, { links: links as PageLink[], title }, 3).facts;
        const urls = outcome.links.map((one) => one.url);
        expect(urls.length).toBeLessThanOrEqual(3);
        expect(new Set(urls).size).toBe(urls.length);
        for (const one of urls) expect(canonicalize(one)).toBe(one);
      }),
    );
  });
});
