/** Pages that a crawl renders, in a world whose renderer is a table. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { scanMembers } from '../../../../shared/core/archive/scan-members.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { createRendering } from '../../../../shared/crawler/turn/render/rendering.ts';
import { page, robots, type Site } from '../../worker/scripted-fetcher.ts';
import {
  begin,
  CRAWL,
  crawlToEnd,
  createWorld,
  ledgersOf,
  recordOf,
  SILENT,
  said,
  startProcess,
  type World,
  type WorldOptions,
} from '../../worker/world.ts';
import { type DrawnPage, type TableRenderer, tableRenderer } from './table-renderer.ts';

const A = 'http://a.test';
const API = 'http://api.test';
const SHELL = '<title>App</title><div id=root></div><script src=/app.js></script>';
const drawn = (...links: string[]) =>
  `<title>Drawn</title><main>${'word '.repeat(60)}${links.map((url) => `<a href="${url}">x</a>`).join('')}</main>`;
const SITE: Site = {
  [`${A}/`]: { body: SHELL },
  [`${A}/app.js`]: { body: 'x', headers: { 'Content-Type': 'text/javascript' } },
  [`${A}/data`]: { body: '{}', headers: { 'Content-Type': 'application/json' } },
  [`${A}/1`]: page(),
};

const crawl = (
  renderer: TableRenderer,
  { site = SITE, hooks, ...config }: CrawlOptions & Pick<WorldOptions, 'hooks'> & { site?: Site } = {},
) => crawlToEnd(site, { render: 'always', ...config }, { rendering: renderer.rendering, hooks });

/** Types and targets of the WARC records, in their order. */
async function recordsOf({ engine }: World): Promise<string[][]> {
  const bytes = engine.archiveOf(CRAWL).bytes();
  const found: string[][] = [];
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  for await (const { record } of scanMembers(read as never))
    found.push(
      ['WARC-Type', 'WARC-Target-URI', 'WARC-Record-ID', 'WARC-Concurrent-To', 'WARC-Refers-To'].map((name) =>
        record.fields
          .filter(([given]) => given === name)
          .map(([, value]) => value)
          .join(' '),
      ),
    );
  return found;
}

