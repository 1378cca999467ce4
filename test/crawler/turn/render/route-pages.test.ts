/** Routes behind `#` in a crawl that renders, in a world whose renderer is a table. */
import { expect, test } from 'vitest';
import { scanMembers } from '../../../../shared/core/archive/scan-members.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { routesOf } from '../../../../shared/crawler/turn/render/route-pages.ts';
import type { Site } from '../../worker/scripted-fetcher.ts';
import {
  CRAWL,
  crawlToEnd,
  ledgersOf,
  recordOf,
  SILENT,
  type World,
  type WorldOptions,
} from '../../worker/world.ts';
import { type DrawnPage, tableRenderer } from './table-renderer.ts';

const A = 'http://a.test';
const SITE: Site = {
  [`${A}/`]: { body: '<title>App</title><div id=root></div><script src=/app.js></script>' },
};
const words = (name: string) =>
  Array.from({ length: 60 }, (_, i) => `${name}${'abcdefghij'[i % 10]}${i}`).join(' ');
const view = (text: string, ...links: string[]): DrawnPage => ({
  html: `<title>${text.slice(0, 9)}</title><main>${text}${links.map((url) => `<a href="${url}">x</a>`).join('')}</main>`,
});
const route = (path: string) => `${A}/#/${path}`;
const APP: Record<string, DrawnPage> = {
  [`${A}/`]: view(words('home'), '#/one', '#/two#place', '#/', '#top'),
  [route('one')]: view(words('one'), '#/three', '/page'),
  [route('two')]: view(words('two')),
  [route('three')]: view(words('three'), '#/one'),
};

const crawl = (
  pages: Parameters<typeof tableRenderer>[0],
  { hooks, site = SITE, ...config }: CrawlOptions & Pick<WorldOptions, 'hooks'> & { site?: Site } = {},
) => {
  const renderer = tableRenderer(pages);
  const crawled = crawlToEnd(site, { render: 'needed', ...config }, { rendering: renderer.rendering, hooks });
  return crawled.then((world) => ({ ...world, jobs: renderer.jobs }));
};

async function recordsOf({ engine }: Pick<World, 'engine'>): Promise<string[]> {
  const bytes = engine.archiveOf(CRAWL).bytes();
  const found: string[] = [];
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  for await (const { record } of scanMembers(read as never))
    found.push(
      ['WARC-Type', 'WARC-Target-URI']
        .flatMap((name) => record.fields.filter(([given]) => given === name).map(([, value]) => value))
        .join(' '),
    );
  return found;
}

test('each is a page of its own, with its links, without a request for each', async () => {
  const seen: string[] = [];
  const hooks = {
    ...SILENT,
    onPage: async ({ url, facts }: Parameters<typeof SILENT.onPage>[0]) => {
      seen.push(`${url} ${facts.title}`);
      return { items: [] };
    },
  };
  const { states, fetcher, jobs, totals } = await crawl(APP, { hooks });
  expect(states).toEqual({
    [`${A}/`]: 'fetched',
    [route('one')]: 'fetched',
    [route('two')]: 'fetched',
    [route('three')]: 'fetched',
    [`${A}/page`]: 'gone',
  });
  expect(fetcher.count(`${A}/`)).toBeLessThan(4);
  expect(fetcher.log.filter(({ url }) => url.includes('#'))).toEqual([]);
  expect(jobs.map(({ url }) => url).sort()).toEqual(Object.keys(APP).sort());
  expect(seen.sort()).toEqual([
    `${A}/ homea0 ho`,
    `${A}/#/one onea0 one`,
    `${A}/#/three threea0 t`,
    `${A}/#/two twoa0 two`,
  ]);
  expect(totals.skipped).toEqual({});
  expect(totals.pages).toBe(5);
});

test('each is archived by its own URL, with its rendered form', async () => {
  const records = await recordsOf(await crawl(APP));
  for (const name of ['one', 'two', 'three'])
    for (const type of ['response', 'request', 'conversion'])
      expect(records.filter((line) => line === `${type} ${route(name)}`)).toHaveLength(1);
});

