/**
 * Recrawl by the real worker: turns, ledgers and the price as the crawl itself knows it, on virtual time. Twenty
 * hosts of fifty pages change at known rates for 30 days. Importances are those that the crawl has found. Their ETags
 * are true, so that pages without a change are answered by 304.
 *
 *     npm run bench -- recrawl-worker
 */

import { mixHash } from '../../shared/core/base/mix-hash.ts';
import { importanceOf } from '../../shared/core/frontier/importance-of.ts';
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import { routeParcels } from '../../shared/crawler/routing/router.ts';
import { wakeDueHosts } from '../../shared/crawler/routing/waker.ts';
import { startWorker } from '../../shared/crawler/worker/worker.ts';
import { T0 } from '../../test/crawler/worker/fake-clock.ts';
import type { Answer, Site } from '../../test/crawler/worker/scripted-fetcher.ts';
import { begin, CRAWL, createWorld, ledgersOf, type World } from '../../test/crawler/worker/world.ts';
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { type ChangingWeb, createChangingWeb } from './recrawl/changing-web.ts';
import { thresholdKnown, uniform } from './recrawl/known-rates.ts';
import { createMeter, type Scores } from './recrawl/meter.ts';

const HOSTS = 20;
const PAGES_OF_HOST = 50;
const DAYS = 30;
const WARM_UP_DAYS = 10;
/** Fetches per page and day. */
const SHARE = 0.2;
const DAY_MS = 86_400_000;

export async function measure(_: BenchOptions): Promise<Measured> {
  const pages = HOSTS * PAGES_OF_HOST;
  const changing = createChangingWeb({ pages, days: DAYS, warmUpDays: WARM_UP_DAYS, seed: 1 });
  const perDay = SHARE * pages;
  const sent: SentBytes = { full: 0, sent: 0 };
  const world = createWorld(
    siteOf(changing, () => (world.clock.now() - T0) / DAY_MS, sent),
    { tookMs: 50 },
  );
  await begin(world, hostRoots(), { recrawl: 'changes', recrawlPerDay: perDay, delayMs: 1000 });
  await crawlFor(world, DAYS);
  const web = { ...changing, importances: await importancesOf(world, pages) };
  const { scores, busiest } = scoresOf(world, web);
  const [even, known] = [uniform(web, perDay), thresholdKnown(web, perDay, 'changes')];
  const row = (name: string, { fresh, cost, ageDays, fetchesPerDay }: Scores): string =>
    `${name.padEnd(30)} fresh ${fresh.toFixed(3)}, harmonic cost ${cost.toFixed(3)}, age ${ageDays.toFixed(2)} d, ` +
    `budget used ${(fetchesPerDay / perDay).toFixed(3)}`;
  return {
    figures: {
      workerOfOptimum: { value: scores.fresh / known.fresh, unit: 'of the freshness that known rates reach' },
      workerFresh: { value: scores.fresh, unit: 'fresh' },
      uniformFresh: { value: even.fresh, unit: 'fresh by uniform fetches' },
      workerBudgetUsed: { value: scores.fetchesPerDay / perDay, unit: 'of the budget used' },
      bytesSaved: { value: 1 - sent.sent / sent.full, unit: 'of the bytes of refetches saved by 304' },
      busiestDay: { value: busiest / perDay, unit: 'x the budget on the busiest day' },
    },
    detail: [row('uniform', even), row('rates known', known), row('the worker', scores)].join('\n'),
  };
}

const rootOf = (host: number): string => `http://h${host}.test/`;
const hostRoots = (): string[] => Array.from({ length: HOSTS }, (_, host) => rootOf(host));
/** The first page of a host is its root. */
const pathOf = (page: number): string => {
  const n = page % PAGES_OF_HOST;
  return rootOf(Math.floor(page / PAGES_OF_HOST)) + (n === 0 ? '' : `p${n}`);
};

/** Bytes of the bodies of refetches: of all pages, and of those that were sent. */
interface SentBytes {
  full: number;
  sent: number;
}

