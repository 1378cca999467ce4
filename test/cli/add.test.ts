import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { summarize } from '../../api/local/summarize.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import { writeSkipped } from '../../cli/export/write-rows.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { addSeeds } from '../../cli/verbs/add.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../shared/core/frontier/head.ts';
import { HostLedger } from '../../shared/core/frontier/ledger.ts';
import { URL_RULES_VERSION } from '../../shared/core/url/canonical.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf, openLocalReader } from '../../shared/engines/local/engine.ts';
import { ITEMS_SCHEMA } from '../../shared/engines/local/items/item-store.ts';
import { createSkipLog, readSkips, SKIPS_SCHEMA } from '../../shared/engines/local/items/skip-log.ts';
import { createLedgerStore } from '../../shared/engines/local/ledger-store.ts';
import { createLinkExchange } from '../../shared/engines/local/link-exchange.ts';
import { lockFolder } from '../../shared/engines/local/lock.ts';
import { createRegistry } from '../../shared/engines/local/registry.ts';
import { skippedUrls } from '../../shared/services/report/skipped-urls.ts';
import { fastClock, paper } from './stack-fakes.ts';

const SEED = 'http://localhost:8080/';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-add-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A crawl that nobody runs. */
async function makeCrawl(config: CrawlOptions = {}, more: Partial<CrawlRecord> = {}): Promise<void> {
  await withDatabase((database) =>
    createRegistry(database, () => false).create('c', {
      config,
      scopeSeeds: [SEED],
      urlRulesVersion: URL_RULES_VERSION,
      status: 'finished',
      ...more,
    }),
  );
}

async function withDatabase<T>(use: (database: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const database = openDatabase(foldersOf(folder).database, 'write');
  database.exec(SKIPS_SCHEMA);
  database.exec(ITEMS_SCHEMA);
  try {
    return await use(database);
  } finally {
    database.close();
  }
}

const waitingParcels = () => withDatabase((database) => createLinkExchange(database).receive(10, 0));

async function load(): Promise<CrawlRecord> {
  const reader = openLocalReader(folder)!;
  try {
    return (await reader.registry.load('c'))!;
  } finally {
    reader.close();
  }
}

test('seeds in their canonical form wait for the crawl, whose scope is drawn around them, and which is over no more', async () => {
  await makeCrawl();
  const given = ['http://LOCALHOST:8080/a?utm_source=x', 'http://127.0.0.1/b', 'http://127.0.0.1/b#c'];
  const clock = fastClock();
  expect(await addSeeds(folder, given, clock)).toEqual({
    crawl: 'c',
    added: 2,
    refused: [],
    isRunning: false,
  });
  const [parcel] = await waitingParcels();
  expect(parcel?.outLinks).toEqual({
    crawl: 'c',
    links: [
      { url: 'http://127.0.0.1/b', depth: 0, isSeed: true },
      { url: 'http://localhost:8080/a', depth: 0, isSeed: true },
    ],
  });
  expect(await load()).toMatchObject({ status: 'running', scopeSeeds: [SEED, 'http://127.0.0.1/b'] });
  expect(await summarize(folder)).toMatchObject({ state: 'interrupted', reason: 'seeds were added' });
  expect(clock.now()).toBe(0);
});

test('a process that crawls learns of a wider scope before it has the seeds', async () => {
  await makeCrawl({}, { status: 'running' });
  const lock = lockFolder(folder);
  const seen: number[] = [];
  const clock = fastClock(async () => seen.push((await load()).scopeSeeds.length));
  expect(await addSeeds(folder, ['http://127.0.0.1/'], clock)).toMatchObject({ added: 1, isRunning: true });
  expect(seen).toEqual([2]);
  lock.release();
});

test('what the crawl excludes is refused with the reason, and the rest is added; a limit stays met', async () => {
  await makeCrawl(
    { exclude: ['/logout'] },
    { status: 'limited', why: { code: 'maxPages', text: '60 pages' } },
  );
  expect(await addSeeds(folder, [`${SEED}logout`, `${SEED}a`], fastClock())).toEqual({
    crawl: 'c',
    added: 1,
    refused: [{ url: `${SEED}logout`, reason: expect.stringContaining('exclude') }],
    isRunning: false,
    limit: '60 pages',
  });
  expect((await load()).status).toBe('limited');
});

test.each<[what: string, seeds: string[], crawl: Partial<CrawlRecord>, message: RegExp]>([
  ['all seeds are excluded', [`${SEED}x`], { config: { exclude: ['/x'] } }, /seeds.0 cannot be a seed/],
  ['nobody says how to reach the operator', ['https://example.org/'], {}, /--contact/],
  [
    'the crawl knows URLs by other rules',
    [SEED],
    { urlRulesVersion: 0 },
    /version 0 of the rules.*resume .* --new-url-rules$/,
  ],
])('nothing is added where %s', async (_, seeds, crawl, message) => {
  await makeCrawl({}, crawl);
  const adding = addSeeds(folder, seeds, fastClock());
  await expect(adding).rejects.toThrow(UsageError);
  await expect(adding).rejects.toThrow(message);
  expect(await waitingParcels()).toEqual([]);
  expect((await load()).status).toBe('finished');
});

test('a folder without a crawl is refused', async () => {
  await expect(addSeeds(folder, [SEED], fastClock())).rejects.toThrow(/There is no crawl in/);
});

test('links left out are written in the order met, then known URLs that were denied or skipped, with their cause', async () => {
  await makeCrawl();
  await withDatabase(async (database) => {
    const log = createSkipLog(database);
    log.note('c', { url: 'https://b.example/', reason: 'scope', via: SEED });
    log.note('c', { url: `${SEED}a,b`, reason: 'trap' });
    log.close();
    const ledgers = createLedgerStore(database, foldersOf(folder).ledgers);
    const ledger = await HostLedger.open('localhost:8080', NEW_HEAD.ledger, async () => new Uint8Array());
    for (const path of ['', 'x', 'y']) ledger.merge({ url: `${SEED}${path}`, depth: 1, via: SEED }, 1000);
    for (const state of ['fetched', 'deniedByRobots', 'skipped'] as const) {
      const record = (await ledger.next(2000))!;
      ledger.settle({
        ...record,
        state,
        result: { fetchedAt: 2000, cause: { code: 'other', text: `why ${state}` } },
      });
    }
    const { parts, index } = await ledger.prepareCommit('1');
    for (const { name, bytes } of parts) await ledgers.putPart('c', 'localhost:8080', name, bytes);
    await ledgers.commit('c', 'localhost:8080', { ...NEW_HEAD, version: 1, ledger: index });
    const out = paper();
    await writeSkipped(skippedUrls(readSkips(database, 'c'), { ledgers }, 'c'), 'csv', out as never);
    await using crawl = await openCrawl(folder);
    expect(crawl.skippedBeyond()).toBe(0);
    const lines = out.text().split('\r\n');
    expect(lines.slice(0, 3)).toEqual([
      'url,reason,via,cause,causeCode',
      `https://b.example/,scope,${SEED},,`,
      `"${SEED}a,b",trap,,,`,
    ]);
    expect(
      lines
        .slice(3, 5)
        .map((line) => line.split(',').slice(1).join())
        .toSorted(),
    ).toEqual([`deniedByRobots,${SEED},why deniedByRobots,other`, `skipped,${SEED},why skipped,other`]);
    expect(lines).toHaveLength(6);
  });
});