test('are not followed without rendering', async () => {
  const site = { [`${A}/`]: { body: '<a href="#/one">1</a>' } };
  const { states, totals } = await crawlToEnd(site, {});
  expect([states, totals.skipped]).toEqual([{ [`${A}/`]: 'fetched' }, { hashRoute: 1 }]);
});

test('three of those that show what their page shows end them: slides', async () => {
  const slides = Array.from({ length: 30 }, (_, i) => `#/${i}`);
  const deck = view(words('all'), ...slides);
  const pages = Object.fromEntries(
    [`${A}/`, ...slides.map((one) => `${A}/${one}`)].map((url) => [url, deck]),
  );
  for (const render of ['needed', 'always'] as const) {
    const { states, jobs, engine, totals } = await crawl(pages, { render });
    const count = (state: string) => Object.values(states).filter((one) => one === state).length;
    expect([count('fetched'), count('skipped')]).toEqual([4, 27]);
    expect(jobs).toHaveLength(4);
    expect(totals.hints).toMatchObject({ nearDuplicate: 3 });
    const shown = Object.keys(states).find((url) => url !== `${A}/` && states[url] === 'fetched') as string;
    expect((await recordOf(engine, shown))?.result?.cause).toMatchObject({
      code: 'nearDuplicate',
      of: `${A}/`,
    });
    expect((await ledgersOf(engine)).get('a.test')!.head.renderNeeds).toBeDefined();
  }
});

test('that show the text of another one are copies of it', async () => {
  const pages = {
    ...APP,
    [`${A}/`]: view(words('home'), '#/one', '#/two', '#/three', '#/same', '#/home'),
    [route('same')]: APP[route('one')]!,
    [route('home')]: view(words('home'), '#/1', '#/2', '#/3', '#/4', '#/5'),
  };
  const { engine, states } = await crawl(pages);
  const copies = await Promise.all(
    Object.keys(states).map(async (url) => (await recordOf(engine, url))?.result?.cause),
  );
  // Routes that no page shows are drawn as the shell is sent: all of one text.
  const of = copies.flatMap((cause) => (cause?.code === 'nearDuplicate' ? [cause.of] : []));
  expect(of.filter((url) => url === `${A}/`)).toHaveLength(1);
  expect(of.some((url) => url === route('one') || url === route('same'))).toBe(true);
});

test('that cannot be rendered are tried again, and have no record in the archive', async () => {
  const crashed = { ...APP, [route('two')]: { state: 'crashed' as const } };
  const world = await crawl(crashed, { maxAttempts: 2 });
  expect(world.states[route('two')]).toBe('failed');
  expect((await recordOf(world.engine, route('two')))?.result?.cause).toMatchObject({ code: 'notRendered' });
  expect(world.jobs.filter(({ url }) => url === route('two'))).toHaveLength(2);
  expect((await recordsOf(world)).filter((line) => line.includes('#/two'))).toEqual([]);
  expect(world.totals.pages).toBe(4);
});

test('that a crawl knows are left out where it does not render any more', async () => {
  const { states, fetcher } = await crawlToEnd(SITE, { seeds: [route('one'), `${A}/`] });
  expect(states).toEqual({ [route('one')]: 'skipped', [`${A}/`]: 'fetched' });
  expect(fetcher.count(`${A}/`)).toBe(1);
});

test('of docsify have no parameter for a place', () => {
  const given = [`${A}/#/a?id=install`, `${A}/#/a?x=1`, `${A}/#/a`, `${A}/#/`, `${A}/#/b`];
  const of = (isDocsify: boolean) => routesOf(given, { url: route('b'), isDocsify }, (url) => url);
  expect(of(true)).toEqual([route('a'), route('a?x=1')]);
  expect(of(false)).toEqual([route('a?id=install'), route('a?x=1'), route('a')]);
});
