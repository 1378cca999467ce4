/** Crawls that render pages, by a renderer that fails at random, in processes that fail at random places. */
import { expect, test } from 'vitest';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { tableRenderer } from '../turn/render/table-renderer.ts';
import { inRandomWorlds, runRounds, type UpTo } from './random-worlds.ts';
import { type LoggedRequest, page, robots, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, createWorld, ledgersOf, type Process, SILENT, startProcess } from './world.ts';

const WORLDS = 40;
const FAULTY_ROUNDS = 5;
const CALLS = 150;
const HOSTS = ['http://a.test', 'http://b.test', 'http://c.test'];
const API = 'http://api.test';
const PAGES = [0, 1, 2, 3, 4];
const APP = '<title>App</title><div id=root></div><script src=/app.js></script>';

/** Pages of which the odd ones are empty until they are rendered; each leads to the next one and to the next host. */
const linksOf = (host: number, n: number) => [
  `${HOSTS[host]}/${(n + 1) % PAGES.length}`,
  `${HOSTS[(host + 1) % HOSTS.length]}/${n}`,
];
const urls = HOSTS.flatMap((_, host) => PAGES.map((n) => ({ host, n, url: `${HOSTS[host]}/${n}` })));

const SITE: Site = {
  ...Object.fromEntries(HOSTS.map((host) => [`${host}/robots.txt`, robots('User-agent: *\nAllow: /')])),
  ...Object.fromEntries(HOSTS.map((host) => [`${host}/app.js`, { body: 'x' }])),
  [`${API}/robots.txt`]: robots('User-agent: *\nDisallow: /secret'),
  [`${API}/busy`]: { status: 503 },
  ...Object.fromEntries([1, 2, 3].map((i) => [`${API}/${i}`, { body: '{}' }])),
  ...Object.fromEntries(
    urls.map(({ host, n, url }) => [url, n % 2 ? { body: APP } : page(...linksOf(host, n))]),
  ),
};
const isPart = ({ url }: Pick<LoggedRequest, 'url'>) => url.endsWith('/app.js') || url.startsWith(API);
const isPage = ({ url }: Pick<LoggedRequest, 'url'>) => /\/\d$/.test(url) && !isPart({ url });

async function crawl(upTo: UpTo): Promise<void> {
  const hooked: string[] = [];
  const hooks = {
    ...SILENT,
    onPage: async ({ url }: { readonly url: string }) => {
      hooked.push(url);
      return { items: [] };
    },
  };
  const world = createWorld(SITE, { leaseMs: 120_000, parcelLeaseMs: 60_000 });
  const { engine, fetcher } = world;
  const delayMs = 500 + upTo(3000);
  const config = {
    delayMs,
    turnMaxPages: 1 + upTo(4),
    totalTimeoutMs: 10_000,
    scope: 'any' as const,
    render: 'always' as const,
  };
  await begin(world, [`${HOSTS[0]}/0`], config);
  /** Requests of each process. */
  const logs: LoggedRequest[][] = [];

  function start(served: Engine, isFaulty: boolean): Process {
    const own: LoggedRequest[] = [];
    logs.push(own);
    const noting: Fetcher = {
      ...fetcher,
      async fetch(request) {
        const outcome = fetcher.fetch(request);
        own.push(fetcher.log.at(-1)!);
        return outcome;
      },
    };
    const { rendering } = tableRenderer(
      Object.fromEntries(
        urls.map(({ host, n, url }) => [
          url,
          () => {
            const requests = [
              [`${HOSTS[host]}/app.js`],
              [
                `${API}/1`,
                `${API}/2`,
                `${API}/secret`,
                ...(upTo(9) === 0 ? [`${API}/busy`] : []),
                `${API}/3`,
              ],
            ];
            if (isFaulty && upTo(4) === 0) return { state: 'crashed' as const, requests };
            const links =
              n % 2
                ? linksOf(host, n)
                    .map((link) => `<a href="${link}">x</a>`)
                    .join('')
                : undefined;
            return { requests, ...(links !== undefined && { html: `<main>${links}</main>` }) };
          },
        ]),
      ),
      2,
    );
    return startProcess(served, noting, { hooks, rendering });
  }

  await runRounds(world, upTo, { faulty: FAULTY_ROUNDS, calls: CALLS }, start);

  const hosts = await ledgersOf(engine);
  const known = [...hosts.values()].flatMap(({ records }) => [...records.values()]);
  const { pages, urls: states, hooks: called } = await engine.registry.totals(CRAWL);
  expect(states.waiting, 'waiting').toBe(0);
  expect(pages, 'pages').toBe(states.fetched);
  for (const { state, url, result } of known) {
    if (state === 'failed') expect(result?.cause, url).toMatchObject({ code: 'workerDied' });
    else expect(state, url).toBe('fetched');
    const isKept = result?.cause === undefined || result.cause.code === 'notRendered' || state === 'failed';
    expect(isKept, `${url} has the cause ${result?.cause?.code}`).toBe(true);
  }
  expect(
    [...hosts.keys()].filter((host) => host === 'api.test'),
    'hosts',
  ).toEqual([]);
  // The links of a page that was not rendered may be known by other pages alone.
  if (known.every(({ result }) => result?.cause === undefined))
    expect(known.length, 'known').toBe(urls.length);
  expect(called?.pages ?? 0, 'pages with hooks').toBe(states.fetched);
  expect(new Set(hooked).size, 'hooked').toBeGreaterThanOrEqual(states.fetched);
  checkPace(fetcher.log, delayMs);
  for (const log of logs) checkOther(log.filter(({ host }) => host === 'api.test'));
}

/** After a page's request, and the parts of it, the next page of the host waits. */
function checkPace(log: readonly LoggedRequest[], delayMs: number): void {
  for (const host of ['a.test', 'b.test', 'c.test']) {
    const own = log.filter((request) => request.host === host).sort((a, b) => a.startedAt - b.startedAt);
    for (const [i, request] of own.entries()) {
      if (!isPage(request)) continue;
      for (const before of own.slice(0, i))
        expect(
          request.startedAt - before.endedAt,
          `${before.url}, then ${request.url}`,
        ).toBeGreaterThanOrEqual(delayMs);
    }
    expect(own.filter(({ url }) => url.endsWith('/app.js')).length).toBeLessThanOrEqual(
      own.filter(isPage).length,
    );
  }
}

function checkOther(log: readonly LoggedRequest[]): void {
  for (const [i, { startedAt, url }] of log.slice(1).entries())
    expect(startedAt - log[i]!.endedAt, url).toBeGreaterThanOrEqual(200);
  expect(log.some(({ url }) => url.endsWith('/secret'))).toBe(false);
  for (const [i, { url, endedAt }] of log.entries())
    if (url.endsWith('/busy'))
      for (const next of log.slice(i + 1)) expect(next.startedAt - endedAt).toBeGreaterThanOrEqual(60_000);
}

test(`in ${WORLDS} random worlds no page is lost by rendering, and its requests keep their bounds`, async () => {
  await inRandomWorlds(WORLDS, crawl);
});
