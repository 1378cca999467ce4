/** The calls of a stack's functions while they crawl, export, join and delete: how often, and a hash of all inputs. */
import { afterEach, expect, test } from 'vitest';
import { SIZES } from '../../shared/core/base/sizes.ts';
import { START_SMALL } from '../../shared/services/webhook/event-types.ts';
import { T0 } from '../crawler/worker/fake-clock.ts';
import { page, redirect, robots, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { openGolden, textOf, withoutSizes } from '../golden.ts';
import { deployFunctions, restoreCalls } from './deployed.ts';
import { eventFrom } from './fake-stack.ts';

afterEach(restoreCalls);

const golden = openGolden('whole-stack.txt', import.meta.url);
const SITE: Site = {
  'http://a.test/robots.txt': robots('User-agent: *\nDisallow: /secret\n'),
  'http://a.test/': page('/1', '/2', '/secret', 'http://b.test/', 'http://c.test/'),
  'http://a.test/1': page('/3'),
  'http://a.test/2': redirect('/1'),
  'http://a.test/3': { status: 503 },
  'http://b.test/': page('http://a.test/4'),
  'http://c.test/robots.txt': { fails: 'connect' },
  'http://c.test/': { fails: 'connect' },
};
const CONFIG = { contact: 'me@example.org', delayMs: 100, scope: 'any', retryMs: 1000, backoffMs: 1000 };

/** A stack, and what its functions do. */
function recording(options: Parameters<typeof deployFunctions>[0] = {}) {
  const deployed = deployFunctions({ site: SITE, ...options });
  const lines: string[] = [];
  /** The number of calls of each step. */
  const outline: string[] = [];
  /** Events that start small workers. */
  const smallStarts: { readonly detail: object }[] = [];
  const seconds = () => (deployed.time.now() - T0) / 1000;
  deployed.faults.refuses = (command, input) => {
    lines.push(`${seconds()} ${command} ${textOf(input)}`);
    return false;
  };
  /** Does it, and notes what it logs and returns. */
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    const from = lines.push(`-- ${name}`);
    for (const list of [deployed.logged, deployed.lines, deployed.events] as unknown[][]) list.length = 0;
    const answer = await work();
    for (const line of deployed.logged) lines.push(`log ${textOf(line)}`);
    for (const line of deployed.lines) lines.push(`metrics ${line}`);
    for (const event of deployed.events) lines.push(`event ${textOf(event)}`);
    smallStarts.push(...deployed.ofType(START_SMALL).map(({ detail }) => ({ detail })));
    if (answer !== undefined) lines.push(`answer ${textOf(answer)}`);
    outline.push(`${name}: ${countsIn(lines.slice(from))}`);
    if (/compactor|exporter/.test(name))
      lines.splice(from, lines.length, ...lines.slice(from).map(withoutSizes));
  }
  const worker = deployed.worker();
  async function work(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (const event of await deployed.starts()) await step('worker', () => worker(event));
      await step('router', () => deployed.routeAll());
    }
  }
  const compare = (name: string) => golden.compare(name, lines, outline);
  return { deployed, compare, smallStarts, step, work };
}

/** `GetItem 3, PutItem 1` */
function countsIn(lines: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const [, call] = /^[\d.]+ (\w+)Command /.exec(line) ?? [];
    if (call) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map((entry) => entry.join(' ')).join(', ');
}

test('a crawl, from the request to its deletion', async () => {
  const { deployed, compare, step, work } = recording();
  const get = (path: string) => step(`GET ${path}`, () => deployed.request('GET', path));
  const request = { crawl: 'news', seeds: ['http://a.test/'], config: CONFIG };
  await step('POST /crawls', () => deployed.request('POST', '/crawls', request));
  await step('router', () => deployed.routeAll());
  await work(4);
  for (let minute = 0; minute < 12; minute++) await step('waker', () => deployed.wakeFor(1));
  for (const path of ['', '/hosts', '/urls', '/exports']) await get(`/crawls/news${path}`);
  await step('POST /exports', () => deployed.request('POST', '/crawls/news/exports', { format: 'jsonl' }));
  await step('exporter', () => deployed.exportNow());
  await deployed.time.advance(2 * 3_600_000);
  await step('compactor', () => deployed.compact());
  await step('DELETE', () => deployed.request('DELETE', '/crawls/news', undefined, { archive: 'true' }));
  await deployed.time.advance(3_600_000);
  await step('compactor', () => deployed.compact());
  compare('a crawl, from the request to its deletion');
});

