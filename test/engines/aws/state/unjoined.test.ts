/** The list of crawls that may have something to join, and what their writers do to it. */
import { beforeEach, expect, test } from 'vitest';
import { isSettledEntry, UnjoinedCrawls } from '../../../../shared/engines/aws/state/unjoined.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { throttling } from '../throttled.ts';

const MINUTE = 60_000;
const { clients, dynamo } = createServices();
const clock = createFakeClock();
const openOver = (client: typeof clients.dynamo) => new UnjoinedCrawls({ dynamo: client, table: 'T', clock });
const open = () => openOver(clients.dynamo);
const names = async () => (await open().list()).map(({ crawl }) => crawl);
const entryOf = async (crawl: string) => (await open().list()).find((one) => one.crawl === crawl)!;

beforeEach(async () => {
  const compactor = open();
  for (const entry of await compactor.list()) await compactor.strike(entry);
});

test('a crawl is entered before anything is written, whatever becomes of the writing', async () => {
  const listed: string[][] = [];
  await open().whileEntered('b', async () => void listed.push(await names()));
  const fails = open().whileEntered('a', () => Promise.reject(new Error('no bucket')));
  await expect(fails).rejects.toThrow('no bucket');
  expect([listed, await names()]).toEqual([[['b']], ['a', 'b']]);
});

test('nothing is written for a crawl that cannot be entered', async () => {
  const refusing = { send: async () => Promise.reject(new Error('no table')) } as never;
  let isWritten = false;
  const write = async () => {
    isWritten = true;
  };
  await expect(openOver(refusing).whileEntered('a', write)).rejects.toThrow('no table');
  expect(isWritten).toBe(false);
});

test('the writes of a process share an entry for 20 minutes; other crawls and processes have their own', async () => {
  const writer = open();
  const write = () => writer.whileEntered('a', async () => {});
  await write();
  const first = await entryOf('a');
  await clock.advance(20 * MINUTE - 1);
  await write();
  expect(await entryOf('a')).toEqual(first);
  await clock.advance(1);
  await write();
  const second = await entryOf('a');
  expect(second.enteredAt).toBe(first.enteredAt + 20 * MINUTE);
  await open().whileEntered('a', async () => {});
  expect((await entryOf('a')).entry).not.toBe(second.entry);
});

test('a write that takes long is followed by another entry: the crawl may have been struck meanwhile', async () => {
  const writer = open();
  await writer.whileEntered('short', async () => void (await clock.advance(40 * MINUTE - 1)));
  await writer.whileEntered('long', async () => {
    await clock.advance(70 * MINUTE);
    for (const crawl of ['long', 'short']) expect(await open().strike(await entryOf(crawl))).toBe(true);
  });
  expect(await names()).toEqual(['long']);
});

test('an entry settles in an hour, so that all that its writers count on can be seen', async () => {
  await open().whileEntered('a', async () => {});
  const entry = await entryOf('a');
  const settled = [59 * MINUTE, 60 * MINUTE].map((age) => isSettledEntry(entry, entry.enteredAt + age));
  expect(settled).toEqual([false, true]);
});

test('a crawl is not struck if it was entered again; striking it twice does no harm', async () => {
  await open().whileEntered('a', async () => {});
  const seen = await entryOf('a');
  await open().whileEntered('a', async () => {});
  expect([await open().strike(seen), await names()]).toEqual([false, ['a']]);
  const now = await entryOf('a');
  expect([await open().strike(now), await open().strike(now), await names()]).toEqual([true, true, []]);
});

test('each call that is refused for its rate is tried again', async () => {
  const slow = openOver(throttling(clients.dynamo));
  await clock.drive(slow.whileEntered('a', async () => {}));
  await clock.drive(slow.noteBegun('a'));
  expect(await clock.drive(slow.lastBegun())).toBe('a');
  const [entry] = (await clock.drive(slow.list()))!;
  expect(await clock.drive(slow.strike(entry!))).toBe(true);
  expect([...dynamo.items('T')].map(({ pk }) => pk?.S)).toEqual(['#compactor']);
});
