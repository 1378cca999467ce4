import { expect, test } from 'vitest';
import { controlEngineOf } from '../../shared/engines/aws/control-engine.ts';
import { controlPolicyOf } from '../../shared/engines/aws/control-policy.ts';
import { stackPrices } from '../../shared/engines/aws/cost/stack-prices.ts';
import type { OpenedStack } from '../../shared/engines/aws/stack.ts';
import { InvalidCursor } from '../../shared/engines/aws/state/host-page.ts';
import { ControlError } from '../../shared/services/control/control.ts';
import { createServices } from '../../simulation/test/models/dynamo-services.ts';
import { headOf } from '../contract/subjects.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { throttling } from '../engines/aws/throttled.ts';
import { fakeStack, SETTINGS } from './fake-stack.ts';

interface ListInput {
  readonly Prefix: string;
  readonly ContinuationToken?: string;
}

/** A stack whose bucket has these objects, a page of them at a time. */
function setUp(keys: readonly string[] = [], pageSize = 1000) {
  const clock = createFakeClock();
  const fake = fakeStack(createMemoryEngine(clock), clock);
  const lists: ListInput[] = [];
  const s3 = {
    async send({ input }: { input: ListInput }) {
      lists.push(input);
      const found = keys.filter((key) => key.startsWith(input.Prefix));
      const from = Number(input.ContinuationToken ?? 0);
      const isLast = from + pageSize >= found.length;
      return {
        Contents: found.slice(from, from + pageSize).map((Key) => ({ Key })),
        NextContinuationToken: isLast ? undefined : String(from + pageSize),
      };
    },
  };
  const engineOver = (client: typeof s3) =>
    controlEngineOf({ ...fake.stack, clients: { s3: client } } as unknown as OpenedStack, SETTINGS);
  return { ...fake, clock, lists, engine: engineOver(s3), throttled: engineOver(throttling(s3)) };
}

test('a crawl’s WARC files are named without their folder, and without indexes and other crawls’ files', async () => {
  const { engine } = setUp([
    'warc/news/a.warc.gz',
    'warc/news/joined-1.warc.gz',
    'warc/news/joined-1.cdxj',
    'warc/news2/b.warc.gz',
  ]);
  expect(await engine.warcFiles?.('news')).toEqual(['a.warc.gz', 'joined-1.warc.gz']);
});

test('a thousand files are named at most, and looked for in three lists', async () => {
  const many = Array.from({ length: 1500 }, (_, i) => `warc/news/${i}.warc.gz`);
  const all = setUp(many);
  expect(await all.engine.warcFiles?.('news')).toHaveLength(1000);
  expect(all.lists).toHaveLength(1);
  const short = setUp(many, 100);
  expect(await short.engine.warcFiles?.('news')).toHaveLength(300);
  expect(short.lists).toHaveLength(3);
});

test('a list of WARC files that is refused for its rate is asked for again', async () => {
  const { throttled, clock } = setUp(['warc/news/a.warc.gz', 'warc/news/b.warc.gz'], 1);
  expect(await clock.drive(throttled.warcFiles!('news'))).toEqual(['a.warc.gz', 'b.warc.gz']);
});

test('an export is begun though the function that makes it could not be woken: it runs later', async () => {
  const { clients } = createServices();
  const { stack } = setUp();
  let woken = 0;
  const engine = controlEngineOf(
    { ...stack, clients } as unknown as OpenedStack,
    { ...SETTINGS, crawlState: 'T', bucket: 'b' },
    {
      async wakeExporter() {
        woken++;
        throw new Error('too many requests');
      },
    },
  );
  const begun = await engine.exports!.begin('news', { format: 'wacz' });
  expect(woken).toBe(1);
  expect((await engine.exports!.list('news')).map(({ id, state }) => [id, state])).toEqual([
    [begun.id, 'waiting'],
  ]);
});

