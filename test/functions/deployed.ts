/** The functions as their entry modules wire them, over the models of the services, on virtual time. */
import { EventBridgeClient, type PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { openApi } from '../../functions/api.ts';
import type { BlockGuardOptions } from '../../functions/block-guard.ts';
import { openCompactor } from '../../functions/compactor.ts';
import { openExporter } from '../../functions/exporter.ts';
import { createWorkerFunction, type WorkerParts } from '../../functions/open-worker.ts';
import { openRouter } from '../../functions/router.ts';
import { createFunctionStack, type FunctionStack } from '../../functions/stack.ts';
import { openWaker } from '../../functions/waker.ts';
import { UNWATCHED } from '../../shared/crawler/turn/page/page-work.ts';
import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import { createSimCloud, type SimCloudOptions } from '../../simulation/models/cloud.ts';
import type { SimProcess } from '../../simulation/models/process.ts';
import { drive } from '../../simulation/models/virtual-time.ts';
import { createScriptedFetcher, type Site } from '../crawler/worker/scripted-fetcher.ts';
import { eventFrom, type LogEntry } from './fake-stack.ts';

/** An event that was put on the account's bus. */
interface PutEvent {
  readonly type: string;
  readonly source: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The answer of the account's bus to a call. */
export type BusAnswer = 'takes' | 'refuses' | 'fails';

const undo: (() => void)[] = [];

/** Answers the calls of all clients of that class in this process, until {@link restoreCalls}. */
export function answerCalls<Command>(
  client: { readonly prototype: object },
  answer: (command: Command) => Promise<object>,
): void {
  const own = Object.getOwnPropertyDescriptor(client.prototype, 'send');
  Object.defineProperty(client.prototype, 'send', { value: answer, configurable: true });
  undo.push(() => {
    if (own) Object.defineProperty(client.prototype, 'send', own);
    else Reflect.deleteProperty(client.prototype, 'send');
  });
}

export function restoreCalls(): void {
  for (const each of undo.splice(0).reverse()) each();
}

/** The memory of a worker that has just started, in bytes. */
const USED_BYTES = 160_000_000;

/** Workers decide by their memory and CPU, and those of the process that runs the tests are others each time. */
function fixProcess(): void {
  const spies = [
    vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(USED_BYTES),
    vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 }),
  ];
  for (const spy of spies) undo.push(() => spy.mockRestore());
}

