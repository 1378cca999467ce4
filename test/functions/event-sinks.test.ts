/** The receivers of events: EventBridge, the webhook, and all of them together. */
import { text } from 'node:stream/consumers';
import type { EventBridgeClient, PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { describe, expect, test } from 'vitest';
import { TimeIsUp } from '../../functions/announcer.ts';
import { allSinks, eventBus, webhookSink } from '../../functions/event-sinks.ts';
import { verifyWebhook } from '../../shared/services/webhook/signature.ts';
import type { WebhookEvent } from '../../shared/services/webhook/webhook.ts';
import { serveHttp, temporaryFolder } from '../crawler/fetcher/servers.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';

const eventOf = (id: string, data: object = {}): WebhookEvent => ({
  id,
  type: 'crawlFinished',
  time: new Date(T0).toISOString(),
  crawl: 'c',
  data,
});

const LOOK_MS = 60_000;
/** Thrown as the fault of a call, or given as that of an entry. */
const THROTTLED = { ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' };

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
  // Only the end of a look is waited for.
  const slept: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms < LOOK_MS) slept.push(ms);
    else await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  };
  const clock = { ...createFakeClock(), sleep };
  const bus = eventBus({ client, clock, stack: 'Strand' });
  const send = (events: readonly WebhookEvent[], lookMs = Infinity) => bus.send(events, clock.now() + lookMs);
  return { calls, clock, slept, bus: { send } };
}

const idsIn = ({ Entries = [] }: PutEventsCommandInput): string[] =>
  Entries.map(({ Detail }) => (JSON.parse(Detail as string) as { id: string }).id);

