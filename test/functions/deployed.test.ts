/** The functions of a stack, each as its entry module makes it: what they do together, and what of their surroundings they use. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Context } from 'aws-lambda';
import { afterEach, describe, expect, test } from 'vitest';
import { SLOWNESS } from '../../functions/block-guard.ts';
import { cpuMs } from '../../functions/open-worker.ts';
import { parcelTexts } from '../../shared/engines/aws/queues/message-text.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import type { StrandConfig } from '../../shared/services/project/project.ts';
import { COMPACT_MORE, EXPORT_MORE, START_SMALL } from '../../shared/services/webhook/event-types.ts';
import { page, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { answerCalls, type BusAnswer, deployFunctions, restoreCalls } from './deployed.ts';
import { eventFrom, SETTINGS } from './fake-stack.ts';

afterEach(() => {
  restoreCalls();
  delete process.env.STRAND_SETTINGS;
  delete process.env.STRAND_SMALL_WORKER;
});

const SITE: Site = {
  'http://a.test/': page('/1', 'http://b.test/'),
  'http://a.test/1': page(),
  'http://b.test/': page(),
};
const CONFIG = { contact: 'me@example.org', delayMs: 100, scope: 'any' };
const HOUR_MS = 3_600_000;
const START = eventFrom('starts', ['{"queue":0,"workers":1}']);
/** A stack that has small workers. */
const WITH_SMALL: Partial<StackSettings> = { smallWorkerMemoryMb: 512 };

/** A crawl that was begun by a request, and whose seeds have come to their hosts. */
async function begun(settings: Partial<StackSettings> = {}, config: object = {}, crawls = ['news']) {
  const deployed = deployFunctions({ site: SITE, settings });
  for (const crawl of crawls) {
    const request = { crawl, seeds: ['http://a.test/'], config: { ...CONFIG, ...config } };
    expect(await deployed.request('POST', '/crawls', request)).toMatchObject({ status: 201 });
  }
  expect(await deployed.routeAll()).toEqual({ batchItemFailures: [] });
  return deployed;
}
type Deployed = Awaited<ReturnType<typeof begun>>;

/** Works until no message starts a worker any more. */
async function work(deployed: Deployed): Promise<void> {
  const worker = deployed.worker();
  for (let round = 0; round < 4; round++) {
    for (const event of await deployed.starts()) await worker(event);
    await deployed.routeAll();
  }
}

async function finished(...given: Parameters<typeof begun>): Promise<Deployed> {
  const deployed = await begun(...given);
  await work(deployed);
  await deployed.wakeFor(10);
  return deployed;
}

const summaryOf = async (deployed: Deployed) => (await deployed.request('GET', '/crawls/news')).body;
const pagesOf = ({ fetcher }: Deployed) =>
  fetcher.log.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'));
/** Keys of the bucket that contain the text. */
const keysWith = async (deployed: Deployed, text: string): Promise<string[]> =>
  [...deployed.cloud.s3.objects('archive').keys()].filter((key) => key.includes(text));
const DOWN: readonly BusAnswer[] = ['refuses', 'fails'];

