/** All calls and results of the deletions of a stack: see `calls-of-deletions.txt`. */
import { createDeletions, SETTLE_MS } from '../../../../shared/engines/aws/deletion/begin-deletion.ts';
import { createCrawlDeletions } from '../../../../shared/engines/aws/deletion/crawl-deletions.ts';
import { deleteCrawlData } from '../../../../shared/engines/aws/deletion/delete-data.ts';
import {
  loadDeletion,
  noteDeleted,
  pendingDeletions,
  requestDeletion,
} from '../../../../shared/engines/aws/deletion/deletions.ts';
import { createReferrers } from '../../../../shared/engines/aws/deletion/referrers.ts';
import { ExportJobs } from '../../../../shared/engines/aws/exports/export-jobs.ts';
import { CRAWL, headOf, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, scenario } from '../struck-suite.ts';

const contextOf = ({
  clients: { dynamo, s3 },
  engine: { clock, ledgers, registry },
  cloud: { settings },
}: World) => ({
  ...{
    dynamo,
    s3,
    clock,
    ledgers,
    registry,
    table: settings.crawlState,
    names: settings,
    bucket: settings.bucket,
  },
});

/** A crawl with something in each kind of place that a crawl has, and another one whose name begins like it. */
async function filled(world: World): Promise<void> {
  const { engine, wait, cloud } = world;
  for (const crawl of [CRAWL, `${CRAWL}2`]) {
    await wait(engine.registry.create(crawl, RECORD));
    for (let i = 0; i < (crawl === CRAWL ? 23 : 1); i++)
      await wait(engine.ledgers.commit(crawl, `h${i}.test`, headOf(1, { token: 't' })));
    await wait(engine.ledgers.putPart(crawl, 'h0.test', 'row', new Uint8Array(9)));
    await wait(engine.ledgers.putPart(crawl, 'h0.test', 'object', new Uint8Array(500)));
    await wait(new ExportJobs(contextOf(world)).begin(crawl, { format: 'wet' }, 'x'));
    await wait(engine.state.change(crawl, [{ key: 'k', apply: () => '1' }]));
    const { bucket } = cloud.settings;
    const folders = [
      'warc/C',
      'exports/C',
      'export-work/C',
      'items/C',
      'staged-items/C',
      'changes/C',
      'staged-changes/C',
    ];
    for (const folder of [...folders, 'skips/C', 'index/crawl=C', 'item-tables/crawl=C'])
      for (const name of ['a', 'b']) {
        const Key = `${folder.replace('C', crawl)}/${name}`;
        cloud.s3.handle('PutObjectCommand', { Bucket: bucket, Key, Body: Buffer.from('x') });
      }
    for (const folder of ['warc', 'exports'])
      cloud.s3.handle('CreateMultipartUploadCommand', {
        Bucket: bucket,
        Key: `${folder}/${crawl}/unfinished`,
      });
  }
}

/** All that is stored. */
function remains({ cloud: { dynamo, s3, settings } }: World): string[] {
  const items = [settings.crawlState, settings.urlSeen].flatMap((table) =>
    [...dynamo.items(table)].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`),
  );
  const uploads = [...s3.uploads(settings.bucket).values()].map(
    (one) => `upload ${(one as { key?: string }).key}`,
  );
  return [...items, ...s3.objects(settings.bucket).keys(), ...uploads].sort();
}

describeScenarios(
  [
    scenario({
      name: 'deletes all data of a crawl but its archive',
      prepare: filled,
      async run(world) {
        const progress: string[] = [];
        const onProgress = (deleted: object) => void progress.push(JSON.stringify(deleted));
        const isDone = await deleteCrawlData(contextOf(world), CRAWL, { archive: false, onProgress });
        return [isDone, progress, remains(world)];
      },
      isLong: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'deletes all data of a crawl, as far as there is time',
      prepare: filled,
      async run(world) {
        const now = world.engine.clock.now();
        const results: unknown[] = [];
        for (const ms of [0, 60, 90, 120]) {
          const deadline = world.engine.clock.now() + ms;
          results.push(await deleteCrawlData(contextOf(world), CRAWL, { archive: true, deadline }));
          results.push(world.engine.clock.now() - now, remains(world).length);
        }
        results.push(await deleteCrawlData(contextOf(world), CRAWL, { archive: true }));
        return [
          ...results,
          remains(world),
          await deleteCrawlData(contextOf(world), CRAWL, { archive: true }),
        ];
      },
      isLong: true,
      isTimed: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'takes a deletion through its steps',
      async prepare({ engine, wait }) {
        for (const crawl of [CRAWL, 'other']) await wait(engine.registry.create(crawl, RECORD));
      },
      async run(world) {
        const context = contextOf(world);
        const [begins, deletions] = [createDeletions(context), createCrawlDeletions(context)];
        const referrers = createReferrers(context);
        const shown = async () => [
          await deletions.proceed(CRAWL),
          await deletions.pending(),
          remains(world).length,
        ];
        const results: unknown[] = [await shown(), await begins.load(CRAWL), begins.settleMs];
        await referrers.add('other', [CRAWL]);
        results.push(
          await begins.begin(CRAWL, { archive: true }),
          await begins.begin(CRAWL, { archive: false }),
        );
        await world.engine.clock.sleep(SETTLE_MS - 60);
        results.push(await shown());
        await world.engine.clock.sleep(60);
        results.push(await shown(), await begins.begin(CRAWL, { archive: false }));
        // Its archive was kept for another crawl, which is gone.
        await referrers.remove('other');
        results.push(await begins.begin(CRAWL, { archive: true }), await shown());
        await world.engine.clock.sleep(SETTLE_MS);
        results.push(await shown(), await referrers.of(CRAWL), await world.engine.registry.load(CRAWL));
        await world.engine.clock.sleep(15 * 86_400_000 + 1000);
        return [...results, await shown(), (await world.engine.registry.load('other'))?.status];
      },
      isTimed: true,
      isLong: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'notes what is deleted',
      async run(world) {
        const context = contextOf(world);
        const sleep = () => world.engine.clock.sleep(1000);
        await requestDeletion(context, 'a', { archive: false });
        await sleep();
        await requestDeletion(context, 'a', { archive: true });
        await sleep();
        const results: unknown[] = [await loadDeletion(context, 'a'), await pendingDeletions(context)];
        results.push(await noteDeleted(context, 'a', { archive: false }));
        results.push(
          await noteDeleted(context, 'a', { archive: true }),
          await noteDeleted(context, 'b', { archive: true }),
        );
        await requestDeletion(context, 'b', { archive: true });
        results.push(await loadDeletion(context, 'a'), await pendingDeletions(context));
        const referrers = createReferrers(context);
        await referrers.add('x', ['a', 'b']);
        await referrers.add('y', ['b']);
        await referrers.add('z', []);
        results.push(await referrers.of('a'), await referrers.of('b'));
        await referrers.remove('x');
        return [...results, await referrers.of('a'), await referrers.of('b'), remains(world)];
      },
      isTimed: true,
    }),
  ],
  openGolden('calls-of-deletions.txt', import.meta.url),
);
