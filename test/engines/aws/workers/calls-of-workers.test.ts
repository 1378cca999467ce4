/** All calls and results of the pool of workers: see `calls-of-workers.txt`. */
import {
  MAX_START_DELAY_MS,
  parseStartText,
  startMessageIn,
} from '../../../../shared/engines/aws/workers/start-message.ts';
import { AwsWorkerPool, type WorkerPoolOptions } from '../../../../shared/engines/aws/workers/worker-pool.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, scenario } from '../struck-suite.ts';

const poolOf = (world: World, options: Partial<WorkerPoolOptions> = {}) => {
  const { clients, engine, cloud } = world;
  const { turnQueueUrls, startQueueUrl, crawlState: table } = cloud.settings;
  return new AwsWorkerPool({
    ...clients,
    clock: engine.clock,
    turnQueueUrls,
    startQueueUrl,
    backlogQueueUrls: [],
    maxWorkers: 5,
    table,
    renewedMs: 90_000,
    ...options,
  });
};
const startsOf = ({ cloud }: World) =>
  [...cloud.sqs.messages(cloud.settings.startQueueUrl)].map(({ body }) => body);
const member = (id: string, more: object = {}) => ({ id, hosts: 1, maxHosts: 5, isEnding: false, ...more });

describeScenarios(
  [
    scenario({
      name: 'shows workers for as long as they live',
      async run(world) {
        const pool = poolOf(world);
        const sleep = (ms: number) => world.engine.clock.sleep(ms);
        await pool.show(0, member('a'));
        await pool.show(0, member('b', { isEnding: true, hosts: 3 }));
        await pool.show(0, member('small', { isSmall: true }));
        await pool.show(1, member('c'));
        const results: unknown[] = [await pool.members(0), await pool.members(1), await pool.hasLostSmall(0)];
        await sleep(20_000);
        await pool.show(0, member('b', { hosts: 4 }));
        await sleep(9_900);
        results.push(await pool.members(0));
        await sleep(200);
        results.push(await pool.members(0), await pool.hasLostSmall(0), await pool.hasLostSmall(1));
        await sleep(3_500_000);
        results.push(await pool.hasLostSmall(0));
        await sleep(100_000);
        results.push(await pool.hasLostSmall(0));
        // A worker whose clock is ahead.
        const { now } = world.engine.clock;
        for (const [id, ms] of [
          ['ahead', 60_000],
          ['far', 70_000],
        ] as const)
          await poolOf(world, { clock: { ...world.engine.clock, now: () => now() + ms } }).show(
            1,
            member(id),
          );
        results.push(await pool.members(1));
        await pool.hide(0, 'a');
        await pool.hide(0, 'none');
        return [...results, pool.queues, pool.maxWorkers, poolOf(world, { maxWorkers: 3 }).maxWorkers];
      },
      isTimed: true,
    }),
    scenario({
      name: 'starts workers',
      async run(world) {
        const asked: unknown[] = [];
        const accepts = async (message: object) => asked.push(message) !== 2;
        const pool = poolOf(world, { startSmall: accepts });
        await pool.start(0, 0, 1);
        await pool.start(0, 2, 3);
        for (const delayMs of [-5000, 0, 1, 1000, 1001, MAX_START_DELAY_MS, MAX_START_DELAY_MS + 1])
          await pool.start(1, 1, 1, { delayMs, isSmall: delayMs === 1 });
        const results: unknown[] = [
          await pool.startSmall(0, 1),
          await pool.members(0),
          await pool.startSmall(1, 2),
        ];
        results.push(await pool.members(1), await poolOf(world).startSmall(0, 1), asked);
        await world.engine.clock.sleep(10_001);
        results.push(await pool.members(0), await pool.hasLostSmall(0));
        return [...results, await pool.waiting(0), startsOf(world).sort()];
      },
      isTimed: true,
    }),
    scenario({
      name: 'makes sure that a queue has a worker, a small one for few hosts',
      async run(world) {
        const pool = poolOf(world);
        const ensured = async () => {
          await pool.ensure(0);
          return startsOf(world).sort();
        };
        const results: unknown[] = [await ensured()];
        await pool.noteFewHosts(0);
        results.push(await pool.members(0), await ensured(), await pool.hasLostSmall(0));
        await pool.show(0, member('ending', { isEnding: true }));
        results.push(await ensured());
        await pool.show(0, member('a'));
        results.push(await ensured());
        await pool.hide(0, 'a');
        await pool.show(0, member('small', { isSmall: true }));
        await world.engine.clock.sleep(40_000);
        // The small one has died.
        results.push(await ensured());
        await world.engine.clock.sleep(900_000);
        return [...results, await ensured()];
      },
      isTimed: true,
    }),
    scenario({
      name: 'reads the messages that start workers',
      async run(world) {
        const messages: unknown[] = [await poolOf(world).waiting(1)];
        const texts = [
          '{"queue":1,"workers":2}',
          '{"queue":0,"workers":0,"isSmall":true,"inPlaceOf":"x","more":1}',
        ];
        texts.push(
          '{"queue":1,"workers":2,"isSmall":1,"inPlaceOf":2}',
          '{"queue":-1,"workers":2}',
          'null',
          '{"queue":1}',
        );
        texts.push('{"workers":1}', '{"queue":1.5,"workers":2}', '{"queue":"1","workers":2}', '7');
        for (const text of texts)
          try {
            messages.push(parseStartText(text));
          } catch (error) {
            messages.push((error as Error).message);
          }
        return [...messages, startMessageIn({ queue: 3, workers: 4, detail: 1 })];
      },
    }),
  ],
  openGolden('calls-of-workers.txt', import.meta.url),
);
