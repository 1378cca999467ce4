/** Changes of pages go to the operator's programs in their order, until they are received. */
import { gzipSync } from 'node:zlib';
import type { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { TimeIsUp } from '../../functions/announcer.ts';
import { ChangeFeed } from '../../functions/change-feed.ts';
import type { WebhookEvent } from '../../shared/services/webhook/webhook.ts';
import { createServices } from '../../simulation/test/models/dynamo-services.ts';
import { createFakeClock, T0 } from '../crawler/worker/fake-clock.ts';

const MINUTE = 60_000;
const change = (url: string) => JSON.stringify({ url, change: 'changed', at: '2026-01-01T00:00:00.000Z' });

/** `throttles`: each call is refused at first. */
function setUp({ throttles = false } = {}) {
  const { clients, callS3, s3: bucket } = createServices();
  const clock = createFakeClock();
  const sent: string[][] = [];
  const events: WebhookEvent[] = [];
  /** Calls of S3, each with the ms since the begin at which it begins. */
  const calls: [name: string, at: number][] = [];
  let readMs = 0;
  const logged: { readonly level: string; readonly [field: string]: unknown }[] = [];
  const faults: (string | Error | undefined)[] = [];
  const untils: number[] = [];
  let msEach = 0;
  let denied = '';
  let isRefused = false;
  const s3 = {
    async send(command: never) {
      isRefused = throttles && !isRefused;
      if (isRefused) throw Object.assign(new Error('slower'), { name: 'SlowDown' });
      calls.push([nameOf(command), clock.now() - T0]);
      if (nameOf(command) === denied) throw new Error('denied');
      await new Promise((resolve) => setImmediate(resolve));
      if (nameOf(command) === 'GetObject') clock.set(readMs);
      return clients.s3.send(command);
    },
  } as unknown as S3Client;
  const feed = new ChangeFeed({
    s3,
    bucket: 'b',
    clock: { ...clock, sleep: async () => {} },
    sink: {
      async send(given, until) {
        untils.push(until);
        events.push(...given);
        clock.set(msEach);
        await new Promise((resolve) => setImmediate(resolve));
        const fault = faults.shift();
        if (fault instanceof Error) throw fault;
        if (fault === undefined) sent.push(given.flatMap(urlsOf));
        return fault;
      },
    },
    log: (level, fields) => void logged.push({ level, ...fields }),
  });
  return {
    clock,
    sent,
    events,
    untils,
    calls,
    logged,
    faults,
    /** Sending takes so long, and reading. */
    takes(ms: number, reading = 0) {
      msEach = ms;
      readMs = reading;
    },
    deny(command: string) {
      denied = command;
    },
    put: (crawl: string, name: string, ...lines: string[]) =>
      callS3('PutObject', { Key: `changes/${crawl}/${name}`, Body: gzipSync(`${lines.join('\n')}\n`) }),
    look: (crawl = 'c', ms = MINUTE) => feed.look(crawl, clock.now() + ms),
    left: () => [...bucket.objects('b').keys()],
  };
}

const nameOf = (command: object): string => command.constructor.name.replace(/Command$/, '');
const urlsOf = (event: WebhookEvent): string[] =>
  (event.data as unknown as { changes: { url: string }[] }).changes.map(({ url }) => url);

describe('the changes of a crawl', () => {
  test('are sent, the oldest first, and deleted when they were received', async () => {
    const { put, look, sent, left } = setUp();
    put('c', '2', change('http://a.test/2'), change('http://a.test/3'));
    put('c', '1', change('http://a.test/1'));
    put('d', '1', change('http://d.test/'));
    expect(await look()).toBe(true);
    expect(sent).toEqual([['http://a.test/1'], ['http://a.test/2', 'http://a.test/3']]);
    expect(left()).toEqual(['changes/d/1']);
    expect(await look()).toBe(true);
    expect(sent).toHaveLength(2);
  });

  test('are sent all the same when S3 is asked too often', async () => {
    const { put, look, sent, left } = setUp({ throttles: true });
    put('c', '1', change('http://a.test/1'));
    expect(await look()).toBe(true);
    expect([sent, left()]).toEqual([[['http://a.test/1']], []]);
  });

  test('that are not received stay, with those behind them', async () => {
    const { put, look, sent, left, faults, logged } = setUp();
    for (const n of ['1', '2', '3']) put('c', n, change(`http://a.test/${n}`));
    faults.push(undefined, 'webhook: 500');
    expect(await look()).toBe(false);
    expect([sent, left()]).toEqual([[['http://a.test/1']], ['changes/c/2', 'changes/c/3']]);
    expect(logged).toEqual([
      {
        level: 'warn',
        message: 'Changes of pages were not received, and are sent again',
        crawl: 'c',
        tries: 1,
        cause: 'webhook: 500',
      },
    ]);
  });

  test('are not begun when the time is up', async () => {
    const { put, look, sent, left, takes } = setUp();
    for (const n of ['1', '2', '3']) put('c', n, change(`http://a.test/${n}`));
    expect(await look('c', 0)).toBe(false);
    expect(sent).toEqual([]);
    takes(MINUTE);
    expect(await look('c', 2 * MINUTE)).toBe(false);
    expect([sent.length, left().length]).toEqual([2, 1]);
  });
});

test('a look fails if what was received cannot be deleted: the next one sends it again', async () => {
  const { put, look, deny, sent } = setUp();
  put('c', '1', change('http://a.test/1'));
  deny('DeleteObjects');
  await expect(look()).rejects.toThrow('denied');
  deny('');
  expect(await look()).toBe(true);
  expect(sent).toHaveLength(2);
});

test('objects are listed once for all of them, and once more', async () => {
  const { put, look, calls } = setUp();
  for (const n of ['1', '2', '3']) put('c', n, change(`http://a.test/${n}`));
  expect(await look()).toBe(true);
  expect(calls.filter(([name]) => name.startsWith('List'))).toHaveLength(2);
});

describe('a look that takes long', () => {
  test('notes that the receiver is down, also if that takes all of it', async () => {
    const { put, look, faults, takes, logged, clock, sent } = setUp();
    put('c', '1', change('http://a.test/1'));
    faults.push('down');
    takes(MINUTE);
    expect(await look('c', MINUTE)).toBe(false);
    expect(logged).toMatchObject([{ tries: 1, cause: 'down' }]);
    await clock.advance(30_000);
    expect(await look()).toBe(false);
    expect(sent).toEqual([]);
  });

  test('begins nothing after its end: what came last may have others behind it', async () => {
    const { put, look, sent, calls, takes } = setUp();
    for (const n of ['1', '2']) put('c', n, change(`http://a.test/${n}`));
    takes(30_000);
    expect(await look('c', MINUTE)).toBe(false);
    expect(sent).toHaveLength(2);
    // The object that was received is still deleted.
    expect(calls.filter(([, at]) => at >= MINUTE)).toEqual([['DeleteObjects', MINUTE]]);
  });

  test('has the receiver end with it; if that took some of an object, the next look goes on at once', async () => {
    const { put, look, faults, untils, sent, left, logged } = setUp();
    put('c', '1', change('http://a.test/1'));
    faults.push(new TimeIsUp('3 of 5'));
    expect(await look('c', MINUTE)).toBe(false);
    expect([untils, left(), logged]).toEqual([[T0 + MINUTE], ['changes/c/1'], []]);
    expect(await look()).toBe(true);
    expect([sent, left()]).toEqual([[['http://a.test/1']], []]);
  });

  test('fails if the receiver does for another reason', async () => {
    const { put, look, faults, left } = setUp();
    put('c', '1', change('http://a.test/1'));
    faults.push(new Error('no network'));
    await expect(look()).rejects.toThrow('no network');
    expect(left()).toEqual(['changes/c/1']);
  });

  test('gives each event the time at which it is sent', async () => {
    const { put, look, events, takes } = setUp();
    for (const n of ['1', '2']) put('c', n, change(`http://a.test/${n}`));
    takes(1000, 20_000);
    expect(await look()).toBe(true);
    expect(events.map(({ time }) => Date.parse(time) - T0)).toEqual([20_000, 41_000]);
  });
});

describe('a receiver that is down', () => {
  test('is tried again after a minute, and twice as long each time, and an hour at most', async () => {
    const { put, look, faults, logged, clock } = setUp();
    put('c', '1', change('http://a.test/1'));
    faults.push(...Array.from({ length: 9 }, () => 'down'));
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = logged.length;
      await look();
      expect(logged).toHaveLength(before + 1);
      // The period of the waker is not exact.
      await clock.advance(minutes * MINUTE - 20_001);
      expect(await look()).toBe(false);
      expect(logged).toHaveLength(before + 1);
      await clock.advance(1);
    }
    expect(logged.map(({ tries }) => tries)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('holds up no other crawl', async () => {
    const { put, look, faults, sent } = setUp();
    for (const crawl of ['c', 'd']) put(crawl, '1', change(`http://${crawl}.test/`));
    faults.push('down');
    expect([await look('c'), await look('d')]).toEqual([false, true]);
    expect(sent).toEqual([['http://d.test/']]);
  });

  test('begins again at a minute once something was received', async () => {
    const { put, look, faults, logged, clock } = setUp();
    for (const n of ['1', '2', '3']) put('c', n, change(`http://a.test/${n}`));
    faults.push('down', 'down', undefined, 'down', undefined, 'down');
    for (const minutes of [1, 2, 1, 1]) {
      await look();
      await clock.advance(minutes * MINUTE);
    }
    // The fourth call of `look` had its first failure after a success in the same call.
    expect(logged.map(({ tries }) => tries)).toEqual([1, 2, 1, 1]);
  });
});
