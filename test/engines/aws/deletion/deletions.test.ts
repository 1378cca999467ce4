/** The list of deletions of a stack, and the steps of one, over the model of DynamoDB. */
import { expect, test } from 'vitest';
import { BEING_DELETED } from '../../../../shared/core/causes/status-reason.ts';
import type { CrawlRecord } from '../../../../shared/crawler/ports/crawl-registry.ts';
import { createDeletions, SETTLE_MS } from '../../../../shared/engines/aws/deletion/begin-deletion.ts';
import {
  loadDeletion,
  noteArchiveKept,
  noteDeleted,
  noteStopped,
  pendingDeletions,
  requestDeletion,
} from '../../../../shared/engines/aws/deletion/deletions.ts';
import { createReferrers } from '../../../../shared/engines/aws/deletion/referrers.ts';
import { createServices } from '../../../../simulation/test/models/dynamo-services.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';

const DAY = 86_400_000;

function setUp() {
  const { clients, dynamo } = createServices();
  const clock = createFakeClock();
  const context = { dynamo: clients.dynamo, clock, table: 'T' };
  return {
    context,
    clock,
    load: (crawl: string) => loadDeletion(context, crawl),
    stored: () => [...dynamo.items('T')],
  };
}

test('a deletion goes from its request to the time at which the name is free', async () => {
  const { context, clock, load, stored } = setUp();
  const requestedAt = clock.now();
  expect(await load('c')).toBeUndefined();
  await requestDeletion(context, 'c', { archive: true });
  expect(await load('c')).toEqual({ requestedAt, archive: true });
  await clock.advance(5);
  const stoppedAt = clock.now();
  await noteStopped(context, 'c');
  expect(await load('c')).toEqual({ requestedAt, archive: true, stoppedAt });
  await clock.advance(7);
  const deletedAt = clock.now();
  expect(await noteDeleted(context, 'c', { archive: true })).toBe(true);
  const nameFreeAt = Math.ceil((deletedAt + 15 * DAY) / 1000) * 1000;
  expect(await load('c')).toEqual({ requestedAt, archive: true, stoppedAt, deletedAt, nameFreeAt });
  expect(stored()[0]?.expiresAt).toEqual({ N: String(nameFreeAt / 1000) });
  await clock.advance(nameFreeAt - 1 - clock.now());
  expect(await load('c')).toBeDefined();
  // DynamoDB may keep what has expired for days.
  await clock.advance(1);
  expect([await load('c'), stored().length]).toEqual([undefined, 1]);
});

test('a name that becomes free while its deletion is loaded is free', async () => {
  const { context, clock, load } = setUp();
  await requestDeletion(context, 'c', { archive: true });
  await noteDeleted(context, 'c', { archive: true });
  const { nameFreeAt } = (await load('c'))!;
  await clock.advance(nameFreeAt! - 1 - clock.now());
  const slow = {
    async send(command: never) {
      const answer = await context.dynamo.send(command);
      await clock.sleep(1);
      return answer;
    },
  } as unknown as typeof context.dynamo;
  expect(await clock.drive(loadDeletion({ ...context, dynamo: slow }, 'c'))).toBeUndefined();
});

test('a second request adds the archive, and takes nothing back', async () => {
  const { context, clock, load } = setUp();
  const requestedAt = clock.now();
  await requestDeletion(context, 'c', { archive: false });
  await noteStopped(context, 'c');
  await clock.advance(1000);
  await requestDeletion(context, 'c', { archive: false });
  expect(await load('c')).toEqual({ requestedAt, archive: false, stoppedAt: requestedAt });
  await requestDeletion(context, 'c', { archive: true });
  expect(await load('c')).toEqual({ requestedAt, archive: true, stoppedAt: requestedAt });
  await requestDeletion(context, 'c', { archive: false });
  expect((await load('c'))?.archive).toBe(true);
});