test('each request for an export begins one, also if it is like the one before', async () => {
  const { clients } = createServices();
  const { stack } = setUp();
  const settings = { ...SETTINGS, crawlState: 'T', bucket: 'b' };
  const { exports } = controlEngineOf({ ...stack, clients } as unknown as OpenedStack, settings);
  const first = await exports!.begin('news', { format: 'wacz' });
  const second = await exports!.begin('news', { format: 'wacz' });
  expect((await exports!.list('news')).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
});

test('a page of hosts has those that there are then', async () => {
  const { engine, stack } = setUp();
  const page = async () => (await engine.ledgers.hostPage('news', undefined, 5)).hosts;
  expect(await page()).toEqual([]);
  await stack.engine.ledgers.commit('news', 'a.test', headOf(1));
  expect(await page()).toMatchObject([{ host: 'a.test', head: { version: 1 } }]);
  await stack.engine.ledgers.commit('news', 'a.test', headOf(2));
  expect(await page()).toMatchObject([{ host: 'a.test', head: { version: 2 } }]);
});

test('waking all hosts is the router’s work: it gets a message', async () => {
  const { engine, texts } = setUp();
  await engine.wakeAll('news', 3);
  expect(texts).toEqual(['{"wakeAll":"news","resume":3}']);
});

test('a cursor that nobody gave is the asker’s fault, and nothing else is', async () => {
  const { engine } = setUp();
  expect(await engine.ledgers.hostPage('news', undefined, 5)).toEqual({ hosts: [] });
  for (const [error, expected] of [
    [new InvalidCursor('no such cursor'), new ControlError('invalid', 'no such cursor', 'cursor')],
    [new Error('no table'), new Error('no table')],
  ] as const) {
    const { stack: failing } = setUp();
    failing.engine.ledgers.hostPage = async () => Promise.reject(error);
    const asked = controlEngineOf({ ...failing, clients: {} } as unknown as OpenedStack, SETTINGS);
    await expect(asked.ledgers.hostPage('news', 'x', 5)).rejects.toEqual(expected);
  }
});

test('usage costs what the stack’s region charges', () => {
  const { engine } = setUp();
  expect(engine.costOf?.({ s3Puts: 1000 })).toMatchObject({ total: 0.005, byItem: { s3Puts: 0.005 } });
  const urlOf = (region: string) => ({ linkQueueUrl: `https://sqs.${region}.amazonaws.com/1/links` });
  expect(stackPrices(urlOf('us-east-1'))).toMatchObject({ region: 'us-east-1', isExact: true });
  expect(stackPrices(urlOf('eu-west-1'))).toMatchObject({ region: 'eu-west-1', isExact: false });
});

test('crawls of a stack may be what its settings say', () => {
  const settings = { ...SETTINGS, crawlDefaults: { delayMs: 5 }, allowPrivateAddresses: ['10.0.0.0/8'] };
  const refuses = {
    hosts: expect.stringContaining('hostsPerWorker'),
    clientCertificates: expect.any(String),
    identity: expect.stringContaining('identityParameter'),
    fromFolder: expect.any(String),
    warcMaxBytes: expect.any(String),
    render: expect.any(String),
    keepRendered: expect.any(String),
    screenshots: expect.any(String),
  };
  // A fifth of the worker's 120 s.
  const fixed = { allowPrivateAddresses: ['10.0.0.0/8'], maxTotalTimeoutMs: 24_000, refuses };
  expect(controlPolicyOf(settings)).toEqual({ limits: { isPaid: true }, defaults: { delayMs: 5 }, ...fixed });
  const more = { allowPorts: [8080], limits: { maxPages: 7 } as never, archiveDays: 0 };
  const limits = { maxPages: 7, isPaid: true };
  const all = { defaults: { delayMs: 5 }, ...more, limits, ...fixed };
  expect(controlPolicyOf({ ...settings, ...more })).toEqual(all);
});