describe('a page that is rendered', () => {
  test('shares its scripts with the pages of all workers that its process is, one after the other', async () => {
    const renderer = tableRenderer({ [`${A}/`]: { requests: [[`${A}/app.js`]] } });
    const worlds = [await crawl(renderer), await crawl(renderer)];
    const scripts = worlds.map(
      ({ fetcher }) => fetcher.log.filter(({ url }) => url === `${A}/app.js`).length,
    );
    expect(scripts).toEqual([1, 0]);
  });

  test('gets no cookie of a script that an earlier page has requested', async () => {
    const given: string[][] = [];
    const site: Site = {
      ...SITE,
      [`${A}/`]: { body: `${SHELL}<a href=/1>1</a>` },
      [`${A}/1`]: { body: SHELL },
      [`${A}/app.js`]: {
        body: 'x',
        headers: { 'Set-Cookie': 'sid=1', 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT' },
      },
    };
    const table = tableRenderer({});
    const renderer = {
      ...table,
      rendering: createRendering({
        renderer: {
          async render(job, fetchPart) {
            const part = { url: `${A}/app.js`, method: 'GET', headers: {}, kind: 'script' } as const;
            const answer = await fetchPart({ ...part, documentUrl: job.url });
            if (answer.status === 'response') given.push(answer.headers.map(([name]) => name.toLowerCase()));
            return {
              ...{ state: 'rendered', html: Buffer.from(job.document.body).toString(), cookies: [] },
              ...{ links: [`${A}/1`], used: { requests: 1, bytes: 1, ms: 1, cpuMs: 1 } },
            };
          },
        },
        pagesAtOnce: 1,
      }),
    };
    await crawl(renderer, { site, hostCookies: 'turn' });
    expect(given.map((names) => names.includes('set-cookie'))).toEqual([true, false]);
    expect(given[1]).toContain('last-modified');
  });

  test('sends a cookie of its host once, with the value that its scripts have given it', async () => {
    const sent: (string | undefined)[] = [];
    const site: Site = {
      [`${A}/`]: { body: SHELL, headers: { 'Set-Cookie': 'a=1; Path=/' } },
      [`${A}/data`]: (_, { headers = {} }) => {
        sent.push(headers.Cookie);
        return { body: '{}' };
      },
    };
    const renderer = tableRenderer({ [`${A}/`]: { requests: [[`${A}/data`]], cookie: 'a=0; b=2;c' } });
    await crawl(renderer, { site, hostCookies: 'turn' });
    expect(sent).toEqual(['a=0; b=2; c']);
  });

  test('gives its links, its title and its text as the browser shows them', async () => {
    const seen: string[] = [];
    const hooks = {
      ...SILENT,
      onPage: async ({ url, response, facts }: Parameters<typeof SILENT.onPage>[0]) => {
        seen.push(`${url} ${facts.title} ${Buffer.from(await response.body.bytes()).includes('word')}`);
        return { items: [] };
      },
    };
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn('/1'), links: [`${A}/2`] } });
    const { states, fetcher } = await crawl(renderer, { hooks });
    expect(states).toMatchObject({ [`${A}/1`]: 'fetched', [`${A}/2`]: 'gone' });
    expect(fetcher.count(`${A}/`)).toBe(1);
    expect(seen).toEqual([`${A}/ Drawn true`, `${A}/1 undefined false`]);
  });

  test('gives the browser its decoded content with the head of the response', async () => {
    const site = {
      ...SITE,
      [`${A}/`]: { body: gzipSync(SHELL), headers: { 'Content-Encoding': 'gzip', 'X-A': '1' } },
    };
    const renderer = tableRenderer({});
    await crawl(renderer, { site, userAgent: 'Test' });
    const [job] = renderer.jobs;
    expect(Buffer.from(job!.document.body).toString()).toBe(SHELL);
    expect(job!.document.headers).toContainEqual(['X-A', '1']);
    expect(job!.userAgent).toBe('Test');
  });

  test('is rendered by the setting of its host', async () => {
    const renderer = tableRenderer({});
    await crawl(renderer, { render: 'never', overrides: [{ hosts: ['a.test'], render: 'always' }] });
    await crawl(renderer, { render: 'always', overrides: [{ hosts: ['a.test'], render: 'never' }] });
    expect(renderer.jobs.map(({ url }) => url)).toEqual([`${A}/`]);
  });

  test('is HTML that is there, and not a redirect of the markup', async () => {
    const site: Site = {
      [`${A}/`]: page('/gone', '/text', '/refresh', '/empty'),
      [`${A}/text`]: { body: 'x', headers: { 'Content-Type': 'text/plain' } },
      [`${A}/refresh`]: { body: '<meta http-equiv=refresh content="0;url=/"><p>x' },
      [`${A}/empty`]: { body: '' },
    };
    const renderer = tableRenderer({});
    await crawl(renderer, { site });
    expect(renderer.jobs.map(({ url }) => url)).toEqual([`${A}/`]);
  });

  test('is a redirect if its script leads elsewhere at once', async () => {
    const { states } = await crawl(tableRenderer({ [`${A}/`]: { html: '<p>', navigatedTo: `${A}/1` } }));
    expect(states).toMatchObject({ [`${A}/`]: 'redirect', [`${A}/1`]: 'fetched' });
  });

  test('obeys directives of its markup and of its rendered form', async () => {
    const nofollow = '<meta name=robots content=nofollow>';
    const site = { ...SITE, [`${A}/`]: { body: `${nofollow}${SHELL}` } };
    const first = await crawl(tableRenderer({ [`${A}/`]: { html: drawn('/1') } }), { site });
    const second = await crawl(tableRenderer({ [`${A}/`]: { html: `${nofollow}${drawn('/1')}` } }));
    for (const { states } of [first, second]) expect(Object.keys(states)).toEqual([`${A}/`]);
  });

  test.each(['timedOut', 'crashed', 'tooLarge', 'noBrowser'] as const)(
    'keeps what its site sent if it is %s',
    async (state) => {
      const site = { ...SITE, [`${A}/`]: { body: `${SHELL}<a href=/1>1</a>` } };
      const { states, engine, totals } = await crawl(tableRenderer({ [`${A}/`]: { state } }), { site });
      expect(states).toEqual({ [`${A}/`]: 'fetched', [`${A}/1`]: 'fetched' });
      expect((await recordOf(engine, `${A}/`))!.result!.cause).toEqual({
        code: 'notRendered',
        reason: state,
      });
      expect(said(await recordOf(engine, `${A}/`))).toMatch(/^it was not rendered: /);
      expect(totals.render).toMatchObject({ failed: 1, pages: 1 });
    },
  );
});