test('a deletion is not complete if the archive was asked for meanwhile', async () => {
  const { context, load } = setUp();
  await requestDeletion(context, 'c', { archive: false });
  await requestDeletion(context, 'c', { archive: true });
  expect(await noteDeleted(context, 'c', { archive: false })).toBe(false);
  expect(await load('c')).not.toHaveProperty('deletedAt');
  expect(await pendingDeletions(context)).toEqual(['c']);
  // An archive that is asked for when all else is gone is a deletion of its own.
  expect(await noteDeleted(context, 'c', { archive: true })).toBe(true);
});

test('an archive that others refer to stays, and it is said for whom', async () => {
  const { context, load } = setUp();
  await requestDeletion(context, 'c', { archive: true });
  await noteArchiveKept(context, 'c', ['a', 'b']);
  expect(await load('c')).toMatchObject({ archive: false, archiveKeptFor: ['a', 'b'] });
});

test('those that are not complete are listed', async () => {
  const { context } = setUp();
  for (const crawl of ['a', 'b', 'c']) await requestDeletion(context, crawl, { archive: false });
  await noteDeleted(context, 'b', { archive: false });
  expect(await pendingDeletions(context)).toEqual(['a', 'c']);
  // Its archive, too.
  await requestDeletion(context, 'b', { archive: true });
  expect(await pendingDeletions(context)).toEqual(['a', 'b', 'c']);
});

test('nothing is noted about a deletion that nobody has requested', async () => {
  const { context, stored } = setUp();
  await expect(noteStopped(context, 'c')).rejects.toThrow();
  await expect(noteArchiveKept(context, 'c', ['a'])).rejects.toThrow();
  expect(await noteDeleted(context, 'c', { archive: false })).toBe(false);
  expect(stored()).toEqual([]);
});

test('archives that refer to others are noted until they are deleted', async () => {
  const { context, stored } = setUp();
  const referrers = createReferrers(context);
  await referrers.add('b', ['c', 'd']);
  await referrers.add('b', ['c']);
  await referrers.add('e', ['c', 'cc']);
  expect([await referrers.of('c'), await referrers.of('d'), await referrers.of('b')]).toEqual([
    ['b', 'e'],
    ['b'],
    [],
  ]);
  await referrers.remove('b');
  expect([await referrers.of('c'), await referrers.of('d'), await referrers.of('cc')]).toEqual([
    ['e'],
    [],
    ['e'],
  ]);
  expect(stored()).toHaveLength(4);
  await referrers.remove('e');
  expect(stored()).toEqual([]);
});

/** A registry with one crawl. */
function withCrawl(status: CrawlRecord['status'] | undefined) {
  const { context, clock, load } = setUp();
  const asked: unknown[] = [];
  let record = status && ({ status } as CrawlRecord);
  const registry = {
    load: async () => record,
    async setStatus(...given: unknown[]) {
      asked.push(given);
      record = { ...(record as CrawlRecord), status: 'stopped', why: BEING_DELETED } as CrawlRecord;
    },
  };
  const deletions = createDeletions({ ...context, registry: registry as never });
  return { deletions, asked, clock, load };
}

test('a crawl is stopped finally when its deletion begins, and its time is noted once', async () => {
  const { deletions, asked, clock, load } = withCrawl('running');
  const first = await deletions.begin('c', { archive: true });
  expect(asked).toEqual([['c', 'stopped', BEING_DELETED]]);
  expect(first).toEqual({ requestedAt: clock.now(), archive: true, stoppedAt: clock.now() });
  await clock.advance(1000);
  expect(await deletions.begin('c', { archive: false })).toEqual(first);
  expect(asked).toHaveLength(1);
  expect(await deletions.load('c')).toEqual(await load('c'));
  expect(deletions.settleMs).toBe(SETTLE_MS);
});

test('the name of a crawl that is not there can be deleted, and one that is deleted stays so', async () => {
  const { deletions, asked, clock } = withCrawl(undefined);
  const deletion = await deletions.begin('c', { archive: false });
  expect([asked, deletion.stoppedAt]).toEqual([[], clock.now()]);
});