test('the functions together take a crawl from the request to its end, and put one event of that on the bus', async () => {
  const deployed = await finished();
  expect(pagesOf(deployed)).toEqual(['http://a.test/', 'http://a.test/1', 'http://b.test/']);
  expect(await summaryOf(deployed)).toMatchObject({ state: 'finished', pages: 3, hosts: 2 });
  await deployed.wakeFor(10);
  expect(deployed.events).toEqual([
    {
      type: 'crawlFinished',
      source: 'strand.Sim',
      detail: expect.objectContaining({ crawl: 'news', stack: 'Sim', type: 'crawlFinished' }),
    },
  ]);
  expect(deployed.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('each entry module calls its own handler, by the environment of the function', async () => {
  const asked: string[] = [];
  for (const client of [DynamoDBClient, S3Client, SQSClient, EventBridgeClient])
    answerCalls(client, async (command: object) => {
      asked.push(command.constructor.name);
      throw Object.assign(new Error('nothing is allowed'), { name: 'AccessDenied' });
    });
  process.env.STRAND_SETTINGS ??= JSON.stringify(SETTINGS);
  const context = { getRemainingTimeInMillis: () => 900_000 } as Context;
  const handlerOf = async (name: string) => (await import(`../../functions/${name}.ts`)).handler;
  for (const [name, event] of [
    ['waker', {}],
    ['exporter', {}],
    ['compactor', {}],
  ] as const) {
    const handler = await handlerOf(name);
    asked.length = 0;
    await expect(handler(event, context), name).rejects.toThrow('nothing is allowed');
    expect(asked, name).not.toEqual([]);
  }
  const api = await handlerOf('api');
  const request = { httpMethod: 'GET', path: '/crawls', queryStringParameters: null, body: null };
  expect(await api(request)).toMatchObject({ statusCode: 500 });
  const router = await handlerOf('router');
  const seeds = JSON.stringify({ crawl: 'news', urls: ['http://a.test/'], config: CONFIG });
  expect(await router(eventFrom('links', [seeds]), context)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm0' }],
  });
  const worker = await handlerOf('worker');
  await expect(worker(eventFrom('another', ['']), context)).rejects.toThrow('start queue');
});

describe('the router', () => {
  test('puts a message that is none into the dead letters, with the reason, and routes the others', async () => {
    const deployed = deployFunctions({ site: SITE });
    const seeds = JSON.stringify({ crawl: 'news', urls: ['http://a.test/'], config: CONFIG });
    await deployed.route(eventFrom('links', ['{"crawl":', seeds]));
    expect(await deployed.takeAll(deployed.settings.linkDeadLetterUrl)).toEqual(['{"crawl":']);
    await deployed.routeAll();
    await work(deployed);
    expect(pagesOf(deployed)).toHaveLength(3);
  });

  test('has a message of a newer version come again, and calls the operator’s attention', async () => {
    const deployed = deployFunctions();
    const links = [{ url: 'http://a.test/', depth: 0 }];
    const newer = Buffer.from([...parcelTexts({ crawl: 'news', links }, 1000)][0] as string, 'base64');
    newer[1] = 99;
    expect(await deployed.route(eventFrom('links', [newer.toString('base64')]))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm0' }],
    });
    await deployed.time.advance(1000);
    expect(deployed.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ stack: 'Sim', trouble: 'NewerFormat', Attention: 1 }),
    );
    expect(deployed.logged).toContainEqual(
      expect.objectContaining({ trouble: 'NewerFormat', level: 'warn' }),
    );
  });
});

