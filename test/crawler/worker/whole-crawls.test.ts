/** Crawls of a small web: each request with its time, and a hash of the heads and records in the end and of all that was counted and reported. */
import { expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { openGolden, textOf } from '../../golden.ts';
import { T0 } from './fake-clock.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import {
  areQuiet,
  begin,
  CRAWL,
  createWorld,
  ledgersOf,
  SILENT,
  startProcess,
  type WorldOptions,
} from './world.ts';

const golden = openGolden('whole-crawls.txt', import.meta.url);

const words = (n: number) =>
  `The ${n} ships of the harbour came ${n} days late, with ${n * 7} barrels of wine.`;
const article = (n: number, ...links: string[]) => ({
  body: `<html lang="en"><title>${n}</title><main><p>${words(n).repeat(4)}</p></main>${page(...links).body}</html>`,
});
const SITE: Site = {
  'http://a.test/robots.txt': robots('User-agent: *\nCrawl-delay: 1\nDisallow: /no\n'),
  'http://a.test/': page(
    '/1',
    '/2',
    '/no',
    'http://b.test/',
    'http://www.a.test/',
    'http://down.test/',
    'http://far.test/',
  ),
  'http://a.test/1': article(1, '/2', '/3?s=1', '/3?s=2', 'http://b.test/1'),
  'http://a.test/2': article(2, '/1', '/4', 'http://b.test/'),
  'http://a.test/3?s=1': article(3, '/3?s=3'),
  'http://a.test/3?s=2': article(3, '/3?s=4'),
  'http://a.test/3?s=3': article(3),
  'http://a.test/4': (before) => (before === 0 ? { status: 503 } : article(4)),
  'http://b.test/': page('/1', '/2', 'http://a.test/1', 'http://c.test/'),
  'http://b.test/1': article(5, '/2'),
  'http://b.test/2': redirect('http://c.test/moved'),
  'http://c.test/robots.txt': redirect('http://a.test/robots.txt'),
  'http://c.test/': article(6, 'http://b.test/2'),
  'http://c.test/moved': (before) => article(7 + before),
  'http://www.a.test/robots.txt': { status: 404 },
  'http://www.a.test/': redirect('http://a.test/'),
  'http://down.test/robots.txt': { fails: 'connect' },
  'http://far.test/robots.txt': { fails: 'dns' },
};

/** So small that a few pages take each way. */
const SMALL: Sizes = {
  ...SIZES,
  ...{ maxSegments: 2, maxSegmentRecords: 2, maxFreshRecords: 2, runRatio: 2, maxRunUrls: 6 },
  ...{ blockRecords: 2, readAheadBytes: 30, maxHeadRules: 4, maxTurnChanges: 3, maxWithoutRequest: 1 },
  ...{ linksAtOnce: 2, maxParcelLinks: 2, maxMessageLinks: 2, ledgerCacheBytes: 0, maxIdleLanes: 1 },
  ...{ wakeBatch: 1, dueSlack: 0, minProbeUrls: 3 },
};

interface Story {
  readonly config?: CrawlOptions;
  readonly site?: Site;
  readonly seeds?: readonly string[];
  readonly sizes?: Sizes;
  readonly options?: WorldOptions;
  /** Ends after that time. Default: when nothing is left to do, after an hour at most. */
  readonly minutes?: number;
  /** Hosts that the worker serves at once. */
  readonly hosts?: number;
}

