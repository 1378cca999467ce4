/**
 * No check but a measurement: calls and CPU of waker and compactor on an emulator with very many crawls, and the cost at rest by
 * their meter. It prints a line of JSON for each run.
 *
 *     npm run emulator                                  # prints the environment
 *     node test/localstack/many-crawls.ts 300 10000     # crawls that run, and that have ended
 */
import { randomUUID } from 'node:crypto';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { MEMORY_MB } from '../../cdk/constructs/sizes.ts';
import { openCompactor } from '../../functions/compactor.ts';
import { createFunctionStack } from '../../functions/stack.ts';
import { openWaker } from '../../functions/waker.ts';
import { createClients } from '../../shared/engines/aws/clients.ts';
import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { costOf, priceOf } from '../../shared/engines/aws/cost/prices.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import { openStack } from '../../shared/engines/aws/stack.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { fillRunning, fillStored } from '../../simulation/worlds/fill-crawls.ts';
import { makeResources } from './resources.ts';

const [running = 0, stored = 0] = process.argv.slice(2).map(Number);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MONTH_HOURS = 730;
/** The compactor strikes a crawl that was entered an hour ago, and the waker looks at each new crawl. */
const SETTLING_RUNS = 5;
/** Runs of the waker at rest. */
const MINUTES = 20;
/** An emulator on a busy machine takes its time. */
const NO_HURRY = { getRemainingTimeInMillis: () => HOUR } as Context;

const resources = await makeResources();
const state = { aheadMs: 0 };
const clock = { ...systemClock, now: () => systemClock.now() + state.aheadMs };
const settings = await settingsOf(resources.names);
const operator = openStack(settings, { clock });
const names = (kind: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${kind}-${String(i).padStart(6, '0')}`);
await fillStored(operator, names('ended', stored));
await fillRunning(
  operator,
  names('site', running).map((crawl) => ({ crawl, dueAt: clock.now() + 24 * HOUR })),
);
say({ running, stored });

const waker = measured('waker', openWaker);
const compactor = measured('compactor', openCompactor);
for (let run = 0; run < SETTLING_RUNS; run++) {
  await compactor();
  await waker();
  state.aheadMs += HOUR;
}
const hourly = { waker: 0, compactor: await compactor() };
for (let minute = 0; minute < MINUTES; minute++) {
  state.aheadMs += MINUTE;
  hourly.waker += ((await waker()) * 60) / MINUTES;
}
say({
  dollarsPerMonth: {
    waker: hourly.waker * MONTH_HOURS,
    compactor: hourly.compactor * MONTH_HOURS,
  },
});
operator.close();
await resources.remove();

/** Returns a function that runs the handler once, and resolves to what that has cost, in dollars. */
function measured(
  name: 'waker' | 'compactor',
  openHandler: (
    functions: ReturnType<typeof createFunctionStack>,
  ) => (event: never, context: Context) => Promise<void>,
) {
  const memoryMb = MEMORY_MB[name];
  const functions = createFunctionStack({
    settings,
    clock,
    log: (level, fields) => level === 'info' || say({ [name]: fields }),
    write: () => {},
    memoryMb,
  });
  const meter = createMeter({ clock: systemClock, memoryMb });
  const { clients } = functions.open();
  for (const client of [clients.dynamo, clients.s3, clients.sqs]) meter.watch(client);
  const handler = openHandler(functions);
  return async () => {
    const before = process.cpuUsage();
    meter.beginInvocation();
    await handler(undefined as never, NO_HURRY);
    meter.endInvocation();
    const { user, system } = process.cpuUsage(before);
    const byCall = meter.takeCalls();
    const calls = Object.values(byCall).reduce((sum, count) => sum + count, 0);
    const dollars = costOf(meter.takeTotal(), priceOf('us-east-1')).total;
    say({ run: name, calls, cpuSeconds: (user + system) / 1e6, dollars, byCall });
    return dollars;
  };
}

function say(fields: object): void {
  process.stdout.write(`${JSON.stringify(fields)}\n`);
}

async function settingsOf(
  names: Pick<StackSettings, 'crawlState' | 'urlSeen' | 'bucket'>,
): Promise<StackSettings> {
  const { sqs } = createClients(1, systemClock);
  const id = `strand-${randomUUID()}`;
  const queue = async (QueueName: string, Attributes = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl as string;
  return {
    ...names,
    stack: id,
    turnQueueUrls: [await queue(`${id}.fifo`, { FifoQueue: 'true' })],
    backlogQueueUrls: [await queue(`${id}-backlog.fifo`, { FifoQueue: 'true' })],
    startQueueUrl: await queue(`${id}-starts`),
    workersPerQueue: 25,
    linkQueueUrl: await queue(id),
    linkShardUrls: [],
    linkDeadLetterUrl: await queue(`${id}-dead-links`),
    turnDeadLetterUrl: await queue(`${id}-dead-turns`),
    dueShards: 8,
    workerTimeoutMs: 600_000,
    hostsPerWorker: 300,
    workerMemoryMb: 1280,
    crawlDefaults: {},
    defaultCrawl: 'default',
    allowPrivateAddresses: [],
  };
}
