/**
 * Crawls whose processes fail again and again, one or two at a time, at random places: seeds replay exactly.
 */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { withFault } from './faults.ts';
import { inRandomWorlds, randomFault, runRounds, type UpTo } from './random-worlds.ts';
import type { Site } from './scripted-fetcher.ts';
import { HOSTS, SITE } from './three-hosts.ts';
import { begin, CRAWL, createWorld, leastGap, ledgersOf, startProcess } from './world.ts';

const WORLDS = 70;
/** Processes that fail; those after them do not. */
const FAULTY_ROUNDS = 8;
const CALLS = 120;

async function crawl(upTo: UpTo): Promise<void> {
  const world = createWorld(SITE, { leaseMs: 60_000, parcelLeaseMs: 60_000 });
  const { engine, fetcher } = world;
  const delayMs = 100 + upTo(9000);
  const config = { delayMs, turnMaxPages: 1 + upTo(4), totalTimeoutMs: 10_000, scope: 'any' as const };
  await begin(world, [`${HOSTS[0]}/`], config);
  const rounds = { faulty: FAULTY_ROUNDS, calls: CALLS };
  await runRounds(world, upTo, rounds, (served) => startProcess(served, fetcher));

  expect(leastGap(fetcher), 'least gap').toBeGreaterThanOrEqual(delayMs);
  const hosts = await ledgersOf(engine);
  const known = [...hosts.values()].flatMap(({ records }) => [...records.values()]);
  const { pages, urls } = await engine.registry.totals(CRAWL);
  expect(urls.waiting).toBe(0);
  expect(pages).toBe(urls.fetched);
  for (const { state, url, result } of known) {
    // After that many deaths a URL was judged to be their cause: it is reported, and its links may be
    // unknown.
    if (state === 'failed') expect(result?.cause, url).toEqual({ code: 'workerDied', times: 3, at: 'page' });
    else expect(state, url).toBe(url.endsWith('/r') ? 'redirect' : 'fetched');
  }
  if (urls.failed === 0) expect(known.length).toBe(Object.keys(SITE).length);
}

test(`in ${WORLDS} random worlds no URL is lost, no page counted twice, and no host hurried`, async () => {
  await inRandomWorlds(WORLDS, crawl);
});

const EVERY_MS = 3_600_000;

/** The same for a crawl that fetches its pages again each hour: at the end two rounds follow without faults. */
async function recrawl(upTo: UpTo): Promise<void> {
  // Pages of which a third changes, with validators of which some are used.
  const site: Site = Object.fromEntries(
    Object.entries(SITE).map(([url, answer], i) => {
      const etag = `"${i}"`;
      return [
        url,
        (n: number, request: FetchRequest) => {
          const plain = typeof answer === 'function' ? answer(n, request) : answer;
          if (plain.status !== undefined || url.endsWith('/robots.txt')) return plain;
          if (i % 3 === 0) return { ...plain, body: `${plain.body}<p>${'abcdefghij'[n % 10]}` };
          if (i % 3 === 1 || request.headers?.['If-None-Match'] !== etag)
            return { ...plain, headers: { ...plain.headers, ETag: etag } };
          return { status: 304, headers: { ETag: etag } };
        },
      ];
    }),
  );
  const world = createWorld(site, { leaseMs: 60_000, parcelLeaseMs: 60_000 });
  const { clock, engine, fetcher } = world;
  const delayMs = 100 + upTo(3000);
  const config = {
    delayMs,
    turnMaxPages: 1 + upTo(4),
    totalTimeoutMs: 10_000,
    scope: 'any' as const,
    recrawlEveryMs: EVERY_MS,
  };
  await begin(world, [`${HOSTS[0]}/`], config);
  for (let round = 0; round < FAULTY_ROUNDS; round++) {
    const until = clock.now() + upTo(2 * EVERY_MS);
    const process = startProcess(withFault(engine, randomFault(upTo, CALLS)), fetcher);
    await clock.drive(process.ended, () => clock.now() >= until);
    process.stop();
    await clock.drive(process.ended);
  }
  const calmAt = clock.now();
  const process = startProcess(engine, fetcher);
  await clock.drive(process.ended, () => clock.now() >= calmAt + 2.5 * EVERY_MS);
  process.stop();
  await clock.drive(process.ended);

  expect(leastGap(fetcher), 'least gap').toBeGreaterThanOrEqual(delayMs);
  const known = [...(await ledgersOf(engine)).values()].flatMap(({ records }) => [...records.values()]);
  const { pages, urls, recrawl = {} } = await engine.registry.totals(CRAWL);
  expect(urls.waiting).toBe(0);
  expect(pages, 'each page counts once').toBeLessThanOrEqual(urls.fetched + urls.failed);
  for (const { state, url, result, dueAt } of known) {
    if (state === 'failed') continue;
    expect(dueAt, url).toBeGreaterThan(clock.now() - 60_000);
    if (state !== 'fetched') continue;
    const fetches = fetcher.log.filter((request) => request.url === url && request.startedAt >= calmAt);
    expect(fetches.length, `${url} in the calm`).toBeGreaterThanOrEqual(2);
    expect(result?.location, url).toBeDefined();
    const text = gunzipSync(engine.archiveOf(CRAWL).read(result!.location!)).toString('latin1');
    expect(text, 'its copy has the content').toMatch(/^WARC\/1.1\r\nWARC-Type: response/);
    expect(text).toContain(`WARC-Target-URI: ${url}`);
  }
  expect((recrawl.changed ?? 0) > 0 && (recrawl.notModified ?? 0) > 0).toBe(true);
}

test('in 20 random worlds that recrawl, no page is forgotten, none loses its copy, and no host is hurried', async () => {
  await inRandomWorlds(20, recrawl);
});