/** {@link restoreCalls} is to be called after it is used. */
export function deployFunctions({
  site = {},
  settings = {},
  ...more
}: {
  readonly site?: Site;
  readonly settings?: Partial<StackSettings>;
} & Pick<SimCloudOptions, 'sizes' | 'linkShards' | 'turnQueues'> = {}) {
  fixProcess();
  const cloud = createSimCloud({ seed: 1, latency: () => 2, settings, ...more });
  const { time } = cloud;
  const logged: LogEntry[] = [];
  const lines: string[] = [];
  const events: PutEvent[] = [];
  const guards: BlockGuardOptions[] = [];
  const bus: { answer: BusAnswer; onPut?: () => void } = { answer: 'takes' };
  /** Returns whether a call of a service is refused. */
  const faults: { refuses?: (command: string, input: object) => boolean } = {};
  answerCalls(EventBridgeClient, async (command: PutEventsCommand) => {
    await time.sleep(2);
    if (bus.answer === 'fails') throw Object.assign(new Error('no bus'), { name: 'AccessDenied' });
    const { Entries = [] } = command.input;
    bus.onPut?.();
    if (bus.answer === 'refuses')
      return { FailedEntryCount: Entries.length, Entries: [{ ErrorCode: 'Full', ErrorMessage: 'no room' }] };
    for (const { Source = '', DetailType = '', Detail = '{}' } of Entries)
      events.push({ type: DetailType, source: Source, detail: JSON.parse(Detail) });
    return { FailedEntryCount: 0 };
  });

  function clientsOf(process: SimProcess): AwsClients {
    const refusing = (client: { send(command: object): Promise<unknown> }) => ({
      ...client,
      async send(command: { readonly input?: object }) {
        if (faults.refuses?.(command.constructor.name, command.input ?? {}))
          throw Object.assign(new Error('it is refused'), { name: 'AccessDenied' });
        return client.send(command);
      },
    });
    const { dynamo, s3, sqs } = cloud.clientsOf(process);
    return { dynamo: refusing(dynamo), s3: refusing(s3), sqs: refusing(sqs) } as unknown as AwsClients;
  }

  /** A process of a function. */
  function begin(name: string): FunctionStack {
    const process = cloud.begin(name);
    return createFunctionStack({
      settings: cloud.settings,
      clock: process.clock,
      log: (level, fields) => void logged.push({ level, ...fields }),
      write: (line) => void lines.push(line),
      clients: clientsOf(process),
      sizes: cloud.sizes,
    });
  }

  const operator = begin('operator');
  const context = (ms: number): Context => {
    const endsAt = time.now() + ms;
    return { getRemainingTimeInMillis: () => endsAt - time.now() } as Context;
  };
  const wait = <T>(promise: Promise<T>): Promise<T> => drive(time, promise);
  const fetcher = createScriptedFetcher(cloud.begin('web').clock, site);
  const nameOf = (queueUrl: string): string => queueUrl.split('/').at(-1) as string;

  const made = {
    api: openApi(begin('api')),
    router: openRouter(begin('router')),
    waker: openWaker(begin('waker')),
    exporter: openExporter(begin('exporter')),
    compactor: openCompactor(begin('compactor')),
  };

  const deployed = {
    cloud,
    settings: cloud.settings,
    time,
    logged,
    lines,
    events,
    /** How each worker's process is watched. */
    guards,
    bus,
    faults,
    fetcher,
    /** A stack as its operator opens it. */
    stack: operator.open(),
    wait,
    /** The texts of log lines of that level. */
    said: (level: string) => logged.filter((line) => line.level === level).map(({ message }) => message),
    ofType: (type: string) => events.filter((event) => event.type === type),

    /** Takes all messages out of a queue, as a poller does. */
    async takeAll(queueUrl: string): Promise<string[]> {
      const { sqs } = deployed.stack.clients;
      const bodies: string[] = [];
      for (;;) {
        const asked = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
        const { Messages = [] } = await wait(sqs.send(asked));
        if (Messages.length === 0) return bodies;
        for (const { Body, ReceiptHandle } of Messages) {
          bodies.push(Body as string);
          await wait(sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle })));
        }
      }
    },
    async request(method: string, path: string, body?: object, query: Record<string, string> | null = null) {
      const event = { httpMethod: method, path, queryStringParameters: query, isBase64Encoded: false };
      const answer = await wait(
        made.api({ ...event, body: body === undefined ? null : JSON.stringify(body) }),
      );
      return { status: answer.statusCode, body: JSON.parse(answer.body) };
    },
    route: (event: SQSEvent) => wait(made.router(event, context(60_000))),
    /** Routes all messages of the link queue. */
    async routeAll() {
      const bodies = await deployed.takeAll(cloud.settings.linkQueueUrl);
      return deployed.route(eventFrom(nameOf(cloud.settings.linkQueueUrl), bodies));
    },
    /** A worker of a process of its own. */
    worker(parts: Partial<WorkerParts> = {}) {
      const run = createWorkerFunction(
        {
          module: import.meta.url,
          wrapFetcher: () => fetcher,
          startGuard(options) {
            guards.push(options);
            return UNWATCHED;
          },
          ...parts,
        },
        () => begin('worker'),
      );
      return (event: Parameters<typeof run>[0]) => wait(run(event, context(cloud.settings.workerTimeoutMs)));
    },
    /** The events of the messages that wait in the start queue. */
    async starts(): Promise<SQSEvent[]> {
      const queueUrl = cloud.settings.startQueueUrl;
      return (await deployed.takeAll(queueUrl)).map((body) => eventFrom(nameOf(queueUrl), [body]));
    },
    wake: () => wait(made.waker({}, context(55_000))),
    async wakeFor(minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        await time.advance(60_000);
        await deployed.wake();
      }
    },
    exportNow: (ms = 900_000) => wait(made.exporter({}, context(ms))),
    compact: (event: object = {}, ms = 900_000) => wait(made.compactor(event, context(ms))),
  };
  return deployed;
}
