/** Every call of what a stack does beside its turns: exports, deletions, the pool of workers, the notes of the waker. */

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { createDeletions, SETTLE_MS } from '../../../shared/engines/aws/deletion/begin-deletion.ts';
import { createCrawlDeletions } from '../../../shared/engines/aws/deletion/crawl-deletions.ts';
import {
  loadDeletion,
  noteArchiveKept,
  noteDeleted,
  noteStopped,
  pendingDeletions,
  requestDeletion,
} from '../../../shared/engines/aws/deletion/deletions.ts';
import { createReferrers } from '../../../shared/engines/aws/deletion/referrers.ts';
import { ExportJobs } from '../../../shared/engines/aws/exports/export-jobs.ts';
import { createAttentionNotes } from '../../../shared/engines/aws/state/attention-notes.ts';
import { createSpendCounter, spentToday } from '../../../shared/engines/aws/state/daily-spend.ts';
import { UnannouncedCrawls } from '../../../shared/engines/aws/state/unannounced.ts';
import type { HeldExport } from '../../../shared/services/exports/held-export.ts';
import { CRAWL, headOf, RECORD } from '../../contract/subjects.ts';
import { openGolden } from '../../golden.ts';
import type { World } from './struck-calls.ts';
import { describeOperations, operation } from './struck-suite.ts';

const HOUR = 3_600_000;
const HALF = { files: 2, bytes: 300, records: 40, skipped: 1, share: 0.5 };

/** The table, and what reaches it. */
const contextOf = ({ clients: { dynamo, sqs, s3 }, engine: { clock }, cloud: { settings } }: World) => ({
  ...{ dynamo, sqs, s3, clock, table: settings.crawlState, names: settings, bucket: settings.bucket },
});

const jobsOf = (world: World) => new ExportJobs(contextOf(world));

/** An export that this process holds. */
async function heldExport(world: World): Promise<{ jobs: ExportJobs; held: HeldExport }> {
  const jobs = jobsOf(world);
  await world.wait(jobs.begin(CRAWL, { format: 'wet' }, 'x'));
  const held = await world.wait(jobs.take(CRAWL, 'x', world.engine.clock.now() + HOUR));
  return { jobs, held: held! };
}

async function exportNow(world: World) {
  const jobs = jobsOf(world.other());
  const { requestedAt: _, endedAt, ...shown } = (await world.wait(jobs.load(CRAWL, 'x'))) ?? {};
  const isFree = (await world.wait(jobs.take(CRAWL, 'x', world.engine.clock.now() + HOUR))) !== undefined;
  return { ...shown, isOver: endedAt !== undefined, isFree };
}

async function deletionNow(world: World) {
  const deletion = await world.wait(loadDeletion(contextOf(world.other()), CRAWL));
  const { archive, archiveKeptFor, ...times } = deletion ?? {};
  return { archive, archiveKeptFor, times: Object.keys(times) };
}

const requested = (world: World) => world.wait(requestDeletion(contextOf(world), CRAWL, { archive: true }));

/** A crawl with something in each kind of place that a crawl has. */
async function fullCrawl(world: World): Promise<void> {
  const { engine, wait, cloud } = world;
  await wait(engine.registry.create(CRAWL, RECORD));
  await wait(engine.ledgers.commit(CRAWL, 'a.test', headOf(1, { token: 't', dueAt: 1000 })));
  await wait(engine.ledgers.putPart(CRAWL, 'a.test', 'object', new Uint8Array(500)));
  await wait(jobsOf(world).begin(CRAWL, { format: 'wet' }, 'x'));
  put(world, `warc/${CRAWL}/file`);
  cloud.s3.handle('CreateMultipartUploadCommand', {
    Bucket: cloud.settings.bucket,
    Key: `warc/${CRAWL}/unfinished`,
  });
}

function put({ cloud }: World, Key: string): void {
  cloud.s3.handle('PutObjectCommand', { Bucket: cloud.settings.bucket, Key, Body: Buffer.from('x') });
}

