import { afterEach, describe, expect, test } from 'vitest';
import { hostOf } from './canonical.ts';
import { checkLog } from './check.ts';
import { type Features, PLAIN } from './features.ts';
import { generateWeb, type WebOptions } from './graph.ts';
import { crawlNaively, type NaiveOptions } from './naive-crawler.ts';
import { type RunningWeb, startWeb } from './server.ts';
import { closure } from './truth.ts';

describe('a crawl of the served web', () => {
  let running: RunningWeb;
  afterEach(() => running.stop());

  test('by a plain crawler reaches exactly the closure, politely', async () => {
    running = await startWeb(generateWeb({ seed: 11, hosts: 12, pagesPerHost: 6 }));
    const { web, address, seeds, log } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    const isInScope = (url: string) => web.hosts.includes(hostOf(url));
    const states = await crawlNaively({ seeds, address, isInScope, delayMs: 3 });
    expect(checkLog(web, log, { truth, delayMs: 3 })).toEqual([]);
    for (const [url, { state, orState, minRequests }] of truth.urls)
      if (minRequests > 0 || state === 'deniedByRobots')
        expect([url, states.get(url)]).toEqual([url, states.get(url) === orState ? orState : state]);
    for (const url of states.keys()) expect(truth.urls.has(url), url).toBe(true);
  });

  test('over all hosts from one seed reaches exactly the closure', async () => {
    const options = {
      seed: 12,
      hosts: 12,
      pagesPerHost: 10,
      features: { ...PLAIN, robots: true, redirects: true },
    };
    running = await startWeb(generateWeb(options), { latencyMs: 1 });
    const { web, address, log } = running;
    const seeds = running.seeds.slice(0, 1);
    const truth = closure(web, { seeds, scope: 'any', robotsAgent: 'Strand' });
    expect(truth.outside.size).toBeGreaterThan(0);
    await crawlNaively({ seeds, address, isInScope: (url) => hostOf(url).endsWith(`.test:${running.port}`) });
    expect(checkLog(web, log, { truth })).toEqual([]);
  });

  const small: WebOptions = { seed: 13, hosts: 6, pagesPerHost: 8, features: { ...PLAIN, robots: true } };
  const featured = (features: Partial<Features>): WebOptions => ({
    ...small,
    hosts: 3,
    features: { ...PLAIN, ...features },
  });

  interface Wrong {
    readonly crawler: string;
    readonly behaviour: Partial<NaiveOptions>;
    readonly options?: WebOptions;
    /** The gap that the judge asks for, which all but one of these crawlers keep. */
    readonly delayMs?: number;
    readonly seeds?: number;
    /** Each occurs at least once, and no others do. */
    readonly said: readonly RegExp[];
  }
  const wrongs: readonly Wrong[] = [
    {
      crawler: 'ignores robots.txt',
      behaviour: { ignoresRobots: true },
      said: [/^forbidden by robots.txt: /, /^requested before robots.txt was known: /],
    },
    {
      crawler: 'fetches all twice',
      behaviour: { fetchesTwice: true, delayMs: 5 },
      delayMs: 5,
      said: [/^requested 2 times, 1 at most would be right: /],
    },
    {
      crawler: 'has two requests in flight at a host',
      behaviour: { perHost: 2 },
      said: [/^2 requests in flight at once, 1 at most would be right: /],
    },
    {
      crawler: 'goes too fast',
      behaviour: { delayMs: 5 },
      delayMs: 50,
      said: [/^requested \d+\.\d ms after the last response, 50 ms would be right: /],
    },
    {
      crawler: 'does not heed Crawl-delay',
      behaviour: { ignoresCrawlDelay: true },
      options: { ...small, features: { ...PLAIN, robots: true, crawlDelay: true } },
      said: [/^requested \d+\.\d ms after the last response, [25]0 ms would be right: /],
    },
    {
      crawler: 'requests what stands in comments and text files',
      behaviour: { readsAnything: true },
      options: featured({ decoys: true, types: true }),
      said: ['comment', 'script', 'textarea', 'text'].map(
        (how) => new RegExp(`it stands in a ${how}, which is no link$`),
      ),
    },
    {
      crawler: 'does not heed Retry-After',
      behaviour: { ignoresRetryAfter: true },
      options: featured({ retryAfter: true }),
      said: [/^requested \d+\.\d ms before its Retry-After was over: /],
    },
    {
      crawler: 'gives up at the first failure',
      behaviour: { maxAttempts: 1 },
      options: featured({ errors: true }),
      said: [
        /^given up after 1 of [23] requests: .*passing-503$/,
        /^given up after 1 of [23] requests: .*passing-500$/,
      ],
    },
    { crawler: 'does nothing', behaviour: { isInScope: () => false }, said: [/^never requested: /] },
    {
      crawler: 'leaves its scope',
      behaviour: { isInScope: () => true },
      options: featured({}),
      seeds: 1,
      said: [/^must not be requested: .*: it is out of scope$/, /: nothing in the crawl links to it$/],
    },
  ];

  test.each(wrongs)('by a crawler that $crawler is seen to be wrong', async (wrong) => {
    running = await startWeb(generateWeb(wrong.options ?? small));
    const { web, address, log } = running;
    const seeds = running.seeds.slice(0, wrong.seeds);
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    const isInScope = (url: string) => web.hosts.includes(hostOf(url));
    await crawlNaively({ seeds, address, isInScope, ...wrong.behaviour });
    const found = checkLog(web, log, { truth, delayMs: wrong.delayMs });
    for (const pattern of wrong.said)
      expect(
        found.some((line) => pattern.test(line)),
        `${pattern}`,
      ).toBe(true);
    expect(found.filter((line) => !wrong.said.some((pattern) => pattern.test(line)))).toEqual([]);
  });
});
