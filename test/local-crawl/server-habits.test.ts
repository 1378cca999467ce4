/** Whole crawls of hosts each of which answers in a way of its own: pages, robots.txt and sitemap alike. */
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { causeText } from '../../shared/core/causes/cause-text.ts';
import { BROKEN_HABITS, HABITS, type Habit, UNREADABLE_HABITS } from '../crawler/fetcher/server-habits.ts';
import { crawlWeb, recordsOf, temporaryFolder } from './local-crawl.ts';

const ADDRESS = '127.78.0.141';
/** More than a host may fail. */
const PAGES = ['/', '/1', '/2', '/3', '/4', '/5', '/6', '/listed'];
const TEXT = 'a word '.repeat(50);

interface Site extends Habit {
  readonly host: string;
  /** Its robots.txt and sitemap are sent without the habit. */
  readonly hasPlainRobots?: boolean;
}
const named = (habits: readonly Habit[], kind: string, more: Partial<Site> = {}): Site[] =>
  habits.map((habit, i) => ({ ...habit, ...more, host: `${kind}${i}.test` }));
const WHOLE = named(HABITS, 'whole');
const BROKEN = named(BROKEN_HABITS, 'broken');
const UNREADABLE = named(UNREADABLE_HABITS, 'unreadable', { hasPlainRobots: true });
const SITES = new Map([...WHOLE, ...BROKEN, ...UNREADABLE].map((site) => [site.host, site]));

let server: Server;
let port: number;
let place: ReturnType<typeof temporaryFolder>;
/** Requests by host and path. */
const asked = new Map<string, number>();
let found: Awaited<ReturnType<typeof recordsOf>>;

function bodyOf(origin: string, path: string): string {
  const links = [...PAGES.slice(0, -1), '/private'].map((to) => `<a href="${to}">x</a>`).join('');
  if (path === '/robots.txt')
    return `Sitemap: ${origin}/map.xml\nUser-agent: *\nDisallow: /private\n# ${TEXT}`;
  if (path === '/map.xml') return `<urlset><url><loc>${origin}/listed</loc></url></urlset><!-- ${TEXT} -->`;
  return `<!doctype html><title>${path}</title><p>${TEXT}</p>${links}<p>${TEXT}</p><!-- ${TEXT} -->`;
}

function answer(head: string): { bytes: string; keeps: boolean } {
  const path = head.split(' ')[1] as string;
  const name = /^host: (.*)$/im.exec(head)?.[1] as string;
  const site = SITES.get(name.split(':')[0] as string) as Site;
  const key = `${site.host}${path}`;
  asked.set(key, (asked.get(key) ?? 0) + 1);
  const body = bodyOf(`http://${name}`, path);
  const isPlain = site.hasPlainRobots && !PAGES.includes(path);
  const bytes = isPlain
    ? `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    : site.send(body);
  return { bytes, keeps: isPlain || site.keeps === true };
}

beforeAll(async () => {
  server = createServer((socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      head += data.toString('latin1');
      // A request on its way when the connection was closed is sent again.
      if (!head.endsWith('\r\n\r\n') || socket.writableEnded) return;
      const { bytes, keeps } = answer(head);
      head = '';
      socket.write(bytes, 'latin1');
      if (!keeps) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  port = (server.address() as { port: number }).port;
  place = temporaryFolder();
  const seeds = [...SITES.keys()].map((host) => `http://${host}:${port}/`);
  await crawlWeb(place.folder, { address: ADDRESS } as never, { maxHostFailures: 5 }, seeds);
  found = await recordsOf(place.folder);
}, 300_000);
afterAll(() => {
  server?.close();
  place?.remove();
});

/** States of the host's pages, with the cause, and how often each was requested. */
const pagesOf = ({ host }: Site) =>
  PAGES.map((path) => {
    const { state, result } = found.records.get(`http://${host}:${port}${path}`) ?? {};
    const cause = result?.cause && causeText(result.cause);
    return { path, state, ...(cause !== undefined && { cause }), asked: asked.get(host + path) };
  });
const expectRulesObeyed = ({ host }: Site) => {
  expect(asked.get(`${host}/private`)).toBeUndefined();
  expect([...found.setAside.keys()].filter((key) => key.includes(host))).toEqual([]);
};

describe('a host is crawled whole, with one request for each page, whose every answer has', () => {
  test.each(WHOLE)('$name', (site) => {
    expect(pagesOf(site)).toEqual(PAGES.map((path) => ({ path, state: 'fetched', asked: 1 })));
    expect(asked.get(`${site.host}/robots.txt`)).toBe(1);
    expectRulesObeyed(site);
  });
});

describe('a host is crawled whole, with three requests for each page, if each body breaks off at the same byte:', () => {
  test.each(BROKEN)('$name', (site) => {
    const cause = 'the body broke off (disconnect)';
    expect(pagesOf(site)).toEqual(PAGES.map((path) => ({ path, state: 'fetched', cause, asked: 3 })));
    expect(asked.get(`${site.host}/robots.txt`)).toBe(2);
    expectRulesObeyed(site);
  });
});

describe('pages of which no byte can be read fail, and each is asked for three times:', () => {
  test.each(UNREADABLE)('$name', (site) => {
    const [first, ...others] = pagesOf(site).filter(({ path }) => ['/', '/listed'].includes(path));
    for (const page of [first, ...others]) {
      expect(page).toMatchObject({ state: 'failed', asked: 3 });
      expect(page?.cause).toMatch(
        /^(the body's chunks cannot be read: expected the size of a chunk, got "|the connection ended within the body$)/,
      );
    }
    expectRulesObeyed(site);
  });
});