describe('a worker', () => {
  test('crawls by the fetcher and the engine that it is made with, one for each turn queue', async () => {
    const deployed = await begun();
    const engines: object[] = [];
    const fetchers: object[] = [];
    const worker = deployed.worker({
      wrapEngine: (engine) => {
        engines.push(engine);
        return engine;
      },
      wrapFetcher: (fetcher) => {
        fetchers.push(fetcher);
        return deployed.fetcher;
      },
    });
    const [start] = await deployed.starts();
    expect(await worker(start!)).toEqual({ batchItemFailures: [] });
    await worker(start!);
    expect(engines).toHaveLength(1);
    const other = 1 - JSON.parse(start!.Records[0]!.body).queue;
    await worker(eventFrom('starts', [JSON.stringify({ queue: other, workers: 1 })]));
    expect(engines).toHaveLength(2);
    expect(fetchers.length).toBeGreaterThan(0);
    expect(pagesOf(deployed)).toContain('http://a.test/1');
  });

  test('reports what it did and what that has cost', async () => {
    const deployed = await begun();
    await work(deployed);
    const reports = deployed.lines.map((line) => JSON.parse(line));
    const sum = (name: string) => reports.reduce((total, report) => total + (report[name] ?? 0), 0);
    expect(sum('Pages')).toBe(3);
    expect(sum('CostUsd')).toBeGreaterThan(0.000_01);
    expect(sum('CostUsd')).toBeLessThan(0.01);
    // The crawl has paid it.
    expect((await summaryOf(deployed)).cost).toBeGreaterThan(0.000_01);
    expect(deployed.logged).toContainEqual(
      expect.objectContaining({ level: 'info', calls: expect.objectContaining({ 's3.PutObject': 1 }) }),
    );
  });

  test('is watched for pages that block it: a small one, which has less of a CPU, for longer', async () => {
    const deployed = deployFunctions({
      settings: { ...WITH_SMALL, crawlDefaults: { blockTimeoutMs: 7000 } },
    });
    await deployed.worker({ module: 'file:///worker.js' })(START);
    await deployed.worker({ isSmall: true })({
      detail: { stack: 'Sim', queue: 0, workers: 1, isSmall: true },
    });
    const [full, small] = deployed.guards;
    expect(full).toEqual({ module: 'file:///worker.js', blockTimeoutMs: 7000 });
    expect(small).toMatchObject({ blockTimeoutMs: 7000 });
    // 512 of 1,769 MB.
    expect(small?.slowness).toBeCloseTo((SLOWNESS * 1769) / 512, 3);
  });

  test('is the small one if its environment says so', async () => {
    const deployed = deployFunctions({ settings: WITH_SMALL });
    process.env.STRAND_SMALL_WORKER = 'true';
    await deployed.worker()(START);
    process.env.STRAND_SMALL_WORKER = 'false';
    await deployed.worker()(START);
    delete process.env.STRAND_SMALL_WORKER;
    await deployed.worker()(START);
    expect(deployed.guards.map(({ slowness }) => slowness !== undefined)).toEqual([true, false, false]);
  });

  test.each<[string, StrandConfig, boolean]>([
    ['hooks', { onPage: () => {} }, true],
    ['modules for documents', { modules: [{ mediaTypes: ['text/x'], read: () => ({ text: '' }) }] }, true],
    ['nothing of its own', {}, false],
    [
      'middleware alone, which is called while a request is awaited',
      { middleware: [(request, next) => next(request)] },
      false,
    ],
  ])(
    'of a project that has %s: whether its process is guarded against what that leaves behind',
    async (_what, project, isGuarded) => {
      const deployed = await begun();
      const logs: unknown[] = [];
      const worker = deployed.worker({ project, guardProcess: (log) => void logs.push(log) });
      const [start] = await deployed.starts();
      await worker(start!);
      await worker(start!);
      expect(logs.map((log) => typeof log)).toEqual(isGuarded ? ['function'] : []);
      expect(pagesOf(deployed)).toContain('http://a.test/1');
    },
  );

  test('calls the project’s hooks for its pages, and does not leave them to a small worker', async () => {
    const deployed = await begun(WITH_SMALL);
    const called: string[] = [];
    const project: StrandConfig = { onPage: ({ url }) => void called.push(url) };
    const worker = deployed.worker({ project, guardProcess: () => {} });
    for (const { Records } of await deployed.starts()) {
      const message = { ...JSON.parse(Records[0]!.body), isSmall: true };
      await worker(eventFrom('starts', [JSON.stringify(message)]));
    }
    expect(called).toContain('http://a.test/1');
    expect(deployed.ofType(START_SMALL)).toEqual([]);
  });

  test('knows the CPU time of its process', () => {
    const ownMs = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
    const before = ownMs();
    const ms = cpuMs();
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(ownMs());
  });

  describe('of full size that is to pass its start on to a small one', () => {
    const PASSED_ON = eventFrom('starts', ['{"queue":0,"workers":1,"isSmall":true}']);
    const startOf = async () => {
      const deployed = await begun({ ...WITH_SMALL });
      const [start] = await deployed.starts();
      const message = JSON.parse(start!.Records[0]!.body);
      return {
        deployed,
        start: eventFrom('starts', [JSON.stringify({ ...message, isSmall: true })]),
        message,
      };
    };

    test('puts an event, which starts the small one', async () => {
      const { deployed, start, message } = await startOf();
      await deployed.worker()(start);
      expect(pagesOf(deployed)).toEqual([]);
      const [event] = deployed.ofType(START_SMALL);
      expect(event).toMatchObject({
        source: 'strand.Sim',
        detail: { stack: 'Sim', ...message, isSmall: true, inPlaceOf: expect.any(String) },
      });
      await deployed.worker({ isSmall: true })({ detail: event!.detail });
      expect(pagesOf(deployed)).toContain('http://a.test/1');
      expect(deployed.logged.filter(({ level }) => level !== 'info')).toEqual([]);
    });

    test.each(DOWN)('serves the hosts itself if the event bus %s', async (answer) => {
      const { deployed, start } = await startOf();
      deployed.bus.answer = answer;
      await deployed.worker()(start);
      expect(pagesOf(deployed)).toContain('http://a.test/1');
      const warnings = deployed.logged.filter(({ level }) => level === 'warn');
      expect(warnings).toEqual(
        answer === 'fails' ? [expect.objectContaining({ pool: 'a small worker cannot be started' })] : [],
      );
    });

    test('serves the hosts itself in a stack that has none', async () => {
      const deployed = await begun();
      for (const { Records } of await deployed.starts()) {
        const message = { ...JSON.parse(Records[0]!.body), isSmall: true };
        await deployed.worker()(eventFrom('starts', [JSON.stringify(message)]));
      }
      expect(deployed.events).toEqual([]);
      expect(pagesOf(deployed)).toContain('http://a.test/1');
    });

    test('is asked to do so by its start alone', async () => {
      const deployed = deployFunctions({ settings: WITH_SMALL });
      await deployed.worker()(START);
      expect(deployed.ofType(START_SMALL)).toEqual([]);
      await deployed.worker()(PASSED_ON);
      expect(deployed.ofType(START_SMALL)).toHaveLength(1);
    });
  });

  test('reads the stack’s secrets, which are in nothing that it stores or says', async () => {
    const mark = 'MARKED-SECRET-0123456789';
    const value = JSON.stringify({
      auth: { 'a.test': `user:${mark}` },
      headers: { 'b.test': { 'X-Key': mark } },
      proxies: [{ url: `http://user:${mark}@192.0.2.1:8080` }],
    });
    answerCalls(SSMClient, async () => ({ Parameter: { Value: value } }));
    const deployed = await begun({ secretsParameter: '/strand/secrets' });
    await work(deployed);
    await deployed.wakeFor(10);
    expect(pagesOf(deployed)).toHaveLength(3);
    const { cloud, logged, lines, events } = deployed;
    const tables = [cloud.settings.crawlState, cloud.settings.urlSeen].map((table) => [
      ...cloud.dynamo.items(table),
    ]);
    const objects = [...cloud.s3.objects('archive').values()];
    const summary = await summaryOf(deployed);
    const said = JSON.stringify([tables, objects, logged, lines, events, summary, cloud.settings]);
    expect(said).toContain('/strand/secrets');
    expect(said).not.toContain(mark);
  });

  test('makes no request while the stack’s secrets cannot be read', async () => {
    answerCalls(SSMClient, async () => ({ Parameter: { Value: '{ "auth": { "*": "a:b" } }' } }));
    const deployed = await begun({ secretsParameter: '/strand/secrets' });
    await work(deployed);
    expect(deployed.fetcher.log).toEqual([]);
    expect(deployed.logged).toContainEqual(expect.objectContaining({ trouble: 'Secrets' }));
  });

  test('of a stack with secrets, no crawl says where its requests go', async () => {
    const deployed = deployFunctions({ site: SITE, settings: { secretsParameter: '/strand/secrets' } });
    for (const config of [
      { proxies: [{ url: 'http://192.0.2.1:1' }] },
      { resolve: [['a.test', '192.0.2.1']] },
      { tls: 'any' },
    ]) {
      const request = { crawl: 'news', seeds: ['http://a.test/'], config: { ...CONFIG, ...config } };
      expect(await deployed.request('POST', '/crawls', request)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('secretsParameter') } },
      });
    }
  });

  test('reads the stack’s identity before its first host, and says so if it cannot be used', async () => {
    const asked: object[] = [];
    let readAt = Number.POSITIVE_INFINITY;
    answerCalls(SSMClient, async ({ input }: GetParameterCommand) => {
      asked.push(input);
      await deployed.time.sleep(3000);
      readAt = deployed.time.now();
      return { Parameter: { Value: 'no identity' } };
    });
    const deployed = await begun({ identityParameter: '/strand/identity' });
    await work(deployed);
    expect(asked).toEqual([{ Name: '/strand/identity', WithDecryption: true }]);
    expect(pagesOf(deployed)).toHaveLength(3);
    expect(deployed.fetcher.log[0]?.startedAt).toBeGreaterThan(readAt);
    expect(deployed.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', unusable: 'Identity', parameter: '/strand/identity' }),
    );
    expect(deployed.logged).toContainEqual(expect.objectContaining({ trouble: 'Identity' }));
  });
});