test('a crawl that recrawls, and is paused, resumed and stopped', async () => {
  const { deployed, compare, step, work } = recording({
    settings: { maxCostPerHour: 0.000_001, limits: { maxCostPerDay: 10 } },
  });
  const config = {
    ...CONFIG,
    recrawl: 'changes',
    recrawlEveryMs: 60_000,
    changeFeed: true,
    maxHostsPerDomain: 2,
  };
  const post = (path: string, body: object = {}) =>
    step(`POST ${path}`, () => deployed.request('POST', path, body));
  await post('/crawls', { crawl: 'news', seeds: ['http://a.test/'], config });
  await step('router', () => deployed.routeAll());
  await work(2);
  for (let minute = 0; minute < 3; minute++) await step('waker', () => deployed.wakeFor(1));
  await post('/crawls/news/pause');
  await work(2);
  await post('/crawls/news/resume');
  await work(2);
  await post('/crawls/news/seeds', { seeds: ['http://b.test/more'] });
  await step('router', () =>
    deployed.route(eventFrom('links', ['nonsense', '{"crawl":"news","url":"http://b.test/x"}'])),
  );
  await work(2);
  await post('/crawls/news/stop');
  for (let minute = 0; minute < 6; minute++) await step('waker', () => deployed.wakeFor(1));
  compare('a crawl that recrawls, and is paused, resumed and stopped');
});

/** So small that a few pages take each way. */
const SMALL = {
  ...SIZES,
  ...{
    maxSegments: 2,
    maxSegmentRecords: 3,
    maxFreshRecords: 2,
    runRatio: 2,
    blockRecords: 2,
    readAheadBytes: 40,
  },
  ...{ maxRowBytes: 60, maxHeadRules: 5, maxTurnChanges: 4, maxWithoutRequest: 1, linksAtOnce: 2 },
  ...{ maxParcelLinks: 2, maxMessageLinks: 2, maxShardParcelLinks: 2, splitHosts: 2, maxMessageBytes: 1500 },
  ...{ wakeBatch: 1, dueSlack: 0, wakePageHosts: 1, wakePages: 1, maxScanned: 3 },
  ...{ warcObjectBytes: 2000, uploadPartBytes: 1000, maxCountsInUpdate: 3, maxRecentPayloads: 1 },
  ...{
    joinedBytes: 6000,
    scanBytes: 700,
    minJoinAgeMs: 0,
    maxSources: 4,
    minProbeUrls: 3,
    itemTableBytes: 100,
  },
};

test('a crawl of a stack in which all is small, with small workers and shards of links', async () => {
  const { deployed, compare, smallStarts, step, work } = recording({
    settings: { smallWorkerMemoryMb: 512 },
    sizes: SMALL,
    linkShards: 2,
  });
  const small = deployed.worker({ isSmall: true });
  const request = { crawl: 'news', seeds: ['http://a.test/', 'http://b.test/'], config: CONFIG };
  await step('POST /crawls', () => deployed.request('POST', '/crawls', request));
  await step('router', () => deployed.routeAll());
  for (let minute = 0; minute < 14; minute++) {
    for (const queueUrl of deployed.settings.linkShardUrls) {
      const bodies = await deployed.takeAll(queueUrl);
      const name = queueUrl.split('/').at(-1) as string;
      if (bodies.length > 0) await step(name, () => deployed.route(eventFrom(name, bodies)));
    }
    await work(1);
    for (const event of smallStarts.splice(0)) await step('small worker', () => small(event as never));
    await step('waker', () => deployed.wakeFor(1));
  }
  await deployed.time.advance(3_600_000);
  await step('compactor', () => deployed.compact());
  await step('POST /exports', () => deployed.request('POST', '/crawls/news/exports', { format: 'jsonl' }));
  await step('exporter', () => deployed.exportNow());
  compare('a crawl of a stack in which all is small, with small workers and shards of links');
});

test('the file has no lines of other crawls', () => {
  expect(golden.names()).toHaveLength(3);
});
