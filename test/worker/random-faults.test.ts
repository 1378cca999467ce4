/**
 * Crawls whose processes fail again and again, one or two at a time, at random places: seeds replay exactly.
 */
import { expect, test } from 'vitest';
import { seededRandom } from './fake-clock.ts';
import { type Fault, withFault } from './faults.ts';
import { HOSTS, SITE } from './three-hosts.ts';
import {
  areQuiet,
  begin,
  CRAWL,
  createWorld,
  leastGap,
  ledgersOf,
  type Process,
  startProcess,
} from './world.ts';

const WORLDS = 200;
/** Processes that fail; those after them do not. */
const FAULTY_ROUNDS = 8;
const CALLS = 120;

async function crawl(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const upTo = (n: number) => Math.floor(random() * n);
  const fault = (): Fault => ({
    n: 1 + upTo(CALLS),
    effect: upTo(2) ? 'before' : 'after',
    ends: upTo(2) ? 'call' : 'process',
  });
  const world = createWorld(SITE, { leaseMs: 60_000, parcelLeaseMs: 60_000 });
  const { clock, engine, fetcher } = world;
  const delayMs = 100 + upTo(9000);
  const config = { delayMs, turnMaxPages: 1 + upTo(4), totalTimeoutMs: 10_000, scope: 'any' as const };
  await begin(world, [`${HOSTS[0]}/`], config);
  for (let round = 0; !(await areQuiet(engine)); round++) {
    expect(round, 'rounds').toBeLessThan(FAULTY_ROUNDS + 3);
    const isFaulty = round < FAULTY_ROUNDS;
    const processes: Process[] = Array.from({ length: 1 + upTo(2) }, () =>
      startProcess(isFaulty ? withFault(engine, fault()) : engine, fetcher),
    );
    const ended = Promise.all(processes.map((process) => process.ended));
    await clock.drive(ended, () => areQuiet(engine));
    for (const process of processes) process.stop();
    await clock.drive(ended);
  }

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
  const failures: string[] = [];
  for (let seed = 1; seed <= WORLDS; seed++)
    await crawl(seed).catch((error: Error) => failures.push(`seed ${seed}: ${error.message}`));
  expect(failures).toEqual([]);
});