describe('the waker', () => {
  test('pauses all crawls that run when they have cost what the deployer allows in a day', async () => {
    const deployed = await begun({ limits: { maxCostPerDay: 0.000_000_1 } });
    await deployed.wake();
    await work(deployed);
    await deployed.wakeFor(1);
    expect(await summaryOf(deployed)).toMatchObject({ state: 'paused', reasonCode: 'maxCostPerDay' });
    expect(deployed.logged).toContainEqual(expect.objectContaining({ trouble: 'DailyLimit' }));
    // It is no end: nobody is sent an event, and it goes on by itself on the next day.
    expect(deployed.ofType('crawlLimited')).toEqual([]);
    const { time } = deployed;
    await time.advance(86_400_000 - (time.now() % 86_400_000));
    await deployed.wake();
    expect(await summaryOf(deployed)).toMatchObject({ state: 'running' });
    await deployed.routeAll();
    expect(await deployed.starts()).not.toEqual([]);
  });

  test('lets a crawl of the whole web begin only where something limits its cost', async () => {
    const begin = async (limits: object, config: object) => {
      const deployed = deployFunctions({ site: SITE, settings: { limits } });
      const request = { crawl: 'all', seeds: ['https://a.test/'], config: { ...CONFIG, ...config } };
      const { status, body } = await deployed.request('POST', '/crawls', request);
      restoreCalls();
      return { status, body };
    };
    expect(await begin({}, {})).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('give it a maxCost'), field: 'config.maxCost' } },
    });
    for (const [limits, config] of [
      [{ maxCostPerDay: 10 }, {}],
      [{ maxCost: 10 }, {}],
      [{}, { maxCost: 1 }],
      [{}, { scope: 'host' }],
    ] as const)
      expect(await begin(limits, config)).toMatchObject({ status: 201 });
  });

  test('lets them run below that', async () => {
    const deployed = await begun({ limits: { maxCostPerDay: 10 } });
    await deployed.wake();
    await work(deployed);
    await deployed.wakeFor(1);
    expect(await summaryOf(deployed)).toMatchObject({ state: 'running' });
  });

  test('calls the operator’s attention to dead letters of both kinds', async () => {
    const deployed = deployFunctions();
    const { exchange } = deployed.stack.engine;
    await deployed.wake();
    expect(deployed.logged.filter(({ trouble }) => trouble !== undefined)).toEqual([]);
    await deployed.wait(exchange.sendTexts(['not a message', 'nor this']));
    await deployed.routeAll();
    await deployed.wakeFor(6);
    expect(deployed.logged.filter(({ trouble }) => trouble !== undefined)).toEqual([
      expect.objectContaining({ trouble: 'DeadLinks', messages: 2 }),
    ]);
  });

  test('calls it to a crawl that costs more than it may in an hour', async () => {
    const deployed = await begun({ maxCostPerHour: 0.000_000_1 });
    await deployed.wakeFor(1);
    await work(deployed);
    await deployed.wakeFor(10);
    expect(deployed.logged).toContainEqual(expect.objectContaining({ trouble: 'Spend' }));
  });

  test('sends events to the webhook too, unless its address is one that the stack has not opened', async () => {
    const target = { url: 'http://127.0.0.1:8080/', secret: 'x'.repeat(32) };
    answerCalls(SSMClient, async () => ({ Parameter: { Value: JSON.stringify(target) } }));
    const deployed = await finished({ webhookParameter: '/strand/webhook' });
    expect(deployed.ofType('crawlFinished').length).toBeGreaterThan(0);
    expect(deployed.logged).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        crawl: 'news',
        cause: expect.stringMatching(/^webhook: crawlFinished: .*127\.0\.0\.1/),
      }),
    );
  });

  describe('at the end of a crawl that makes documents', () => {
    test.each<BusAnswer>(['takes', ...DOWN])('begins their export; the event bus %s', async (answer) => {
      const deployed = await begun({}, { documents: true });
      await work(deployed);
      deployed.bus.answer = answer;
      await deployed.wakeFor(10);
      const { body } = await deployed.request('GET', '/crawls/news/exports');
      expect(body.exports).toMatchObject([{ id: expect.stringMatching(/^documents-end-\d+s$/) }]);
      expect(deployed.ofType(EXPORT_MORE).map(({ detail }) => detail)).toEqual(
        answer === 'takes' ? [{ stack: 'Sim' }] : [],
      );
      const late = deployed.logged.filter(
        ({ message }) => message === 'The export does not begin before the next hour',
      );
      expect(late.map(({ crawl }) => crawl)).toEqual(answer === 'takes' ? [] : late.map(() => 'news'));
      expect(late.length > 0).toBe(answer !== 'takes');
    });
  });
});

