/**
 * Reads by which the engine `aws` decides something: each shows what was written last, while all reads that DynamoDB does
 * not promise to be consistent show the table as it was seconds ago.
 */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { openItemTables } from '../../../shared/engines/aws/archive/item-table-plan.ts';
import {
  allJoinedSources,
  announceJoined,
  joinedSources,
} from '../../../shared/engines/aws/archive/joined-warcs.ts';
import { asideFiles, setAside } from '../../../shared/engines/aws/archive/quarantined-files.ts';
import {
  loadDeletion,
  noteStopped,
  pendingDeletions,
  requestDeletion,
} from '../../../shared/engines/aws/deletion/deletions.ts';
import { createReferrers } from '../../../shared/engines/aws/deletion/referrers.ts';
import { ExportJobs } from '../../../shared/engines/aws/exports/export-jobs.ts';
import { createAttentionNotes } from '../../../shared/engines/aws/state/attention-notes.ts';
import { createCrawlCounters } from '../../../shared/engines/aws/state/crawl-counters.ts';
import { CrawlDirectory } from '../../../shared/engines/aws/state/crawl-directory.ts';
import { CrawlStore } from '../../../shared/engines/aws/state/crawl-store.ts';
import { createSpendCounter, spentToday } from '../../../shared/engines/aws/state/daily-spend.ts';
import { HookState } from '../../../shared/engines/aws/state/hook-state.ts';
import { HostList } from '../../../shared/engines/aws/state/host-list.ts';
import { createLedgerStore } from '../../../shared/engines/aws/state/ledger-store.ts';
import { createPartStore } from '../../../shared/engines/aws/state/part-store.ts';
import { createQuietNotes } from '../../../shared/engines/aws/state/quiet.ts';
import { UnannouncedCrawls } from '../../../shared/engines/aws/state/unannounced.ts';
import { always, createServices, key } from '../../../simulation/test/models/dynamo-services.ts';
import { headOf, RECORD } from '../../contract/subjects.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';

const HOUR = 3_600_000;

/** A stack of which each read that may lag does so. All that the tests do takes no time. */
function lagging() {
  const { clients } = createServices(always('staleRead', 0.95));
  const names = { crawlState: 'T', urlSeen: 'U', bucket: 'b', dueShards: 1 };
  return { ...clients, clock: createFakeClock(), table: 'T', bucket: 'b', names, crawl: 'c' };
}
type Stack = ReturnType<typeof lagging>;

async function listed<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(one);
  return all;
}

const ledgersOf = (stack: Stack) => createLedgerStore(stack as never);
const exportsOf = (stack: Stack) => new ExportJobs(stack);
const PLAN = { file: 'joined', sources: [{ file: 'one', offset: 0, bytes: 9 }], bytes: 9 } as never;

