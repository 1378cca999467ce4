import { describe, expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { timesOf } from '../../../shared/engines/aws/settings.ts';
import {
  parseStartText,
  startMessageIn,
  startText,
} from '../../../shared/engines/aws/workers/start-message.ts';
import { AwsWorkerPool, type StartSmall } from '../../../shared/engines/aws/workers/worker-pool.ts';
import { createSimCloud } from '../../../simulation/models/cloud.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import { throttling } from './throttled.ts';

const MINUTE = 60_000;
const worker = (id: string, more: object = {}) => ({ id, hosts: 1, maxHosts: 10, isEnding: false, ...more });

function setUp(startSmall?: StartSmall) {
  const cloud = createSimCloud({ seed: 1 });
  const { engine } = cloud.open(cloud.begin('test'), startSmall && { startSmall });
  const pool = engine.workers;
  const { startQueueUrl } = cloud.settings;
  const run = <T>(work: Promise<T>) => drive(cloud.time, work, cloud.time.now() + 10 * MINUTE);
  const bodies = () => {
    const records = cloud.sqs.receive(startQueueUrl, 10);
    cloud.sqs.delete(
      startQueueUrl,
      records.map(({ receiptHandle }) => receiptHandle),
    );
    return records.map(({ body }) => body);
  };
  return { cloud, pool, run, bodies };
}

describe('the workers of a turn queue', () => {
  test('are known by size, for 30 s after they have shown themselves', async () => {
    const { cloud, pool, run } = setUp();
    await run(pool.show(0, worker('a')));
    await run(pool.show(0, worker('b', { isSmall: true })));
    expect(await run(pool.members(0))).toEqual([worker('a'), worker('b', { isSmall: true })]);
    expect(await run(pool.members(1))).toEqual([]);
    await cloud.time.advance(31_000);
    expect(await run(pool.members(0))).toEqual([]);
  });

  test('have lost a small one that has vanished within the last hour', async () => {
    const { cloud, pool, run } = setUp();
    const shown = [
      worker('full'),
      worker('ending', { isSmall: true, isEnding: true }),
      worker('gone', { isSmall: true }),
    ];
    for (const one of shown) await run(pool.show(0, one));
    await run(pool.hide(0, 'gone'));
    await cloud.time.advance(MINUTE);
    expect(await run(pool.hasLostSmall(0))).toBe(false);
    await run(pool.show(0, worker('dead', { isSmall: true })));
    expect(await run(pool.hasLostSmall(0))).toBe(false);
    await cloud.time.advance(MINUTE);
    expect(await run(pool.hasLostSmall(0))).toBe(true);
    expect(await run(pool.hasLostSmall(1))).toBe(false);
    await cloud.time.advance(60 * MINUTE);
    expect(await run(pool.hasLostSmall(0))).toBe(false);
  });
});

describe('starting a worker', () => {
  test('by a message says which size is enough; an older version reads no more than it knows', async () => {
    const { pool, run, bodies } = setUp();
    await run(pool.start(0, 1, 2));
    await run(pool.start(1, 1, 1, { isSmall: true }));
    expect(bodies().sort()).toEqual(['{"queue":0,"workers":2}', '{"queue":1,"workers":1,"isSmall":true}']);
    expect(parseStartText(startText({ queue: 1, workers: 1, isSmall: true }))).toEqual({
      queue: 1,
      workers: 1,
      isSmall: true,
    });
    expect(startMessageIn({ stack: 'S', queue: 1, workers: 1, isSmall: 'yes' })).toEqual({
      queue: 1,
      workers: 1,
    });
    expect(() => startMessageIn({ stack: 'S' })).toThrow(
      'Expected the numbers queue and workers, got {"stack":"S"}',
    );
  });

  test('for hosts that it serves alone hands these over, unless they are too large for a message', async () => {
    const { pool, run, bodies } = setUp();
    const apart = [{ host: 'a.test', deliveries: [], leaseUntil: 7, handles: [['1', 'handle']] }] as const;
    expect(await run(pool.startApart(1, apart))).toBe(true);
    const [message] = bodies().map(parseStartText);
    expect(message).toEqual({ queue: 1, workers: 1, apart, id: expect.any(String) });
    expect(await run(pool.claimApart(1, message!.id!))).toBe(true);
    expect(await run(pool.claimApart(1, message!.id!))).toBe(false);
    expect(await run(pool.members(1))).toEqual([]);
    const large = [{ ...apart[0], host: 'a'.repeat(250_000) }];
    expect(await run(pool.startApart(1, large))).toBe(false);
    // An event of the account's bus hands over none.
    expect(startMessageIn({ queue: 1, workers: 1, apart })).toEqual({ queue: 1, workers: 1 });
  });

  test('of small size is not possible where nobody can', async () => {
    const { pool, run, bodies } = setUp();
    expect(await run(pool.startSmall(0, 1))).toBe(false);
    expect([bodies(), await run(pool.members(0))]).toEqual([[], []]);
    const refused = setUp(async () => false);
    expect(await refused.run(refused.pool.startSmall(0, 1))).toBe(false);
    expect(await refused.run(refused.pool.members(0))).toEqual([]);
  });

  test('of small size is enough for a quarter of an hour after a worker has ended idle with few hosts', async () => {
    const { cloud, pool, run, bodies } = setUp();
    await run(pool.noteFewHosts(0));
    expect(await run(pool.members(0))).toEqual([]);
    await run(pool.ensure(0));
    await run(pool.ensure(1));
    expect(bodies().sort()).toEqual(['{"queue":0,"workers":1,"isSmall":true}', '{"queue":1,"workers":1}']);
    await cloud.time.advance(14 * MINUTE);
    await run(pool.ensure(0));
    expect(bodies()).toEqual(['{"queue":0,"workers":1,"isSmall":true}']);
    await cloud.time.advance(2 * MINUTE);
    await run(pool.ensure(0));
    expect(bodies()).toEqual(['{"queue":0,"workers":1}']);
    expect(await run(pool.hasLostSmall(0))).toBe(false);
    await run(pool.noteFewHosts(0));
    await run(pool.show(0, worker('dead', { isSmall: true })));
    await cloud.time.advance(MINUTE);
    await run(pool.ensure(0));
    expect(bodies()).toEqual(['{"queue":0,"workers":1}']);
  });

  test('of small size counts at once as one that takes on hosts, for 10 s, and is not missed', async () => {
    const asked: object[] = [];
    const { cloud, pool, run, bodies } = setUp(async (start) => asked.push(start) > 0);
    expect(await run(pool.startSmall(0, 1))).toBe(true);
    const [placeholder] = await run(pool.members(0));
    expect(placeholder).toMatchObject({ isSmall: true, isEnding: false });
    expect(asked).toEqual([{ queue: 0, workers: 1, isSmall: true, inPlaceOf: placeholder?.id }]);
    await run(pool.ensure(0));
    expect(bodies()).toEqual([]);
    await cloud.time.advance(11_000);
    expect(await run(pool.members(0))).toEqual([]);
    expect(await run(pool.hasLostSmall(0))).toBe(false);
    await run(pool.ensure(0));
    expect(bodies()).toHaveLength(1);
  });
});

describe('missing workers', () => {
  /** A turn queue of which one host is with a worker. */
  async function withHost() {
    const world = setUp();
    const { cloud, run } = world;
    const { queue } = cloud.open(cloud.begin('sender'), {
      turnQueueUrl: cloud.settings.turnQueueUrls[0],
    }).engine;
    await run(queue.send([{ host: 'a.test', message: { kind: 'wake', crawl: 'c' } }]));
    const receive = () => run(queue.receive(1, 0));
    return { ...world, receive };
  }

  test('are started where messages wait, and not where there is nothing', async () => {
    const { pool, run, bodies, receive } = await withHost();
    expect(await run(pool.startMissing(1))).toBe(false);
    expect(bodies()).toEqual([]);
    expect(await run(pool.startMissing(0))).toBe(true);
    expect(bodies()).toEqual(['{"queue":0,"workers":1}']);
    await receive();
    // Received by a process that never was a worker of the pool, or that has left.
    expect(await run(pool.startMissing(0))).toBe(true);
    expect(bodies()).toEqual([]);
  });

  test('that died with hosts are replaced when these are free again, unless another one is alive', async () => {
    const { cloud, pool, run, bodies, receive } = await withHost();
    await run(pool.show(0, worker('dead')));
    await receive();
    await run(pool.startMissing(0));
    expect(bodies()).toEqual([]);
    await cloud.time.advance(40_000);
    await run(pool.startMissing(0));
    const renewedS = Math.min(SIZES.renewedMs, timesOf(cloud.settings).leaseMs) / 1000;
    let waitedS = 40;
    for (; waitedS < 200 && bodies().length === 0; waitedS++) await cloud.time.advance(1000);
    expect(waitedS).toBeGreaterThan(renewedS + 5);
    expect(waitedS).toBeLessThan(renewedS + 15);
    expect(await receive()).toHaveLength(1);
    await run(pool.show(0, worker('alive')));
    await run(pool.startMissing(0));
    await cloud.time.advance(100_000);
    expect(bodies()).toEqual([]);
  });

  test('that were handed hosts are among them, until they are done', async () => {
    const { cloud, pool, run, bodies, receive } = await withHost();
    await receive();
    await run(pool.claimApart(0, 'done'));
    await run(pool.endApart(0, 'done'));
    await cloud.time.advance(40_000);
    await run(pool.startMissing(0));
    await cloud.time.advance(100_000);
    expect(bodies()).toEqual([]);
    await receive();
    await run(pool.claimApart(0, 'dead'));
    await cloud.time.advance(40_000);
    await run(pool.startMissing(0));
    await cloud.time.advance(100_000);
    expect(bodies()).toHaveLength(1);
    expect(await run(pool.claimApart(0, 'done'))).toBe(false);
  });
});

test.each([
  [undefined, 0],
  [0, 0],
  [-5, 0],
  [1, 1],
  [59_001, 60],
  [900_000, 900],
  [1_000_000, 900],
])('a message that starts a worker in %s ms is received %d s later', async (delayMs, seconds) => {
  const { cloud, pool, run, bodies } = setUp();
  await run(pool.start(0, 1, 1, delayMs === undefined ? {} : { delayMs }));
  const sentAt = cloud.time.now();
  for (let waited = 0; waited <= 1000 && bodies().length === 0; waited++) await cloud.time.advance(1000);
  const waitedS = Math.floor((cloud.time.now() - sentAt) / 1000);
  expect(Math.abs(waitedS - seconds)).toBeLessThanOrEqual(1);
});

test('workers are shown, counted and started, though each call is refused once for its rate', async () => {
  const { cloud, run, bodies } = setUp();
  const process = cloud.begin('throttled');
  const { dynamo, sqs } = cloud.clientsOf(process);
  const pool = new AwsWorkerPool({
    ...{ dynamo: throttling(dynamo), sqs: throttling(sqs), clock: process.clock },
    ...{ table: cloud.settings.crawlState, turnQueueUrls: cloud.settings.turnQueueUrls },
    ...{ startQueueUrl: cloud.settings.startQueueUrl, backlogQueueUrls: [], maxWorkers: 5 },
    renewedMs: 90_000,
  });
  await run(pool.show(0, worker('a')));
  await run(pool.show(0, worker('b')));
  await run(pool.hide(0, 'b'));
  expect(await run(pool.members(0))).toEqual([worker('a')]);
  expect(await run(pool.waiting(0))).toBe(0);
  await run(pool.start(0, 1, 2));
  expect(bodies()).toEqual(['{"queue":0,"workers":2}']);
});