test('an export at the end of a crawl is begun before the exporter is woken, and again if it could not be begun', async () => {
  const deployed = await begun({}, { documents: true });
  await work(deployed);
  const begins = (command: string, input: object) =>
    command === 'PutItemCommand' && JSON.stringify(input).includes('documents-end-');
  let isBegun = false;
  deployed.faults.refuses = begins;
  await deployed.wakeFor(3);
  expect(deployed.ofType(EXPORT_MORE)).toEqual([]);
  expect(deployed.said('warn')).toContain('The end of a crawl cannot be announced now');
  deployed.faults.refuses = (command, input) => {
    isBegun ||= begins(command, input);
    return false;
  };
  const begunAtPut: boolean[] = [];
  deployed.bus.onPut = () => void begunAtPut.push(isBegun);
  deployed.events.length = 0;
  await deployed.wakeFor(30);
  expect(deployed.ofType(EXPORT_MORE)).toHaveLength(1);
  expect(begunAtPut.at(-1)).toBe(true);
});

describe('a call to a service that fails is never lost in silence', () => {
  const parcel = () => {
    const links = [{ url: 'http://a.test/9', depth: 1 }];
    return [...parcelTexts({ crawl: 'news', links }, 1000)][0] as string;
  };
  const seeds = JSON.stringify({ crawl: 'more', urls: ['http://m.test/'], config: CONFIG });

  /** A lease that ends by itself; and the reason of a seed that has failed, which is shown if it can be read. */
  const isWaived = (command: string, input: object): boolean =>
    command === 'DeleteItemCommand' ||
    (command === 'GetItemCommand' && JSON.stringify(input).includes('"sk":{"S":"head"}'));

  test.each<[string, (deployed: Deployed) => Promise<unknown>, waives?: typeof isWaived]>([
    ['of the waker', (deployed) => deployed.wake()],
    ['of the exporter', (deployed) => deployed.exportNow(200_000)],
    ['of the compactor', (deployed) => deployed.compact(), isWaived],
    ['of the router, for links', (deployed) => deployed.route(eventFrom('links', [parcel()]))],
    ['of the router, for seeds', (deployed) => deployed.route(eventFrom('links', [seeds]))],
    ['of the router, for a message that is none', (deployed) => deployed.route(eventFrom('links', ['{']))],
    ['of the API', (deployed) => deployed.request('GET', '/crawls/news'), isWaived],
    ['of the API, for a list', (deployed) => deployed.request('GET', '/crawls/news/hosts')],
  ])('%s', async (_which, act, waives = () => false) => {
    const deployed = await begun();
    await deployed.request('POST', '/crawls/news/exports', { format: 'jsonl' });
    await act(deployed);
    let struck = '';
    for (let n = 1; n === 1 || struck !== ''; n++) {
      expect(n, 'calls of one run').toBeLessThan(100);
      deployed.logged.length = 0;
      struck = '';
      let made = 0;
      let mayHide = false;
      deployed.faults.refuses = (command, input) => {
        if (++made !== n) return false;
        struck = command;
        mayHide = waives(command, input);
        return true;
      };
      const answer = (await act(deployed).catch((error: Error) => ({ error: error.message }))) ?? {};
      deployed.faults.refuses = () => false;
      await deployed.time.advance(61_000);
      const said = deployed.logged.filter(({ level }) => level !== 'info');
      const isSeen =
        said.length > 0 ||
        'error' in (answer as object) ||
        (answer as { batchItemFailures?: unknown[] }).batchItemFailures?.length === 1 ||
        (answer as { status?: number }).status === 500;
      if (struck !== '' && !mayHide) expect([n, struck, isSeen]).toEqual([n, struck, true]);
    }
  });
});