describe('requests of a page', () => {
  test('are made, archived with it and counted', async () => {
    const requests = [[`${A}/app.js`], [`${A}/data`, `POST ${A}/data`]];
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn(), requests } });
    const world = await crawl(renderer, { metadata: false, robots: 'ignore' });
    expect([...renderer.answers.values()]).toEqual([200, 200, 200]);
    const records = await recordsOf(world);
    expect(records.map(([type, url]) => `${type} ${url}`)).toEqual(
      ['/', '/app.js', '/data', '/data']
        .flatMap((path) => [`response ${A}${path}`, `request ${A}${path}`])
        .toSpliced(2, 0, `conversion ${A}/`),
    );
    const [page, request, , ...rest] = records as [string[], string[], string[], ...string[][]];
    expect(page[3]).toBe(request[2]);
    for (const [i, record] of rest.entries())
      expect(record[3]).toBe(i % 2 === 0 ? `${rest[i + 1]![2]} ${page[2]}` : rest[i - 1]![2]);
    expect(world.totals).toMatchObject({ requests: 4, render: { requests: 3, pages: 1 } });
  });

  test('to the own host are at most two at once, and the next page waits longer for each', async () => {
    const requests = [Array.from({ length: 10 }, (_, i) => `${A}/data?${i}`)];
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn('/1'), requests } });
    const { fetcher } = await crawl(renderer, { delayMs: 1000 });
    const parts = fetcher.log.filter(({ url }) => url.includes('/data?'));
    const atOnce = parts.map(
      (one) =>
        parts.filter((other) => other.startedAt <= one.startedAt && other.endedAt > one.startedAt).length,
    );
    expect(Math.max(...atOnce)).toBe(2);
    const next = fetcher.log.find(({ url }) => url === `${A}/1`)!;
    expect(next.startedAt - parts.at(-1)!.endedAt).toBeGreaterThanOrEqual(2000);
  });

  test('obey robots.txt of their host', async () => {
    const site: Site = {
      ...SITE,
      [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /data'),
      [`${API}/robots.txt`]: robots('User-agent: *\nDisallow: /secret'),
      [`${API}/open`]: { body: '{}' },
      [`${API}/secret`]: { body: '{}' },
    };
    const requests = [[`${A}/data`, `${A}/app.js`, `${API}/open`, `${API}/secret`]];
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn(), requests } });
    const { fetcher } = await crawl(renderer, { site });
    expect(Object.fromEntries(renderer.answers)).toEqual({
      [`${A}/data`]: 'robots.txt',
      [`${A}/app.js`]: 200,
      [`${API}/open`]: 200,
      [`${API}/secret`]: 'robots.txt of its host',
    });
    expect(fetcher.count(`${API}/robots.txt`)).toBe(1);
    expect(fetcher.log.filter(({ url }) => /data|secret/.test(url))).toEqual([]);
  });

  test('to another host are one at a time with a pause, at most 20 a page, and none after a refusal', async () => {
    const many = Array.from({ length: 30 }, (_, i) => `${API}/${i}`);
    const site: Site = { ...SITE, [`${API}/robots.txt`]: { status: 404 } };
    for (const url of many) (site as Record<string, object>)[url] = { body: '{}' };
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn(), requests: [many] } });
    const { fetcher } = await crawl(renderer, { site });
    const sent = fetcher.log.filter(({ host }) => host === 'api.test');
    expect(sent).toHaveLength(21);
    for (const [i, { startedAt }] of sent.slice(1).entries())
      expect(startedAt - sent[i]!.endedAt).toBeGreaterThanOrEqual(200);
    expect(
      [...renderer.answers.values()].filter((answer) => answer === 'too many requests to its host'),
    ).toHaveLength(10);

    const refusing = tableRenderer({
      [`${A}/`]: { html: drawn(), requests: [[`${API}/1`, `${API}/2`], [`${API}/3`]] },
    });
    const busy = { ...site, [`${API}/1`]: { status: 503 } };
    const { fetcher: asked } = await crawl(refusing, { site: busy });
    expect(asked.log.filter(({ host }) => host === 'api.test').map(({ url }) => url)).toEqual([
      `${API}/robots.txt`,
      `${API}/1`,
    ]);
  });

  test('end when its answers have 15 MB, also if it makes all at once', async () => {
    const large = { body: Buffer.alloc(4_000_000), headers: { 'Content-Type': 'image/png' } };
    const urls = (origin: string) => Array.from({ length: 15 }, (_, i) => `${origin}/${i}`);
    const all = [...urls(`${A}/own`), ...urls('http://other.test')];
    const site: Site = {
      [`${A}/`]: { body: SHELL },
      'http://other.test/robots.txt': robots(''),
      ...Object.fromEntries(all.map((url) => [url, large])),
    };
    const { fetcher } = await crawl(tableRenderer({ [`${A}/`]: { requests: [all] } }), { site });
    const made = fetcher.log.filter(({ url }) => all.includes(url)).length;
    // 15 MB, and what is in flight then.
    expect(made).toBeGreaterThanOrEqual(4);
    expect(made).toBeLessThanOrEqual(7);
  });

  test('to hosts that count visitors are not made', async () => {
    const url = 'https://www.google-analytics.com/collect';
    const renderer = tableRenderer({ [`${A}/`]: { html: drawn(), requests: [[url]] } });
    const { fetcher } = await crawl(renderer);
    expect(renderer.answers.get(url)).toBe('a host of measurement or advertising');
    expect(fetcher.count(url)).toBe(0);
  });

  test('for a script that another page has had are not made again', async () => {
    const requests = [[`${A}/app.js`]];
    const renderer = tableRenderer({
      [`${A}/`]: { html: drawn('/1'), requests },
      [`${A}/1`]: { html: drawn(), requests },
    });
    const { fetcher, totals } = await crawl(renderer);
    expect(renderer.answers.get(`${A}/app.js`)).toBe(200);
    expect([fetcher.count(`${A}/app.js`), totals.render?.requests]).toEqual([1, 1]);
  });

  test('for a script that may be of one visitor are made again, for files not', async () => {
    const requests = [[`${A}/me.js`], [`${A}/app.js`]];
    const renderer = tableRenderer({
      [`${A}/`]: { html: drawn('/1'), requests },
      [`${A}/1`]: { html: drawn(), requests },
    });
    const type = { 'Content-Type': 'text/javascript' };
    const site: Site = {
      ...SITE,
      [`${A}/`]: { body: SHELL, headers: { 'Set-Cookie': 'session=1; Path=/' } },
      [`${A}/me.js`]: { body: 'me = 1', headers: type },
      [`${A}/app.js`]: {
        body: 'x',
        headers: { ...type, 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT' },
      },
    };
    const { fetcher } = await crawl(renderer, { site, hostCookies: 'turn' });
    expect([fetcher.count(`${A}/me.js`), fetcher.count(`${A}/app.js`)]).toEqual([2, 1]);
  });
});

