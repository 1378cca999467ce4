import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openCrawl } from '../../api/index.ts';
import { createHarbour } from '../../examples/calendar/site.ts';
import { createMembersSite, type Logged } from '../../examples/login/site.ts';
import { createProxy } from '../../examples/proxy/proxy.ts';
import { createShop } from '../../examples/shop/site.ts';
import { crawlWith, listen, temporaryFolder } from './run-example.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test("the shop's prices become items, and those that are broken are counted", async () => {
  const server = createShop();
  const shop = await listen(server);
  const crawl = await crawlWith('shop', `${shop}/`, join(folder, 'shop'), ['--allow-private-addresses']);
  expect(crawl).toMatchObject({ code: 0, summary: { state: 'finished', pages: 10, errors: { onPage: 2 } } });
  const items = crawl.items().sort((a, b) => String(a.url).localeCompare(String(b.url)));
  expect(items).toEqual(
    [
      ['0', 'Garden chair', 49.9],
      ['1', 'Oak table & bench', 1299],
      ['2', 'Lamp', 19],
      ['4', 'Parasol', 89.5],
      ['6', 'Fire bowl', 75.25],
    ].map(([id, name, price]) => ({ url: `${shop}/product/${id}`, name, price, currency: 'EUR' })),
  );
  for (const id of [3, 5])
    expect(crawl.err).toContain(`${shop}/product/${id}: The item is not as its schema says: price: `);
  expect(crawl.err).toContain('10 pages, 2 of them without a good price\n');
});

test("calendars are read by the project's module: their links are followed, and one that is none has the reason", async () => {
  const site = await listen(createHarbour());
  const out = join(folder, 'calendar');
  const words = ['--allow-private-addresses', '--documents', '--search'];
  const crawl = await crawlWith('calendar', `${site}/`, out, words);
  const counts = { state: 'finished', pages: 6, hints: { unreadDocument: 1 } };
  // A page without a document is reported.
  expect(crawl).toMatchObject({ code: 1, summary: counts });
  expect(crawl.err).toContain(`${site}/old.ics has no document: the project's module: it is no calendar`);
  expect(crawl.summary.hookErrors).toMatchObject([
    { source: 'module', url: `${site}/old.ics`, message: 'it is no calendar' },
  ]);
  const titles = new Map(crawl.items().map(({ url, title }) => [String(url).slice(site.length), title]));
  expect(titles.get('/events.ics')).toBe('Events');
  expect([0, 1, 2].map((n) => titles.get(`/event/${n}`))).toEqual([
    'Harbour concert',
    'Open lighthouse',
    'Boat race',
  ]);
  const calendar = crawl.items().find(({ url }) => url === `${site}/events.ics`);
  expect(calendar?.markdown).toBe('- Harbour concert\n- Open lighthouse\n- Boat race');

  const documents = readFileSync(join(out, 'documents.jsonl'), 'utf8').trim().split('\n');
  const events = documents.map((line) => JSON.parse(line)).find(({ url }) => url === `${site}/events.ics`);
  expect(events).toMatchObject({ title: 'Events', markdown: calendar?.markdown });
  await using without = await openCrawl(out);
  const types = new Set<string>();
  for await (const { url } of without.documents()) types.add(extname(new URL(url).pathname));
  expect(types).toEqual(new Set(['']));
  const found = await without.search('lighthouse');
  expect(found.map(({ url }) => url)).toContain(`${site}/events.ics`);
});

test.each([
  ['one request at a time', []],
  ['with four, which share a login', ['--per-host', '4']],
])("the members' pages are crawled behind one login after the other, %s", async (_, words) => {
  const log: Logged[] = [];
  const server = createMembersSite((request) => log.push(request));
  const site = await listen(server);
  const out = join(folder, 'members');
  const crawl = await crawlWith('login', `${site}/`, out, ['--allow-private-addresses', ...words], {
    MEMBERS_HOST: new URL(site).host,
    MEMBERS_SECRET: '{"user":"reader","password":"secret"}',
  });
  expect(crawl).toMatchObject({ code: 0, summary: { state: 'finished', pages: 13 } });
  const titles = crawl.items().map(({ title }) => title);
  expect(titles.sort()).toEqual(Array.from({ length: 13 }, (_, i) => `Members' page ${i}`).sort());

  const logins = log.filter(({ method }) => method === 'POST');
  // The page on which a login ends counts for its session.
  expect(logins.map(({ status, logins }) => [status, logins])).toEqual(Array(logins.length).fill([303, 1]));
  expect(logins.length).toBeGreaterThanOrEqual(3);
  expect(logins.length).toBeLessThanOrEqual(5);
  const pages = log.filter(({ path }) => path === '/' || path.startsWith('/page/'));
  expect(new Set(pages.filter(({ status }) => status === 200).map(({ path }) => path)).size).toBe(13);
});

test('every request goes by the proxy, robots.txt and all', async () => {
  const asked: string[] = [];
  const agents = new Set<string | undefined>();
  const server = createProxy((url, userAgent) => {
    asked.push(url);
    agents.add(userAgent);
  });
  const proxy = await listen(server);
  const crawl = await crawlWith('proxy', 'http://shop.example/', join(folder, 'proxy'), [], {
    CRAWL_PROXY: proxy,
  });
  expect(crawl).toMatchObject({
    code: 0,
    summary: { state: 'finished', pages: 3, byStatus: { deniedByRobots: 1 } },
  });
  const pages = ['http://shop.example/', 'http://shop.example/a', 'http://shop.example/b'];
  expect(asked.sort()).toEqual([...pages, 'http://shop.example/robots.txt'].sort());
  expect([...agents]).toEqual(['ExampleCrawler/1.0 (+https://example.org/crawler)']);
  expect(crawl.items().sort((a, b) => (String(a.url) < String(b.url) ? -1 : 1))).toEqual(
    pages.map((url) => ({ url, title: url.slice('http://'.length) })),
  );
});