describe('an export', () => {
  const ask = (deployed: Deployed) => deployed.request('POST', '/crawls/news/exports', { format: 'jsonl' });
  const stateOf = async (deployed: Deployed) =>
    (await deployed.request('GET', '/crawls/news/exports')).body.exports[0]?.state;

  test('is asked for by a request, which wakes the exporter, which makes it', async () => {
    const deployed = await finished();
    deployed.events.length = 0;
    expect(await ask(deployed)).toMatchObject({ status: 202 });
    expect(deployed.events).toEqual([{ type: EXPORT_MORE, source: 'strand.Sim', detail: { stack: 'Sim' } }]);
    expect(await stateOf(deployed)).toBe('waiting');
    await deployed.exportNow();
    expect(await stateOf(deployed)).toBe('done');
    expect(await keysWith(deployed, 'export')).not.toEqual([]);
    // Nothing is left to do.
    expect(deployed.ofType(EXPORT_MORE)).toHaveLength(1);
  });

  test.each<BusAnswer>(['takes', 'refuses'])(
    'for which a run has no time is continued by the next one at once, which is an event; the event bus %s',
    async (answer) => {
      const deployed = await finished();
      await ask(deployed);
      deployed.events.length = 0;
      deployed.bus.answer = answer;
      await deployed.exportNow(200_000);
      expect(await stateOf(deployed)).toBe('waiting');
      expect(deployed.ofType(EXPORT_MORE).map(({ detail }) => detail)).toEqual(
        answer === 'takes' ? [{ stack: 'Sim' }] : [],
      );
      expect(deployed.said('warn')).toEqual(
        answer === 'takes' ? [] : ['Exports are not continued before the next hour'],
      );
    },
  );
});