describe('the event bus', () => {
  test('gets an event with its type, its time and the stack', async () => {
    const { calls, bus } = setUp();
    expect(await bus.send([eventOf('1', { pages: 3 })])).toBeUndefined();
    const Detail = JSON.stringify({ ...eventOf('1', { pages: 3 }), stack: 'Strand' });
    expect(calls).toEqual([
      { Entries: [{ Source: 'strand.Strand', DetailType: 'crawlFinished', Detail, Time: new Date(T0) }] },
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

  test('that refuses some events for its rate gets those again, and no others', async () => {
    const { calls, slept, bus } = setUp((call) =>
      call < 3
        ? { FailedEntryCount: 2, Entries: [{ EventId: 'x' }, THROTTLED, THROTTLED].slice(call - 1) }
        : {},
    );
    expect(await bus.send(['1', '2', '3'].map((id) => eventOf(id)))).toBeUndefined();
    expect(calls.map(idsIn)).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
      ['2', '3'],
    ]);
    expect(slept).toHaveLength(2);
  });

  test('does not get events again that it has taken, when others are sent again later', async () => {
    let isBusy = true;
    const { calls, bus } = setUp(() =>
      isBusy ? { FailedEntryCount: 1, Entries: [{ EventId: 'x' }, { ErrorCode: 'InternalFailure' }] } : {},
    );
    const events = ['1', '2'].map((id) => eventOf(id));
    expect(await bus.send(events)).toBe('EventBridge: InternalFailure: ');
    isBusy = false;
    expect(await bus.send(events)).toBeUndefined();
    expect(calls.map(idsIn)).toEqual([['1', '2'], ['2']]);
  });

  test('is given up for now when it refuses all for its rate, with how often it was asked', async () => {
    const { calls, bus } = setUp(() => ({ FailedEntryCount: 1, Entries: [THROTTLED] }));
    await expect(bus.send([eventOf('1')])).rejects.toThrow('EventBridge: throttled 8 times over');
    expect(calls).toHaveLength(8);
  });

  test('is sent nothing after the end of the look; the next one has the others', async () => {
    const { calls, clock, bus } = setUp(() => {
      clock.set(LOOK_MS / 2);
      return {};
    });
    const events = Array.from({ length: 31 }, (_, i) => eventOf(`${i}`));
    await expect(bus.send(events, LOOK_MS)).rejects.toThrow(
      new TimeIsUp('EventBridge: 20 of 31 events were received when time was up'),
    );
    expect(await bus.send(events.slice(20), 0)).toBe('EventBridge: no time was left');
    expect(await bus.send(events, LOOK_MS)).toBeUndefined();
    expect(calls.flatMap(idsIn)).toEqual(events.map(({ id }) => id));
  });

  test('that does not answer keeps nobody beyond the time of the look', async () => {
    const clock = createFakeClock();
    const client = {
      send: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise((_, reject) => abortSignal.addEventListener('abort', () => reject(new Error('aborted')))),
    };
    const bus = eventBus({ client: client as never, clock, stack: 'Strand' });
    const sending = bus.send([eventOf('1')], clock.now() + LOOK_MS);
    await clock.advance(LOOK_MS);
    expect(await sending).toBe('EventBridge: no time was left');
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
  expect(await allSinks([sink('a'), sink('b')]).send(events, T0)).toBeUndefined();
  expect(await allSinks([]).send(events, T0)).toBeUndefined();
  const mixed = allSinks([sink('c', 'down'), sink('d'), sink('e', new Error('no network'))]);
  expect(await mixed.send(events, T0)).toBe('down; no network');
  expect(got).toEqual(['a 2', 'b 2', 'c 2', 'd 2', 'e 2']);
});

test('that the time of one receiver was up is said if the others have got the events; else what the others say', async () => {
  const late = new TimeIsUp('1 of 2');
  const untils: number[] = [];
  const sink = (fault?: string | Error) => ({
    async send(_: unknown, until: number) {
      untils.push(until);
      if (fault instanceof Error) throw fault;
      return fault;
    },
  });
  await expect(allSinks([sink(), sink(late), sink()]).send([], 7)).rejects.toBe(late);
  expect(await allSinks([sink(late), sink('down')]).send([], 7)).toBe('down');
  expect(untils).toEqual([7, 7, 7, 7, 7]);
});

describe('a webhook', () => {
  const SECRET = 'a secret of this test';
  const LOOK_MS = 10_000;

  /**
   * A receiver that takes `ms` for each event. `answer`: the status for an event, or undefined for no answer at all, as long
   * as anybody waits.
   */
  async function receiver(answer: (id: string) => number | undefined, ms = 0) {
    let end = () => {};
    const looks: { readonly ms: number; readonly signal?: AbortSignal | undefined }[] = [];
    const clock = {
      ...createFakeClock(),
      // Waits between two tries are over at once, the others are the times of looks.
      sleep: async (sleepMs: number, signal?: AbortSignal) => {
        if (sleepMs < LOOK_MS) return;
        looks.push({ ms: sleepMs, signal });
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      },
    };
    const got: string[] = [];
    const { origin } = await serveHttp(async (request, response) => {
      const body = await text(request);
      const signature = request.headers['x-strand-signature'] as string;
      expect(verifyWebhook(SECRET, signature, body, { now: clock.now() })).toBe(true);
      const { id } = JSON.parse(body) as WebhookEvent;
      got.push(id);
      expect(looks.at(-1)?.signal?.aborted).toBe(false);
      clock.set(ms);
      const status = answer(id);
      if (status !== undefined) return void response.writeHead(status).end();
      // A timer may be a little early.
      clock.set(LOOK_MS - 1);
      end();
    });
    const sink = webhookSink({
      target: { url: `${origin}/hook`, secret: SECRET },
      clock,
      tempFolder: temporaryFolder().path,
      allowPrivateAddresses: ['127.0.0.0/8'],
    });
    const send = (ids: readonly string[], lookMs = LOOK_MS) =>
      sink.send(
        ids.map((id) => eventOf(id)),
        clock.now() + lookMs,
      );
    return { got, looks, send };
  }

  test('gets each event by itself, and none after one that it does not take', async () => {
    const { got, looks, send } = await receiver((id) => (id === 'bad' ? 500 : 200));
    expect(await send(['1', '2'])).toBeUndefined();
    // No timer is left behind.
    expect(looks.map(({ ms, signal }) => [ms, signal?.aborted])).toEqual([[LOOK_MS, true]]);
    expect(await send(['3', 'bad', '4'])).toBe('webhook: crawlFinished: HTTP 500');
    expect(got).toEqual(['1', '2', '3', 'bad', 'bad', 'bad']);
  });

  test('gets an event again until it has taken it, and those before it once', async () => {
    let status = 500;
    const { got, send } = await receiver((id) => (id === '2' ? status : 200));
    expect(await send(['1', '2'])).toBe('webhook: crawlFinished: HTTP 500');
    status = 410;
    expect(await send(['1', '2'])).toBe('webhook: crawlFinished: HTTP 410');
    status = 200;
    expect(await send(['1', '2', '3'])).toBeUndefined();
    expect(got).toEqual(['1', ...Array(7).fill('2'), '3']);
  });

  test('that takes seconds for each event gets all of them in several looks', async () => {
    const { got, send } = await receiver(() => 200, 4000);
    const ids = ['1', '2', '3', '4', '5'];
    await expect(send(ids)).rejects.toThrow(
      new TimeIsUp('webhook: 3 of 5 events were received when time was up'),
    );
    expect(await send(ids)).toBeUndefined();
    expect(got).toEqual(ids);
  });

  test('that does not answer keeps nobody beyond the time of the look', async () => {
    const { got, send } = await receiver((id) => (id === '1' ? 200 : undefined));
    await expect(send(['1', '2'])).rejects.toThrow('webhook: 1 of 2 events were received');
    // That is a try without success: nothing was received.
    expect(await send(['1', '2'])).toMatch(/^webhook: crawlFinished: ./);
    expect(await send(['2'], 0)).toBe('webhook: crawlFinished: no time was left');
    expect(got).toEqual(['1', '2', '2']);
  });

  test('gets events again that are older than the last 300', async () => {
    const { got, send } = await receiver(() => 200);
    const ids = Array.from({ length: 301 }, (_, i) => `${i}`);
    expect(await send(ids)).toBeUndefined();
    expect(await send(ids.slice(0, 3))).toBeUndefined();
    expect(got.slice(301)).toEqual(['0']);
  });
});