test.each([
  [{ keepRendered: false }, []],
  [{}, [`conversion ${A}/`]],
  [{ keepRendered: false, screenshots: true }, [`resource urn:screenshot:${A}/`]],
  [{ screenshots: true }, [`conversion ${A}/`, `resource urn:screenshot:${A}/`]],
])('with %j the archive has these forms of a page: %j', async (config, expected) => {
  const renderer = tableRenderer({ [`${A}/`]: { html: drawn(), screenshot: Uint8Array.of(1) } });
  const records = await recordsOf(await crawl(renderer, config));
  const page = records.find(([type, url]) => type === 'response' && url === `${A}/`)!;
  const forms = records.filter(([type]) => type === 'conversion' || type === 'resource');
  expect(forms.map(([type, url]) => `${type} ${url}`)).toEqual(expected);
  for (const form of forms) expect(`${form[3]}${form[4]}`).toBe(page[2]);
});

describe('a page is rendered where it is needed', () => {
  const list = Array.from({ length: 30 }, (_, i) => i);
  const served = { body: `<script></script>${drawn()}` };
  const app = (make: (n: number) => DrawnPage) =>
    tableRenderer(Object.fromEntries(list.map((n) => [`${A}/app/${n}`, make(n)])));
  const site: Site = {
    [`${A}/`]: page(...list.flatMap((n) => [`/app/${n}`, `/text/${n}`])),
    ...Object.fromEntries(
      list.flatMap((n) => [
        [`${A}/app/${n}`, { body: SHELL }],
        [`${A}/text/${n}`, served],
      ]),
    ),
  };

  test('by trials of its template, and the state of its host says so', async () => {
    const renderer = app((n) => ({ html: drawn(`/found/${n}`) }));
    const { states, totals, engine } = await crawl(renderer, { site, render: 'needed' });
    const count = (part: string) => renderer.jobs.filter(({ url }) => url.includes(part)).length;
    expect([count('/app/'), count('/text/')]).toEqual([30, 3]);
    expect(Object.keys(states).filter((url) => url.includes('/found/'))).toHaveLength(30);
    expect(totals.render).toMatchObject({ pages: 30, trials: 6 });
    expect((await ledgersOf(engine)).get('a.test')!.head.renderNeeds).toBeDefined();
  });

  test('but not where trials fail, and no page is lost', async () => {
    const renderer = app(() => ({ state: 'crashed' }));
    const { states, totals } = await crawl(renderer, { site, render: 'needed' });
    expect(totals.render).toMatchObject({ failed: 3 });
    expect(Object.values(states).filter((state) => state === 'fetched')).toHaveLength(61);
  });

  test('and routes behind # that a page has without its scripts are counted where it stays plain', async () => {
    const body = `<main>One moment</main><a href="#/one">1</a><a href="#/two">2</a><script></script>`;
    const site = { ...SITE, [`${A}/`]: { body } };
    const { totals, states } = await crawl(tableRenderer({}), { site, render: 'needed' });
    expect(totals.skipped).toEqual({ hashRoute: 2 });
    expect(Object.keys(states)).toEqual([`${A}/`]);
  });

  test('and a page without text whose scripts lead elsewhere at once is a redirect', async () => {
    const leads = (text: string) => ({ html: `<p>${text}`, navigatedTo: `${A}/1` });
    const of = async (text: string) => {
      const site = { ...SITE, [`${A}/`]: { body: `<p>${text}<script src=/app.js></script>` } };
      const { states } = await crawl(tableRenderer({ [`${A}/`]: leads(text) }), { site, render: 'needed' });
      return states;
    };
    expect(await of('One moment')).toEqual({ [`${A}/`]: 'redirect', [`${A}/1`]: 'fetched' });
    expect(await of('word '.repeat(60))).toEqual({ [`${A}/`]: 'fetched' });
  });

  test('and a page that gains nothing counts as its site sent it', async () => {
    const { totals } = await crawl(
      app(() => ({ html: SHELL })),
      { site, render: 'needed' },
    );
    expect(totals.render).toMatchObject({ trials: 6 });
    expect(totals.render?.pages).toBeUndefined();
    expect(totals.hints).toBeUndefined();
  });

  test('and a crawl that never renders keeps nothing of it', async () => {
    const renderer = tableRenderer({});
    const { totals, engine } = await crawl(renderer, { site, render: 'never' });
    expect([renderer.jobs.length, totals.render]).toEqual([0, undefined]);
    expect((await ledgersOf(engine)).get('a.test')!.head).not.toHaveProperty('renderNeeds');
  });
});