describe('the compactor', () => {
  test.each([
    ['with tables', {}, true],
    ['without tables in a stack that wants none', { indexTables: false }, false],
  ])('joins the files of a crawl that has ended, %s', async (_what, settings, hasTables) => {
    const deployed = await finished(settings);
    expect((await keysWith(deployed, '.warc.gz')).length).toBeGreaterThan(1);
    await deployed.compact();
    // They may still be written to.
    expect(deployed.said('info')).not.toContain('WARC files were joined, and items put into tables');
    await deployed.time.advance(2 * HOUR_MS);
    await deployed.compact();
    expect(deployed.said('info')).toContain('WARC files were joined, and items put into tables');
    expect((await keysWith(deployed, 'joined')).length).toBeGreaterThan(0);
    expect((await keysWith(deployed, '.parquet')).length > 0).toBe(hasTables);
    expect(deployed.ofType(COMPACT_MORE)).toEqual([]);
  });

  test.each<BusAnswer>(['takes', 'refuses'])(
    'is continued at once if its time is up before all is joined; the event bus %s',
    async (answer) => {
      const deployed = await finished({}, {}, ['news', 'other']);
      await deployed.time.advance(2 * HOUR_MS);
      deployed.bus.answer = answer;
      await deployed.compact({ detail: { round: 24 } }, 45_050);
      expect(deployed.said('info')).toContain('WARC files were joined, and items put into tables');
      expect(deployed.ofType(COMPACT_MORE).map(({ detail }) => detail)).toEqual(
        answer === 'takes' ? [{ stack: 'Sim', round: 25 }] : [],
      );
      expect(deployed.said('warn').includes('The compactor is not continued before its next hour')).toBe(
        answer !== 'takes',
      );
      expect(deployed.logged).toContainEqual(
        expect.objectContaining({ trouble: 'ArchiveBehind', rounds: 24 }),
      );
    },
  );

  test('deletes a crawl whose deletion was asked for', async () => {
    const deployed = await finished();
    await deployed.request('DELETE', '/crawls/news', undefined, { archive: 'true' });
    expect(await keysWith(deployed, 'news')).not.toEqual([]);
    for (let hour = 0; hour < 3; hour++) {
      await deployed.time.advance(HOUR_MS);
      await deployed.compact();
    }
    expect(deployed.said('info')).toContain('The crawl was deleted');
    expect(await keysWith(deployed, 'news')).toEqual([]);
  });
});
