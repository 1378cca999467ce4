import { beforeAll, describe, expect, test } from 'vitest';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { createSimCloud } from '../../models/cloud.ts';
import { NO_FAULTS } from '../../models/faults.ts';
import { drive } from '../../models/virtual-time.ts';
import { createAtlas } from '../../web/atlas.ts';
import { createSimWeb } from '../../web/web.ts';
import { deploy } from '../../worlds/deployment.ts';
import { openOperator } from '../../worlds/operator-process.ts';
import type { WebRequest } from '../../worlds/spec.ts';

const SEED = 46;
const MINUTE = 60_000;
const DELAY_MS = 4000;
const PLACES = { hostsPerWorker: 8, workers: 2 };
const BROAD = 110;
/** Less than its share, also where one worker has all of them. */
const SMALL = 1;
/** Hosts of the broad crawl that the small one asks, too. */
const SHARED = 1;
const SHAPE = {
  ...{ hosts: BROAD + SMALL, minPages: 1000, maxPages: 1000, linksPerPage: 20, sameHostShare: 1 },
  ...{ responseMs: [200], plain: true },
};
const CONFIG = {
  contact: 'https://sim.test/about',
  delayMs: DELAY_MS,
  turnMaxMs: 20_000,
  domainBudget: 'off',
  maxHostsPerDomain: 'off',
} as const;

/** A crawl of 110 hosts on 16 places, and a crawl of two hosts beside it, four minutes later: requests by host. */
async function crawlBeside({ hasBacklog }: { readonly hasBacklog: boolean }) {
  const cloud = createSimCloud({
    seed: SEED,
    turnQueues: 1,
    settings: {
      ...{ hostsPerWorker: PLACES.hostsPerWorker, workersPerQueue: PLACES.workers, workerTimeoutMs: 600_000 },
      ...(!hasBacklog && { backlogQueueUrls: [] }),
    },
  });
  const requests = new Map<string, WebRequest[]>();
  const web = createSimWeb({
    ...{ seed: SEED, time: cloud.time, faults: NO_FAULTS, keepLog: false, shape: SHAPE },
    onRequest: (request) => void requests.set(request.host, [...(requests.get(request.host) ?? []), request]),
  });
  const deployment = deploy(cloud, {
    fetcherOf: (process, config) => web.fetcherOf(process, config),
    maxConcurrency: PLACES.workers,
  });
  const atlas = createAtlas(SEED, SHAPE);
  const { registry, exchange } = openOperator(cloud, SEED).engine;
  const hostsOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => atlas.places.pageUrl(atlas.hosts.of(from + i), 0));
  async function begin(crawl: string, urls: readonly string[]): Promise<void> {
    const record = { config: CONFIG, scopeSeeds: urls, urlRulesVersion: URL_RULES_VERSION };
    await drive(cloud.time, registry.create(crawl, { ...record, status: 'running' }));
    const links = urls.map((url) => ({ url, depth: 0, isSeed: true }));
    await drive(cloud.time, exchange.send({ crawl, links }));
  }
  await begin('broad', hostsOf(0, BROAD));
  await cloud.time.run(cloud.time.now() + 4 * MINUTE);
  const beganAt = cloud.time.now();
  const small = hostsOf(BROAD, SMALL).map((url) => new URL(url).host);
  await begin('small', [...hostsOf(BROAD, SMALL), ...hostsOf(0, SHARED)]);
  await cloud.time.run(beganAt + 4 * MINUTE);
  deployment.stop();
  const endedAt = cloud.time.now();
  return {
    requests,
    /** The longest times in which nothing was asked of the small crawl's own hosts. */
    waitsMs: small.map((host) => {
      const times = (requests.get(host) ?? []).flatMap(({ startedAt }) =>
        startedAt >= beganAt ? [startedAt] : [],
      );
      const moments = [beganAt, ...times, endedAt];
      return Math.max(...moments.slice(1).map((at, i) => at - (moments[i] as number)));
    }),
    count: [...requests.values()].flat().filter(({ startedAt }) => startedAt >= beganAt).length,
  };
}

describe('a small crawl beside a broad one', () => {
  let shared: Awaited<ReturnType<typeof crawlBeside>>;
  let plain: Awaited<ReturnType<typeof crawlBeside>>;
  beforeAll(async () => {
    shared = await crawlBeside({ hasBacklog: true });
    plain = await crawlBeside({ hasBacklog: false });
  });

  test('waits less than a minute, for its first page and between its turns', () => {
    expect(Math.max(...shared.waitsMs)).toBeLessThan(MINUTE);
    // Where no host waits in a backlog, it waits for all of the others.
    expect(Math.max(...plain.waitsMs)).toBeGreaterThan(MINUTE);
  });

  test('takes next to nothing from both together', () => {
    expect(shared.count).toBeGreaterThan(0.95 * plain.count);
  });

  test('asks no host at the same time as the broad one, nor sooner than the delay after it', () => {
    for (const requests of shared.requests.values())
      for (const [i, { startedAt }] of requests.slice(1).entries())
        expect(startedAt - (requests[i] as WebRequest).endedAt).toBeGreaterThanOrEqual(DELAY_MS);
  });
});
