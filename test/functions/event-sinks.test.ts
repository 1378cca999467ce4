/** The receivers of events: EventBridge, the webhook, and all of them together. */
import { text } from 'node:stream/consumers';
import type { EventBridgeClient, PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { describe, expect, test } from 'vitest';
import { allSinks, eventBus, webhookIn, webhookSink } from '../../functions/event-sinks.ts';
import { verifyWebhook } from '../../shared/webhook/signature.ts';
import type { WebhookEvent } from '../../shared/webhook/webhook.ts';
import { serveHttp, temporaryFolder } from '../fetcher/servers.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';

const eventOf = (id: string, data: object = {}): WebhookEvent => ({
  id,
  type: 'crawlFinished',
  time: new Date(T0).toISOString(),
  crawl: 'c',
  data,
});

/** `answer`: the answer to a call of that number, from 1. */
function setUp(answer: (call: number) => object = () => ({})) {
  const calls: PutEventsCommandInput[] = [];
  const client = {
    async send({ input }: { input: PutEventsCommandInput }) {
      calls.push(input);
      await new Promise((resolve) => setImmediate(resolve));
      return answer(calls.length);
    },
  } as unknown as EventBridgeClient;
  const clock = { ...createFakeClock(), sleep: async () => {} };
  return { calls, bus: eventBus({ client, clock, stack: 'Strand' }) };
}

const idsIn = ({ Entries = [] }: PutEventsCommandInput): string[] =>
  Entries.map(({ Detail }) => (JSON.parse(Detail as string) as { id: string }).id);

describe('the event bus', () => {
  test('gets an event with its type, its time and the stack', async () => {
    const { calls, bus } = setUp();
    expect(await bus.send([eventOf('1', { pages: 3 })])).toBeUndefined();
    const Detail = JSON.stringify({ ...eventOf('1', { pages: 3 }), stack: 'Strand' });
    expect(calls).toEqual([
      { Entries: [{ Source: 'strand', DetailType: 'crawlFinished', Detail, Time: new Date(T0) }] },
    ]);
  });

  test('gets ten at once, in their order, and no call for none', async () => {
    const { calls, bus } = setUp();
    await bus.send([]);
    expect(calls).toEqual([]);
    const ids = Array.from({ length: 21 }, (_, i) => `${i}`);
    await bus.send(ids.map((id) => eventOf(id)));
    expect(calls.map((call) => call.Entries?.length)).toEqual([10, 10, 1]);
    expect(calls.flatMap(idsIn)).toEqual(ids);
  });

  test('gets as many at once as their bytes allow', async () => {
    const { calls, bus } = setUp();
    const rest = JSON.stringify({ ...eventOf('1', { text: '' }), stack: 'Strand' }).length;
    // Two bytes each in UTF-8.
    const sized = (id: string, bytes: number) => eventOf(id, { text: 'ä'.repeat((bytes - rest) / 2) });
    const half = 100_000 + (rest % 2);
    await bus.send([
      sized('1', half),
      sized('2', 200_000 - half),
      sized('3', half),
      sized('4', 200_002 - half),
    ]);
    expect(calls.map(idsIn)).toEqual([['1', '2'], ['3'], ['4']]);
    // An event that is larger than that goes alone.
    await bus.send([eventOf('5'), eventOf('6', { text: 'x'.repeat(210_000) }), eventOf('7')]);
    expect(calls.slice(3).map(idsIn)).toEqual([['5'], ['6'], ['7']]);
  });

  test('is asked again when it is asked too often', async () => {
    const { calls, bus } = setUp((call) => {
      if (call === 1) throw Object.assign(new Error('slower'), { name: 'ThrottlingException' });
      return {};
    });
    expect(await bus.send([eventOf('1')])).toBeUndefined();
    expect(calls).toHaveLength(2);
  });

  test('that refuses events says why by the first of them, and gets none after it', async () => {
    const { calls, bus } = setUp((call) =>
      call === 2
        ? {
            FailedEntryCount: 2,
            Entries: [
              { EventId: 'x' },
              { ErrorCode: 'Busy', ErrorMessage: 'later' },
              { ErrorCode: 'Denied', ErrorMessage: 'never' },
            ],
          }
        : { FailedEntryCount: 0, Entries: [] },
    );
    expect(await bus.send(Array.from({ length: 30 }, (_, i) => eventOf(`${i}`)))).toBe(
      'EventBridge: Busy: later',
    );
    expect(calls).toHaveLength(2);
  });
});

test('all receivers get the events, and the faults of all are reported', async () => {
  const got: string[] = [];
  const sink = (name: string, fault?: string | Error) => ({
    async send(events: readonly WebhookEvent[]) {
      await new Promise((resolve) => setImmediate(resolve));
      got.push(`${name} ${events.length}`);
      if (fault instanceof Error) throw fault;
      return fault;
    },
  });
  const events = [eventOf('1'), eventOf('2')];
  expect(await allSinks([sink('a'), sink('b')]).send(events)).toBeUndefined();
  expect(await allSinks([]).send(events)).toBeUndefined();
  const mixed = allSinks([sink('c', 'down'), sink('d'), sink('e', new Error('no network'))]);
  expect(await mixed.send(events)).toBe('down; no network');
  expect(got).toEqual(['a 2', 'b 2', 'c 2', 'd 2', 'e 2']);
});

test('a webhook gets each event by itself, none after one that it does not take, and again what is sent again', async () => {
  const got: [string, boolean][] = [];
  let status = 200;
  const secret = 'a secret of this test';
  const { origin } = await serveHttp(async (request, response) => {
    const body = await text(request);
    const signature = request.headers['x-strand-signature'] as string;
    got.push([JSON.parse(body).id, verifyWebhook(secret, signature, body, { now: T0, toleranceMs: 0 })]);
    response.writeHead(body.includes('"bad"') ? 500 : status).end();
  });
  const sink = webhookSink({
    target: { url: `${origin}/hook`, secret },
    clock: { ...createFakeClock(), sleep: async () => {} },
    tempFolder: temporaryFolder().path,
    allowPrivateAddresses: ['127.0.0.0/8'],
  });
  expect(await sink.send([eventOf('1'), eventOf('2')])).toBeUndefined();
  expect(await sink.send([eventOf('3'), eventOf('bad'), eventOf('4')])).toBe(
    'webhook: crawlFinished: HTTP 500',
  );
  const ids = ['1', '2', '3', 'bad', 'bad', 'bad'];
  expect(got).toEqual(ids.map((id) => [id, true]));
  got.length = 0;
  expect(await sink.send([eventOf('1')])).toBeUndefined();
  status = 410;
  expect(await sink.send([eventOf('1')])).toBe('webhook: crawlFinished: HTTP 410');
  expect(got).toHaveLength(4);
});

test('the webhook of the environment is read, and one that is none is refused', () => {
  expect(webhookIn(undefined)).toBeUndefined();
  const target = { url: 'https://a.test/hook', secret: 'a long enough secret' };
  expect(webhookIn(JSON.stringify(target))).toEqual(target);
  for (const wrong of ['{}', '"x"', JSON.stringify({ url: target.url })])
    expect(() => webhookIn(wrong)).toThrow('Expected STRAND_WEBHOOK to be { url, secret }');
  expect(() => webhookIn('no JSON')).toThrow();
});
