/**
 * A whole crawl of the deployed functions in the simulated account, from the operator's word to the waker's
 * `finished`.
 */
import { expect, test } from 'vitest';
import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import { createSimCloud, type SimCloud } from '../../models/cloud.ts';
import { createFaults, FAULT_NAMES, type FaultName } from '../../models/faults.ts';
import type { TraceEntry } from '../../models/trace.ts';
import { drive, T0 } from '../../models/virtual-time.ts';
import { type DeployOptions, deploy } from '../../worlds/deployment.ts';
import { createScriptedWeb, type Pages } from './scripted-web.ts';

const MINUTE = 60_000;

const PAGES: Pages = {
  'http://a.test/': ['/1', '/2', 'http://b.test/'],
  'http://a.test/1': ['/2', '/3', '/missing'],
  'http://a.test/2': [],
  'http://a.test/3': ['http://c.test/deep', 'http://a.test/'],
  'http://b.test/': ['http://a.test/', 'http://c.test/', '/x'],
  'http://b.test/x': ['http://c.test/deep'],
  'http://c.test/': ['/deep'],
  'http://c.test/deep': ['http://b.test/y'],
  'http://b.test/y': [],
};

/** Crawls it all; `during` may interfere. */
async function crawl(
  seed: number,
  {
    names = [] as readonly FaultName[],
    linkShards = 0,
    sizes = SIZES,
    during,
    ...options
  }: {
    names?: readonly FaultName[];
    linkShards?: number;
    sizes?: Sizes;
    during?: (world: ReturnType<typeof begin>) => Promise<void>;
  } & Partial<DeployOptions> = {},
) {
  const world = begin(seed, names, { linkShards, sizes }, options);
  const { cloud, deployment } = world;
  const { time } = cloud;
  const { control } = deployment.operator();
  const config = { scope: 'any', delayMs: 500, contact: 'https://sim.test/' } as const;
  await drive(time, control.create({ crawl: 'c', seeds: ['http://a.test/'], config }));
  await during?.(world);
  const status = () => drive(time, control.status('c'));
  while ((await status()).state !== 'finished' && time.now() < T0 + 300 * MINUTE) await time.advance(MINUTE);
  deployment.stop();
  return { ...world, status: await status(), ms: time.now() - T0 };
}

function begin(
  seed: number,
  names: readonly FaultName[],
  more: { readonly linkShards: number; readonly sizes: Sizes },
  options: Partial<DeployOptions>,
) {
  const lines: string[] = [];
  let now = () => T0;
  const cloud: SimCloud = createSimCloud({
    seed,
    ...more,
    faults: (clock) => {
      now = clock;
      return createFaults({ seed, names, isCalm: () => clock() >= T0 + 30 * MINUTE });
    },
    trace: ({ process = '', host = '', what }: TraceEntry) =>
      lines.push(`${now() - T0} ${process} ${host} ${what}`),
  });
  const web = createScriptedWeb(cloud.time, PAGES);
  const deployment = deploy(cloud, { fetcherOf: (process) => web.fetcherOf(process), ...options });
  return { cloud, web, deployment, lines };
}

const urlsOf = ({ web }: { web: ReturnType<typeof createScriptedWeb> }) =>
  web.requests.map(({ url }) => url).filter((url) => !url.endsWith('robots.txt'));

test('a crawl goes from its seed over all pages to its end, each requested once', async () => {
  const world = await crawl(1);
  const { status, deployment, ms } = world;
  expect(status).toMatchObject({ state: 'finished', pages: 10 });
  expect(urlsOf(world).toSorted()).toEqual([...Object.keys(PAGES), 'http://a.test/missing'].toSorted());
  expect(deployment.failures).toEqual([]);
  expect(ms).toBeLessThan(10 * MINUTE);
  const { worker, router, waker } = deployment.functions;
  expect(worker.counts.invocations).toBeGreaterThan(0);
  expect(router.counts.invocations).toBeGreaterThan(0);
  expect(waker.counts.invocations).toBeGreaterThanOrEqual(Math.floor(ms / MINUTE));
  for (const url of [...world.cloud.settings.turnQueueUrls, world.cloud.settings.linkQueueUrl])
    expect(world.cloud.sqs.size(url)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

test('the same seed gives the same run, event by event, and another seed another one', async () => {
  const [first, second, other] = [await crawl(1), await crawl(1), await crawl(2)].map(({ lines }) =>
    lines.join('\n'),
  );
  expect(first?.length).toBeGreaterThan(1000);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test('the same seed gives the same run with all faults, too', async () => {
  const runs = [await crawl(5, { names: FAULT_NAMES }), await crawl(5, { names: FAULT_NAMES })];
  const [first, second] = runs.map(({ lines }) => lines.join('\n'));
  expect(second).toBe(first);
  expect(runs[0]?.status.state).toBe('finished');
});

test('a worker that is killed is followed by another, and nothing is lost', async () => {
  const world = await crawl(3, {
    async during({ cloud: { time }, deployment, web }) {
      await time.run(T0 + 10 * MINUTE, () => web.requests.length >= 4);
      expect(deployment.killOne('worker')).toBe(true);
    },
  });
  expect(world.status).toMatchObject({ state: 'finished', pages: 10 });
  expect(new Set(urlsOf(world)).size).toBe(10);
  expect(world.deployment.functions.worker.counts.deaths).toBe(1);
  expect(world.deployment.failures.map(({ message }) => message)).toEqual([
    'Error: Runtime exited: killed by the operator',
  ]);
});

test('the engine of a worker can be another version, process by process', async () => {
  const processes = new Set<string>();
  const { status } = await crawl(4, {
    wrapWorkerEngine: (process, engine) => {
      processes.add(process.name.split('-')[0] ?? '');
      return engine;
    },
  });
  expect(status.state).toBe('finished');
  expect([...processes]).toEqual(['worker']);
});

test('links that wait in shards keep a crawl from being called finished', async () => {
  const world = await crawl(6, { linkShards: 2, sizes: { ...SIZES, splitHosts: 0 } });
  expect(world.status).toMatchObject({ state: 'finished', pages: 10 });
  expect(new Set(urlsOf(world)).size).toBe(10);
  const { linkShards } = world.deployment.pollers;
  expect(linkShards.map(({ counts }) => counts.messages > 0)).toEqual([true, true]);
  // From b.test over c.test back to b.test, each time by a shard.
  expect(world.ms).toBeGreaterThan(15 * MINUTE);
});