/** Pages whose text is another one after each of their changes. Each links to its root and to five others. */
function siteOf(web: ChangingWeb, day: () => number, bytes: SentBytes): Site {
  const site: Record<string, (before: number, request: FetchRequest) => Answer> = {};
  for (let page = 0; page < web.pages; page++) {
    const first = page - (page % PAGES_OF_HOST);
    const others = Array.from({ length: 5 }, (_, n) => first + (mixHash(page * 5 + n) % PAGES_OF_HOST));
    const linked =
      page === first ? Array.from({ length: PAGES_OF_HOST }, (_, n) => first + n) : [first, ...others];
    const links = linked.map((other) => `<li><a href="${pathOf(other)}">page</a></li>`).join('');
    site[pathOf(page)] = (before, { headers }) => {
      const version = changesUntil(web, page, day());
      const text = `It says ${wordOf(page)} and ${wordOf(1e6 + page * 1000 + version)}.`;
      const body = `<title>page</title><ul>${links}</ul><p>${text}</p>`;
      const etag = `"${version}"`;
      const isKnown = headers?.['If-None-Match'] === etag;
      if (before > 0) {
        bytes.full += body.length;
        if (!isKnown) bytes.sent += body.length;
      }
      return isKnown ? { status: 304, headers: { ETag: etag } } : { body, headers: { ETag: etag } };
    };
  }
  return site;
}

/** By the levels of the ledgers, as the crawl weighs them. The mean is 1. */
async function importancesOf({ engine }: World, pages: number): Promise<Float64Array> {
  const weights = new Map<string, number>();
  for (const { records } of (await ledgersOf(engine)).values())
    for (const record of records.values()) weights.set(record.url, importanceOf(record));
  const importances = new Float64Array(pages).map((_, page) => weights.get(pathOf(page)) ?? 1);
  const sum = importances.reduce((all, one) => all + one, 0);
  return importances.map((one) => (one * pages) / sum);
}

function changesUntil({ changes, firstChange }: ChangingWeb, page: number, day: number): number {
  const first = firstChange[page] as number;
  let at = first;
  while (at < (firstChange[page + 1] as number) && (changes[at] as number) <= day) at++;
  return at - first;
}

/** Letters alone: digits do not count as text. */
const wordOf = (n: number): string =>
  mixHash(n)
    .toString(26)
    .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);

/** A worker, a router and a waker. */
async function crawlFor({ clock, engine, fetcher }: World, days: number): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const errors: string[] = [];
  const worker = startWorker(engine, () => fetcher, {
    maxHosts: HOSTS,
    signal,
    onError: (error, host) => errors.push(`${host}: ${(error as Error).message}`),
  });
  const each = async (ms: number, work: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await work();
      await clock.sleep(ms, signal);
    }
  };
  const route = async (): Promise<void> => {
    const parcels = await engine.exchange.receive(100, 60_000, signal);
    if (parcels.length > 0) await routeParcels(engine, worker.crawls, parcels);
  };
  const woken = new Map();
  const parts = Promise.all([
    worker.done,
    each(1000, route),
    each(300_000, () => wakeDueHosts(engine, worker.crawls, CRAWL, woken)),
  ]);
  for (let day = 1; day <= days; day++) await clock.drive(parts, () => clock.now() >= T0 + day * DAY_MS);
  stopping.abort();
  await clock.drive(parts);
  if (errors.length > 0) throw new Error(`the crawl failed: ${errors[0]}`);
}

/** Measures the fetches of the log, and finds the largest number of a day that counts. */
function scoresOf({ fetcher }: World, web: ChangingWeb): { scores: Scores; busiest: number } {
  const meter = createMeter(web);
  const pages = new Map(Array.from({ length: web.pages }, (_, page) => [pathOf(page), page]));
  const ofDays = new Uint32Array(DAYS);
  for (const { url, startedAt } of fetcher.log) {
    const page = pages.get(url);
    const day = (startedAt - T0) / DAY_MS;
    if (page === undefined || day >= DAYS) continue;
    meter.fetch(page, day);
    ofDays[Math.floor(day)]!++;
  }
  return { scores: meter.scores(), busiest: Math.max(...ofDays.subarray(WARM_UP_DAYS)) };
}