test('a rendered page is fetched in full when it is fetched again, and has changed if its rendered text has', async () => {
  let version = 1;
  const site = {
    ...SITE,
    [`${A}/`]: { body: SHELL, headers: { ETag: '"1"', 'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT' } },
  };
  const renderer = tableRenderer({
    [`${A}/`]: () => ({ html: `${drawn()}<p>version ${'abc'[Math.floor(version++ / 2)]}` }),
  });
  const { rendering } = renderer;
  const world = createWorld(site, { rendering });
  await begin(world, [`${A}/`], { render: 'always', recrawlEveryMs: 3_600_000 });
  const process = startProcess(world.engine, world.fetcher, { maxHosts: 9, rendering });
  await world.clock.drive(process.ended, () => renderer.jobs.length >= 4);
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors).toEqual([]);
  const { recrawl } = await world.engine.registry.totals(CRAWL);
  expect(recrawl?.notModified).toBeUndefined();
  expect(recrawl?.changed).toBeGreaterThan(0);
  expect(recrawl?.unchanged).toBeGreaterThan(0);
});

test('a page that is rendered from now on, or no longer, has not changed for that', async () => {
  const site = { [`${A}/`]: { body: '<title>T</title><p>Some words of the server<script></script>' } };
  const fails = { state: 'crashed' as const };
  let times = 0;
  const renderer = tableRenderer({
    [`${A}/`]: () => (++times % 2 === 0 ? fails : { html: drawn() }),
  });
  const { rendering } = renderer;
  const world = createWorld(site, { rendering });
  await begin(world, [`${A}/`], { render: 'always', recrawlEveryMs: 3_600_000 });
  const process = startProcess(world.engine, world.fetcher, { maxHosts: 9, rendering });
  await world.clock.drive(process.ended, () => renderer.jobs.length >= 4);
  process.stop();
  await world.clock.drive(process.ended);
  expect(process.errors).toEqual([]);
  const { recrawl } = await world.engine.registry.totals(CRAWL);
  expect(recrawl?.changed).toBeUndefined();
  expect(recrawl?.unchanged).toBeGreaterThanOrEqual(2);
});
