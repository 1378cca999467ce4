/** All calls and results of the exports of a stack: see `calls-of-exports.txt`. */

import { ExportJobs } from '../../../../shared/engines/aws/exports/export-jobs.ts';
import { ExportObjects } from '../../../../shared/engines/aws/exports/export-objects.ts';
import { putJson, readJson, storeFile } from '../../../../shared/services/exports/export-store.ts';
import { NO_PROGRESS } from '../../../../shared/services/exports/held-export.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';

const contextOf = ({ clients: { dynamo, s3 }, engine: { clock }, cloud: { settings } }: World) => ({
  ...{ dynamo, s3, clock, table: settings.crawlState, bucket: settings.bucket },
});
const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
const filesOf = ({ cloud: { s3, settings } }: World): unknown[] =>
  [...s3.objects(settings.bucket)].map(([key, { bytes }]) => `${key} bytes: ${bytes.length}`);
const NEW = { name: 'file', uploadId: undefined, partBytes: 2000, parts: [], bytes: 0, held: 0 };

describeScenarios(
  [
    scenario({
      name: 'begins exports, works on them and ends them',
      async run(world) {
        const [jobs, other] = [new ExportJobs(contextOf(world)), new ExportJobs(contextOf(world))];
        const until = world.engine.clock.now() + 100_000;
        const results: unknown[] = [await jobs.begin(CRAWL, { format: 'wet' })];
        results.push(await jobs.begin(CRAWL, { format: 'wet', tables: ['pages'] } as never, 'mine'));
        results.push(await other.begin(CRAWL, { format: 'wacz' } as never, 'mine'));
        await other.begin(`${CRAWL}2`, { format: 'wet' }, 'theirs');
        results.push(await jobs.take(CRAWL, 'none', until), await jobs.load(CRAWL, 'none'));
        const held = (await jobs.take(CRAWL, 'mine', until))!;
        results.push(held, await other.take(CRAWL, 'mine', until + 1));
        const more = { ...NO_PROGRESS, files: 1, bytes: 2, records: 3, skipped: 4, share: 0.5 };
        const next = await jobs.advance(held, more);
        results.push(next, await refusalOf(jobs.advance({ ...held, version: 7 }, more)));
        results.push(await refusalOf(other.advance(next, more)), await jobs.load(CRAWL, 'mine'));
        await other.release(next);
        await other.end(next, 'failed', 'not theirs');
        await jobs.release(next);
        const again = (await other.take(CRAWL, 'mine', until))!;
        results.push(again.tries, await other.open(), await jobs.take(CRAWL, 'mine', until));
        await world.engine.clock.sleep(101_000);
        const last = (await jobs.take(CRAWL, 'mine', world.engine.clock.now() + 1000))!;
        results.push(last.tries, last.progress, last.version);
        await jobs.end(last, 'failed', 'no room');
        await jobs.end(last, 'done');
        results.push(await jobs.list(CRAWL), await jobs.take(CRAWL, 'mine', until), await jobs.open());
        const theirs = (await jobs.take(`${CRAWL}2`, 'theirs', world.engine.clock.now() + 1000))!;
        await jobs.end(theirs, 'done');
        await jobs.forget(CRAWL);
        return [...results, await jobs.list(CRAWL), await jobs.list(`${CRAWL}2`), await jobs.open()];
      },
      isTimed: true,
      hides: ['UpdateItemCommand'],
      isLong: true,
    }),
    scenario({
      name: 'takes an export whose answer is awaited',
      async run(world) {
        const jobs = new ExportJobs(contextOf(world));
        await jobs.begin(CRAWL, { format: 'wet' }, 'x');
        const held = (await jobs.take(CRAWL, 'x', 5_000_000_000_000))!;
        const next = await jobs.advance(held, NO_PROGRESS);
        await jobs.end(next, 'done');
        await jobs.forget(CRAWL);
        return [(await jobs.open()).length, await jobs.list(CRAWL)];
      },
    }),
    scenario({
      name: 'uploads files in parts, slice by slice',
      async run(world) {
        const objects = new ExportObjects(contextOf(world), CRAWL, 'x');
        const first = objects.resume(NEW);
        for (const size of [1999, 1, 2500, 300]) await first.add(bytesOf(size));
        const paused = await first.pause();
        const second = objects.resume(paused);
        const results: unknown[] = [first.bytes, second.bytes];
        await second.add(bytesOf(100));
        results.push(second.bytes);
        // A slice in which nothing was added.
        const same = await objects.resume(await second.pause()).pause();
        const again = await objects.resume(same).pause();
        const third = objects.resume(again);
        results.push(third.bytes);
        for (const size of [1700, 2100]) await third.add(bytesOf(size));
        await third.complete();
        const whole = objects.create('small');
        await whole.add(bytesOf(30));
        await whole.add(bytesOf(40));
        await whole.complete();
        const sizes = [0, 16 * 1024 * 1024 * 9900, 16 * 1024 * 1024 * 9900 + 1, 2 ** 40];
        for (const size of sizes) results.push((await objects.create('sized', size).pause()).partBytes);
        const { parts, uploadId, ...plain } = again;
        const given = objects.resume(NEW);
        await given.add(bytesOf(2000));
        await given.abort();
        await objects.create('none').abort();
        return [...results, third.bytes, plain, parts.length, uploadId !== undefined, filesOf(world)];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['AbortMultipartUploadCommand', 'UploadPartCommand', 'CreateMultipartUploadCommand'],
    }),
    scenario({
      name: 'keeps what an export needs between slices',
      async run(world) {
        const objects = new ExportObjects(contextOf(world), CRAWL, 'x');
        await storeFile(objects, 'result', [bytesOf(20)]);
        await objects.putWork('part', bytesOf(50));
        const size = await putJson(objects, 'facts', { n: 1 });
        const read = objects.workReader('part', 50);
        const texts = [
          await read(0, 3),
          await read(48, 9),
          await read(50, 1),
          await objects.readWork('part', 4),
        ];
        const results: unknown[] = texts.map((bytes) => Buffer.from(bytes).toString('hex'));
        results.push(await readJson(objects, 'facts', size), await readJson(objects, 'facts'));
        results.push(await refusalOf(readJson(objects, 'none')));
        await objects.deleteWork(['part', 'none']);
        results.push(filesOf(world).length);
        await objects.deleteAllWork();
        return [...results, filesOf(world)];
      },
      isCompressed: true,
    }),
  ],
  openGolden('calls-of-exports.txt', import.meta.url),
);
