/** Whatever fails, and wherever, nothing is lost, nothing counted twice, no host hurried. */
import { expect, test } from 'vitest';
import { type Fault, withFault } from './faults.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { SITE } from './three-hosts.ts';
import { areQuiet, begin, CRAWL, createWorld, leastGap, ledgersOf, startProcess, statesOf } from './world.ts';

const DELAY_MS = 3000;
const CONFIG = { delayMs: DELAY_MS, turnMaxPages: 2, totalTimeoutMs: 10_000 };

/** One host, one page in each turn: enough turns to merge segments and delete old ones. */
const CHAIN: Site = Object.fromEntries(
  Array.from({ length: 11 }, (_, i) => [`http://a.test/${i}`, page(`/${i + 1}`, '/0')]).concat([
    ['http://a.test/11', page()],
  ]),
);

const WORLDS = {
  'three hosts': { site: SITE, seed: 'http://a.test/', config: CONFIG },
  'one host of many turns': { site: CHAIN, seed: 'http://a.test/0', config: { ...CONFIG, turnMaxPages: 1 } },
};
type WorldName = keyof typeof WORLDS;

interface Outcome {
  readonly calls: number;
  readonly commits: number;
  readonly requests: number;
}

/** Crawls with the fault, in a new process where one has died, and checks all that is to hold. */
async function crawlWith(name: WorldName, fault?: Fault): Promise<Outcome> {
  const { site, seed, config } = WORLDS[name];
  const world = createWorld(site, { leaseMs: 60_000, parcelLeaseMs: 60_000 });
  const { clock, engine, fetcher } = world;
  const commit = engine.ledgers.commit;
  let commits = 0;
  engine.ledgers.commit = async (crawl, host, next) => {
    await commit(crawl, host, next);
    commits++;
    const live = engine.messages(host).filter((m) => m.kind === 'token' && m.token === next.token);
    expect(live.length, `tokens of ${host} that count`).toBe(next.token === undefined ? 0 : 1);
  };
  const faulty = withFault(engine, fault);
  await begin(world, [seed], { ...config, scope: 'any' });
  let isFirst = true;
  for (let round = 0; !(await areQuiet(engine)); round++) {
    expect(round).toBeLessThan(5);
    const process = startProcess(isFirst || fault?.ends === 'call' ? faulty : engine, fetcher);
    isFirst = false;
    await clock.drive(process.ended, () => areQuiet(engine));
    process.stop();
    await clock.drive(process.ended);
  }

  expect(fault && !faulty.hasStruck ? `call ${fault.n} never came` : undefined).toBeUndefined();
  expect(await statesOf(engine)).toEqual(
    Object.fromEntries(Object.keys(site).map((url) => [url, url.endsWith('/r') ? 'redirect' : 'fetched'])),
  );
  for (const [host, { head, records }] of await ledgersOf(engine)) {
    expect(head.token, `token of ${host}`).toBeUndefined();
    const urls = [...records.values()];
    const pages = urls.filter(({ state }) => state === 'fetched').length;
    expect(head.totals.pages, `pages of ${host}`).toBe(pages);
    // With robots.txt; and a request that a stopping process drops counts, too.
    expect([1, 2], `requests of ${host}`).toContain(head.totals.requests - urls.length);
    expect(engine.messages(host)).toEqual([]);
    for (const record of records.values()) expect(record.attempts).toBe(1);
    const parts = new Set(await engine.ledgers.listParts(CRAWL, host));
    for (const name of head.ledger.segments) expect(parts.has(name)).toBe(true);
  }
  expect(leastGap(fetcher)).toBeGreaterThanOrEqual(DELAY_MS);
  return { calls: faulty.calls, commits, requests: fetcher.log.length };
}

test.each([
  ['three hosts', 3 * 6],
  ['one host of many turns', 13],
] as const)('without a fault, %s are asked for each URL once', async (name, requests) => {
  expect((await crawlWith(name)).requests).toBe(requests);
});

/**
 * The calls at which a process ends, and those at which only the call fails, take turns: each call is struck before or after its
 * effect in both ways. The systematic faults of the simulation strike at every call in every way.
 */
const STEP = 2;
const FIRST = { call: { before: 1, after: 2 }, process: { before: 2, after: 1 } } as const;

for (const name of Object.keys(WORLDS) as WorldName[]) {
  const clean = await crawlWith(name);
  for (const ends of ['call', 'process'] as const)
    for (const effect of ['before', 'after'] as const)
      test(`a ${ends} that ends ${effect} a port's effect, at each second of ${clean.calls} calls, costs work and loses nothing: ${name}`, async () => {
        const failures: string[] = [];
        for (let n = FIRST[ends][effect]; n <= clean.calls; n += STEP) {
          try {
            const { commits, requests } = await crawlWith(name, { n, effect, ends });
            // Redone turns, each of which may be shorter. A second chain of tokens would double them all.
            expect(commits).toBeLessThanOrEqual(clean.commits + 8);
            expect(requests).toBeLessThanOrEqual(clean.requests + 12);
          } catch (error) {
            failures.push(`call ${n}: ${(error as Error).message}`);
          }
        }
        expect(failures).toEqual([]);
      });
}