const STORIES: Readonly<Record<string, Story>> = {
  'a crawl of its seeds’ hosts': { config: { scope: 'host' } },
  'a crawl of a domain': { config: { scope: 'domain' } },
  'a crawl of any host': { config: { scope: 'any' } },
  'a crawl of any host, in which all is small': { config: { scope: 'any' }, sizes: SMALL },
  'a crawl by a worker of one host': { config: { scope: 'any', turnMaxPages: 2 }, hosts: 1 },
  'a crawl of few pages': { config: { scope: 'any', maxPages: 4 } },
  'a crawl of a short time': { config: { scope: 'any', maxTimeMs: 6000 } },
  'a crawl of few bytes': { config: { scope: 'any', maxBytes: 3000 } },
  'a crawl of some bytes a second': { config: { scope: 'any', maxBytesPerSecond: 500 } },
  'a crawl of two pages of each domain': {
    config: { scope: 'any', domainBudget: 2, domainBudgetEveryMs: 600_000 },
    minutes: 15,
  },
  'a crawl of one host of each domain': { config: { scope: 'any', maxHostsPerDomain: 1 }, minutes: 5 },
  'a crawl by what links are worth': { config: { scope: 'any', domainBudget: 'links:2' }, minutes: 5 },
  'a crawl that looks for traps': {
    config: { scope: 'any', trapAfterPages: 2, trapMinNew: 0.9 },
    sizes: { ...SIZES, minTrapPages: 2, minTextPages: 0, minTrapWindow: 1, maxTrapWindow: 3 },
  },
  'a crawl that looks for pages that say there is no page': {
    config: { scope: 'any' },
    site: { ...SITE, ...Object.fromEntries([0, 1, 2].map((n) => [`http://b.test/x${n}`, article(99)])) },
    sizes: { ...SIZES, minProbeUrls: 2 },
  },
  'a crawl that adapts its pace': {
    config: { scope: 'any', adaptive: true, delayMs: 10 },
    options: { tookMs: 300 },
  },
  'a crawl with several requests to a host at once': {
    config: { scope: 'any', perHost: 3, robots: 'ignore' },
  },
  'a crawl that keeps trying': { config: { scope: 'any', keepTrying: true, maxHostFailures: 3 } },
  'a crawl whose hosts have hours': {
    config: { scope: 'any', overrides: [{ hosts: ['b.test'], hours: '00:20-00:40', timeZone: 'UTC' }] },
  },
  'a crawl that recrawls what changes': {
    config: { scope: 'any', recrawl: 'changes', recrawlPerDay: 2000, changeFeed: true },
    minutes: 90,
  },
  'a crawl that recrawls for fresh copies': {
    config: { scope: 'any', recrawl: 'freshness', recrawlPerDay: 500 },
    minutes: 60,
  },
  'a crawl that recrawls each hour': { config: { scope: 'any', recrawlEveryMs: 3_600_000 }, minutes: 150 },
  'a crawl with hooks': {
    config: { scope: 'any' },
    options: {
      hooks: {
        ...SILENT,
        onPage: async ({ url, depth }) => ({ items: [JSON.stringify({ url, depth })], importance: 3 }),
      },
    },
  },
};

/** A head without what a new one has, too, and without names that are drawn. */
function shownHead(head: Head): object {
  const fields = Object.entries(head).filter(
    ([name, value]) => name !== 'token' && textOf(value) !== textOf(NEW_HEAD[name as keyof Head]),
  );
  return Object.fromEntries(fields);
}

async function linesOf({
  config,
  site = SITE,
  seeds = ['http://a.test/'],
  sizes,
  options,
  minutes,
  hosts,
}: Story) {
  const reported: unknown[] = [];
  const world = createWorld(site, {
    ...options,
    onSeed: (event) => void reported.push(event),
    onEvent: (event) => void reported.push(event),
  });
  const { clock, engine, fetcher } = world;
  let ids = 0;
  clock.uuid = () => `id-${++ids}`;
  if (sizes) Object.assign(engine, { sizes });
  await begin(world, seeds, { delayMs: 500, ...config });
  // In a long crawl the waker looks seldom.
  const wakerMs = minutes !== undefined && minutes >= 60 ? 600_000 : 60_000;
  const { hooks, onSeed, onEvent } = world;
  const process = startProcess(engine, fetcher, { maxHosts: hosts, hooks, onSeed, onEvent, wakerMs });
  const endsAt = T0 + (minutes ?? 60) * 60_000;
  await clock.drive(
    process.ended,
    async () => clock.now() >= endsAt || (minutes === undefined && (await areQuiet(engine))),
  );
  process.stop();
  await clock.drive(process.ended);
  const { status, why } = (await engine.registry.load(CRAWL)) ?? {};
  const lines = [`ends ${clock.now() - T0} ${status} ${why?.text ?? ''}`, ...process.errors];
  for (const { url, startedAt, endedAt } of fetcher.log)
    lines.push(`${startedAt - T0} ${endedAt - startedAt} ${url}`);
  for (const event of reported) lines.push(`event ${textOf(event)}`);
  for await (const { host, head } of engine.ledgers.hosts(CRAWL))
    lines.push(`head ${host} ${textOf(shownHead(head))}`);
  for (const [host, { records }] of await ledgersOf(engine))
    for (const record of [...records.values()].sort((a, b) => (a.url < b.url ? -1 : 1)))
      lines.push(`record ${host} ${textOf(record)}`);
  lines.push(`totals ${textOf(await engine.registry.totals(CRAWL))}`);
  lines.push(`stats ${textOf(process.worker.stats)}`);
  // Compressed records are not as long on each machine.
  return lines.map((line) => line.replace(/"(offset|length)":\d+/g, '"$1":N'));
}

test.each(Object.entries(STORIES))('%s', async (name, story) => {
  const lines = await linesOf(story);
  golden.compare(
    name,
    lines,
    lines.filter((line) => /^(ends |\d)/.test(line)),
  );
});

test('the file has no lines of other crawls', () => {
  expect(golden.names().toSorted()).toEqual(Object.keys(STORIES).toSorted());
});
