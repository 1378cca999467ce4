import { expect, test } from 'vitest';
import { version } from '../../../shared/core/base/version.ts';
import { createClients, transientRetries } from '../../../shared/engines/aws/clients.ts';
import { openEventBus } from '../../../shared/engines/aws/own-events.ts';
import type { StackSettings } from '../../../shared/engines/aws/settings.ts';
import { openStack } from '../../../shared/engines/aws/stack.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';

const QUEUES = [0, 1].map((n) => `https://sqs.eu-west-1.amazonaws.com/1/turns-${n}.fifo`);
const SETTINGS: StackSettings = {
  stack: 'Strand',
  crawlState: 'crawl-state',
  urlSeen: 'url-seen',
  bucket: 'bucket',
  turnQueueUrls: QUEUES,
  backlogQueueUrls: [],
  startQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/starts',
  workersPerQueue: 25,
  linkQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/links',
  linkShardUrls: [],
  linkDeadLetterUrl: 'https://sqs.eu-west-1.amazonaws.com/1/dead',
  turnDeadLetterUrl: 'https://sqs.eu-west-1.amazonaws.com/1/dead.fifo',
  dueShards: 8,
  workerTimeoutMs: 300_000,
  hostsPerWorker: 50,
  workerMemoryMb: 1024,
  crawlDefaults: {},
  defaultCrawl: 'default',
  allowPrivateAddresses: [],
};

test('opens for each of the queues, and without calling anything', () => {
  const clock = createFakeClock();
  for (const turnQueueUrl of [undefined, ...QUEUES]) {
    const { engine, close } = openStack(SETTINGS, { clock, turnQueueUrl });
    expect(engine.registry.isShared).toBe(true);
    close();
  }
});

test('refuses a queue that is none of the stack’s, and shards of the due index out of bounds', () => {
  const clock = createFakeClock();
  expect(() => openStack(SETTINGS, { clock, turnQueueUrl: 'https://sqs.test/other' })).toThrow(
    `Expected one of the turn queues ${QUEUES.join(', ')}, got https://sqs.test/other`,
  );
  expect(() => openStack({ ...SETTINGS, dueShards: 65 }, { clock })).toThrow('got 65');
});

test('the version is the package’s', () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

test('the SDK tries again what failed on its way, twice, and leaves throttles to us', async () => {
  const strategy = transientRetries({ random: () => 1 });
  const transient = { errorType: 'TRANSIENT' } as const;
  const first = await strategy.acquireInitialRetryToken('');
  const second = await strategy.refreshRetryTokenForRetry(first, transient);
  const third = await strategy.refreshRetryTokenForRetry(second, transient);
  expect([first, second, third].map((token) => [token.getRetryCount(), token.getRetryDelay()])).toEqual([
    [0, 0],
    [1, 200],
    [2, 400],
  ]);
  await expect(strategy.refreshRetryTokenForRetry(third, transient)).rejects.toThrow();
  for (const errorType of ['THROTTLING', 'CLIENT_ERROR'] as const)
    await expect(strategy.refreshRetryTokenForRetry(first, { errorType })).rejects.toThrow();
});

interface Agent {
  readonly maxSockets: number;
  readonly keepAlive: boolean;
}
interface HandlerConfig {
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly throwOnRequestTimeout: boolean;
  readonly httpsAgent: Agent;
  readonly httpAgentProvider: () => Promise<Agent>;
}

test.each([
  [1, 50],
  [50, 50],
  [80, 80],
  [150, 150],
  [400, 150],
])('clients for %i hosts at once have %i connections to each service', async (hosts, sockets) => {
  const clients = createClients(hosts, { random: () => 0 }, 'eu-west-1');
  const found = await Promise.all(Object.values(clients).map(optionsOf));
  const agents = [sockets, sockets].map((most) => [most, true]);
  expect(found).toEqual([8000, 30_000, 8000].map((answerMs) => ['eu-west-1', 3000, answerMs, true, agents]));
  for (const client of Object.values(clients)) client.destroy();
});

test('the client of the event bus does not wait for ever either', async () => {
  const client = openEventBus({ random: () => 0 }, 'eu-west-1');
  const agents = [50, 50].map((most) => [most, true]);
  expect(await optionsOf(client)).toEqual(['eu-west-1', 3000, 8000, true, agents]);
  client.destroy();
});

async function optionsOf({ config }: { readonly config: object }) {
  const { requestHandler, region } = config as {
    requestHandler: { configProvider: Promise<HandlerConfig> };
    region: () => Promise<string>;
  };
  const handler = await requestHandler.configProvider;
  const agents = [handler.httpsAgent, await handler.httpAgentProvider()];
  const times = [handler.connectionTimeout, handler.requestTimeout, handler.throwOnRequestTimeout];
  return [await region(), ...times, agents.map(({ maxSockets, keepAlive }) => [maxSockets, keepAlive])];
}