/** All that is stored, but the times. */
async function remains({ cloud: { dynamo, s3, settings } }: World): Promise<string[]> {
  const items = [settings.crawlState, settings.urlSeen].flatMap((table) =>
    [...dynamo.items(table)].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`),
  );
  const uploads = [...s3.uploads(settings.bucket).values()].map(
    (one) => `upload ${(one as { key?: string }).key}`,
  );
  return [...items, ...s3.objects(settings.bucket).keys(), ...uploads].sort();
}

const notesOf = (world: World) => createAttentionNotes(contextOf(world));
const STATE = { at: 1, crawls: { c: [3, 2, 1] as const }, samples: [{ at: 1, figures: [3, 2, 1] as const }] };
const unannouncedOf = (world: World) => new UnannouncedCrawls(contextOf(world));
const unannouncedNow = async (world: World) => {
  const entered = await world.wait(unannouncedOf(world.other()).list());
  return entered.map(({ entry: _, ...rest }) => rest);
};
const enterTwo = async (world: World) => {
  for (const crawl of ['c', 'd']) {
    const command = new PutItemCommand(unannouncedOf(world).entry(crawl).Put!);
    await world.wait(world.clients.dynamo.send(command));
  }
};
const MEMBER = { id: 'w', hosts: 2, maxHosts: 10, isEnding: false };
const poolNow = (world: World) => world.wait(world.other().engine.workers.members(0));

describeOperations(
  [
    operation({
      name: 'begins an export',
      run: (world) =>
        jobsOf(world)
          .begin(CRAWL, { format: 'wet' }, 'x')
          .then(({ state }) => state),
      look: exportNow,
    }),
    operation({
      name: 'takes an export',
      prepare: async (world) => {
        const jobs = jobsOf(world);
        await world.wait(jobs.begin(CRAWL, { format: 'wet' }, 'x'));
        return { jobs, until: world.engine.clock.now() + HOUR };
      },
      run: (_, { jobs, until }) => jobs.take(CRAWL, 'x', until),
      look: exportNow,
    }),
    operation({
      name: 'has a slice of an export count',
      prepare: heldExport,
      run: (_, { jobs, held }) => jobs.advance(held, HALF),
      look: exportNow,
    }),
    operation({
      name: 'ends an export',
      prepare: heldExport,
      run: (_, { jobs, held }) => jobs.end(held, 'failed', 'no files'),
      look: exportNow,
    }),
    operation({
      name: 'gives an export back',
      prepare: heldExport,
      run: (_, { jobs, held }) => jobs.release(held),
      hides: ['UpdateItemCommand'],
      // The lease ends by itself.
      excuses: ['fails', 'isDown'],
      look: exportNow,
    }),
    operation({
      name: 'lists exports',
      prepare: heldExport,
      async run(world) {
        const listed = await jobsOf(world).list(CRAWL);
        return [listed.map(({ id, state }) => [id, state]), await jobsOf(world).open()];
      },
    }),
    operation({
      name: 'forgets exports',
      prepare: heldExport,
      run: (world) => jobsOf(world).forget(CRAWL),
      look: remains,
    }),
    operation({
      name: 'requests a deletion',
      run: (world) => requestDeletion(contextOf(world), CRAWL, { archive: true }),
      look: deletionNow,
    }),
    operation({
      name: 'notes the steps of a deletion',
      prepare: requested,
      async run(world) {
        const context = contextOf(world);
        await noteStopped(context, CRAWL);
        await noteArchiveKept(context, CRAWL, ['other']);
        const isNoted = await noteDeleted(context, CRAWL, { archive: false });
        return [isNoted, await pendingDeletions(context)];
      },
      look: deletionNow,
    }),
    operation({
      name: 'begins a deletion',
      prepare: ({ engine, wait }) => wait(engine.registry.create(CRAWL, RECORD)),
      async run(world) {
        const { registry } = world.engine;
        const { archive, stoppedAt } = await createDeletions({ ...contextOf(world), registry }).begin(CRAWL, {
          archive: true,
        });
        return [archive, stoppedAt !== undefined];
      },
      async look(world) {
        return [await deletionNow(world), await world.wait(world.other().engine.registry.load(CRAWL))];
      },
    }),
    operation({
      name: 'notes which archives refer to others',
      async run(world) {
        const referrers = createReferrers(contextOf(world));
        await referrers.add('b', ['c', 'd']);
        await referrers.add('e', ['c']);
        return referrers.of('c');
      },
      look: remains,
    }),
    operation({
      name: 'forgets an archive that refers to others',
      async prepare(world) {
        const referrers = createReferrers(contextOf(world));
        await world.wait(referrers.add('b', ['c', 'd']));
        await world.wait(referrers.add('e', ['c']));
      },
      run: (world) => createReferrers(contextOf(world)).remove('b'),
      look: remains,
    }),
    operation({
      name: 'deletes a crawl',
      async prepare(world) {
        await fullCrawl(world);
        const { registry } = world.engine;
        await world.wait(createDeletions({ ...contextOf(world), registry }).begin(CRAWL, { archive: true }));
        await world.cloud.time.advance(SETTLE_MS);
      },
      async run(world) {
        const { ledgers, registry } = world.engine;
        const deletions = createCrawlDeletions({ ...contextOf(world), ledgers, registry });
        return [(await deletions.proceed(CRAWL))?.deletedAt !== undefined, await deletions.pending()];
      },
      look: remains,
      isConcurrent: true,
    }),
    operation({
      name: 'keeps the notes of the waker',
      async run(world) {
        const notes = notesOf(world);
        await notes.store(STATE);
        await notes.forget('old');
        const { state, announced } = await notes.load();
        return [state, [...announced.keys()]];
      },
      look: remains,
    }),
    operation({
      name: 'claims a trouble',
      run: (world) => notesOf(world).claim('t', HOUR),
      look: remains,
    }),
    operation({
      name: 'notes the cost of the day',
      hides: ['UpdateItemCommand'],
      async run(world) {
        await createSpendCounter({ ...contextOf(world), maxCostPerDay: 9, takeCost: () => 2 })();
        return spentToday(contextOf(world));
      },
      isOnce: true,
    }),
    operation({
      name: 'strikes a crawl whose end was announced',
      prepare: enterTwo,
      async run(world) {
        const entered = await unannouncedOf(world).load('c');
        if (entered) await unannouncedOf(world).strike(entered);
      },
      look: unannouncedNow,
    }),
    operation({
      name: 'notes how an end is announced',
      prepare: enterTwo,
      async run(world) {
        const crawls = unannouncedOf(world);
        const [c, d] = await crawls.list();
        await crawls.delay({ ...c!, tries: 2, retryAt: 7 });
        await crawls.noteFinish({ ...d!, finishTries: 1, isFinishDone: true });
        return crawls.list();
      },
      look: unannouncedNow,
    }),
    operation({
      name: 'shows a worker',
      run: ({ engine: { workers } }) => workers.show(0, MEMBER),
      look: remains,
    }),
    operation({
      name: 'hides a worker',
      prepare: ({ engine: { workers }, wait }) => wait(workers.show(0, MEMBER)),
      run: ({ engine: { workers } }) => workers.hide(0, MEMBER.id),
      look: poolNow,
    }),
    operation({
      name: 'looks at its workers, and at their queue',
      prepare: ({ engine: { workers }, wait }) => wait(workers.show(0, MEMBER)),
      run: async ({ engine: { workers } }) => [await workers.members(0), await workers.waiting(0)],
    }),
    operation({
      name: 'stages items and publishes them',
      async run({ engine: { items } }) {
        const name = await items.stage(CRAWL, 'a.test', 1, ['{}']);
        await items.publish(CRAWL, 'a.test', 1, name);
      },
      look: async ({ cloud }) =>
        [...cloud.s3.objects(cloud.settings.bucket).keys()].map((key) => key.split('/')[0]),
      // An object that was staged in vain is deleted by the bucket's lifecycle rule.
      excuses: ['fails', 'isDown', 'lost'],
    }),
    operation({
      name: 'changes the values of hooks',
      run: ({ engine: { state } }) =>
        state.change(CRAWL, [{ key: 'n', apply: (before) => String(Number(before ?? 0) + 1) }]),
      async look(world) {
        const values = await world.wait(world.other().engine.state.readNow(CRAWL));
        return [...values.entries()];
      },
      isOnce: true,
    }),
  ],
  openGolden('struck-jobs.txt', import.meta.url),
);