/** `[what is written and read, how, what is to be read]` */
const READS: readonly [name: string, writeAndRead: (stack: Stack) => Promise<unknown>, expected: unknown][] =
  [
    [
      'a deletion',
      async (stack) => {
        await requestDeletion(stack, 'c', { archive: true });
        return (await loadDeletion(stack, 'c'))?.archive;
      },
      true,
    ],
    [
      'a deletion that is requested again, which keeps its times',
      async (stack) => {
        await requestDeletion(stack, 'c', { archive: false });
        await noteStopped(stack, 'c');
        await requestDeletion(stack, 'c', { archive: true });
        const { requestedAt, stoppedAt } = (await loadDeletion(stack, 'c')) ?? {};
        return [requestedAt !== undefined, stoppedAt !== undefined];
      },
      [true, true],
    ],
    [
      'the deletions that are not complete',
      async (stack) => {
        await requestDeletion(stack, 'c', { archive: true });
        return pendingDeletions(stack);
      },
      ['c'],
    ],
    [
      'the archives that refer to another one, before that is deleted',
      async (stack) => {
        await createReferrers(stack).add('b', ['c']);
        return createReferrers(stack).of('c');
      },
      ['b'],
    ],
    [
      'the archives that refer to others, when one of them is deleted',
      async (stack) => {
        await createReferrers(stack).add('b', ['c', 'd']);
        await createReferrers(stack).remove('b');
        return createReferrers(stack).of('d');
      },
      [],
    ],
    [
      'an export',
      async (stack) => {
        await exportsOf(stack).begin('c', { format: 'wet' }, 'x');
        return (await exportsOf(stack).load('c', 'x'))?.state;
      },
      'waiting',
    ],
    [
      'an export that is begun twice under one name',
      async (stack) => {
        await exportsOf(stack).begin('c', { format: 'wet' }, 'x');
        const jobs = exportsOf(stack);
        await jobs.take('c', 'x', stack.clock.now() + HOUR);
        return (await jobs.begin('c', { format: 'wet' }, 'x')).state;
      },
      'running',
    ],
    [
      'the exports of a crawl, and those that are open',
      async (stack) => {
        await exportsOf(stack).begin('c', { format: 'wet' }, 'x');
        return [(await exportsOf(stack).list('c')).length, await exportsOf(stack).open()];
      },
      [1, [{ crawl: 'c', id: 'x' }]],
    ],
    [
      'which troubles the waker has announced',
      async (stack) => {
        await createAttentionNotes(stack).claim('t', HOUR);
        return [...(await createAttentionNotes(stack).load()).announced.keys()];
      },
      ['t'],
    ],
    [
      'the cost of the day',
      async (stack) => {
        const note = createSpendCounter({ ...stack, maxCostPerDay: 9, takeCost: () => 1 });
        await note();
        await note();
        return spentToday(stack);
      },
      2,
    ],
    [
      'the counts of a crawl',
      async (stack) => {
        const counters = createCrawlCounters(stack);
        await counters.add('c', { pages: 1 });
        await counters.add('c', { pages: 2 });
        return (await counters.read('c')).counts;
      },
      { pages: 3 },
    ],
    [
      'the names of crawls',
      async (stack) => {
        await new CrawlDirectory({ ...stack, name: '#crawls' }).enter('c');
        return new CrawlDirectory({ ...stack, name: '#crawls' }).list();
      },
      ['c'],
    ],
    [
      'the crawls whose end is to be announced',
      async (stack) => {
        await stack.dynamo.send(new PutItemCommand(new UnannouncedCrawls(stack).entry('c').Put!));
        return (await new UnannouncedCrawls(stack).list()).map(({ crawl }) => crawl);
      },
      ['c'],
    ],
    [
      'a crawl',
      async (stack) => {
        const store = () => new CrawlStore({ ...stack, onChange: async () => {} });
        await store().put('c', { record: RECORD, version: 1, activeMs: 0 });
        return (await store().load('c'))?.record;
      },
      RECORD,
    ],
    [
      'whether a crawl was found idle since it was busy',
      async (stack) => {
        const notes = createQuietNotes(stack);
        await notes.noteIdle('c', false);
        return notes.isNoted('c');
      },
      true,
    ],
    [
      'the values of hooks',
      async (stack) => {
        await new HookState(stack).change('c', [{ key: 'k', apply: () => '1' }]);
        return [...(await new HookState(stack).readNow('c')).entries()];
      },
      [['k', '1']],
    ],
    [
      'the hosts of a crawl',
      async (stack) => {
        await ledgersOf(stack).commit('c', 'a.test', headOf(1));
        const hosts = await listed(new HostList(stack).all('c'));
        return hosts.map(({ host }) => host);
      },
      ['a.test'],
    ],
    [
      'the head of a host',
      async (stack) => {
        await ledgersOf(stack).commit('c', 'a.test', headOf(1));
        await ledgersOf(stack).commit('c', 'a.test', headOf(2));
        return (await ledgersOf(stack).loadHead('c', 'a.test'))?.version;
      },
      2,
    ],
    [
      'a part of a ledger, and the list of parts',
      async (stack) => {
        const parts = createPartStore({ ...stack, maxRowBytes: 100 });
        await parts.putPart('c', 'a.test', 's1', Uint8Array.of(7));
        return [[...(await parts.readPart('c', 'a.test', 's1'))], await parts.listParts('c', 'a.test')];
      },
      [[7], ['s1']],
    ],
    [
      'where joined files stand',
      async (stack) => {
        await announceJoined(stack, 'c', PLAN);
        return [
          [...(await allJoinedSources(stack, 'c')).keys()],
          [...(await joinedSources(stack, 'c', ['one', 'two'])).keys()],
        ];
      },
      [['one'], ['one']],
    ],
    [
      'the files that the compactor has set aside',
      async (stack) => {
        await setAside(stack, { file: 'f', problem: 'bad' }, 'e');
        return [...(await asideFiles(stack)).keys()];
      },
      ['f'],
    ],
    [
      'which items are in tables',
      async (stack) => {
        await (await openItemTables(stack)).replace({ until: 'u', late: [], tables: 1 });
        return (await openItemTables(stack)).state.until;
      },
      'u',
    ],
  ];

test.each(READS)('%s', async (_, writeAndRead, expected) => {
  expect(await writeAndRead(lagging())).toEqual(expected);
});

test('a read that is not consistent shows nothing of all that', async () => {
  const { dynamo, clock, table } = lagging();
  await new CrawlDirectory({ dynamo, clock, table, name: '#crawls' }).enter('c');
  const read = new GetItemCommand({ TableName: table, Key: key('#crawls', 'c') });
  expect(await dynamo.send(read)).not.toHaveProperty('Item');
});
