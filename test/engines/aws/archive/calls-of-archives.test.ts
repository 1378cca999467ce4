/** All calls and results of the archives that turns write to: see `calls-of-archives.txt`. */
import { gzipSync } from 'node:zlib';
import { createS3Archive } from '../../../../shared/engines/aws/archive/archive.ts';
import {
  beginWarcUpload,
  capturesIn,
  putWarcObject,
} from '../../../../shared/engines/aws/archive/archive-object.ts';
import { createArchives } from '../../../../shared/engines/aws/archive/archives.ts';
import { sizeOf } from '../../../../shared/engines/aws/archive/compact-objects.ts';
import { deleteObjects } from '../../../../shared/engines/aws/archive/delete-objects.ts';
import {
  createChangeObjects,
  createItemObjects,
} from '../../../../shared/engines/aws/archive/item-objects.ts';
import { createSkipObjects } from '../../../../shared/engines/aws/archive/skip-objects.ts';
import { CRAWL, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { bytesOf, contextOf, filesOf } from './warc-world.ts';

describeScenarios(
  [
    scenario({
      name: 'archives records, small ones and large ones',
      async run(world) {
        const { s3, bucket, clock } = contextOf(world);
        const archive = createS3Archive({
          ...{
            client: s3,
            bucket,
            clock,
            folder: 'warc/c',
            prefix: 'P',
            maxBytes: 900,
            partBytes: 2000,
            gatherMs: 50,
          },
          warcinfo: (file) => [Buffer.from(`info of ${file}`), Buffer.from('.')],
        });
        async function* pieces(count: number, size: number) {
          for (let i = 0; i < count; i++) yield bytesOf(size);
        }
        const results: unknown[] = [await archive.append([])];
        await archive.flush();
        results.push(
          await archive.append([[bytesOf(10), bytesOf(5)], [bytesOf(7)]], ['test,a)/ 1', undefined]),
        );
        await Promise.all([archive.flush(), archive.flush(), archive.append([[bytesOf(8)]], ['test,b)/ 1'])]);
        results.push(
          await archive.append([[bytesOf(850)]]),
          await archive.append([pieces(2, 50)], ['test,c)/ 1']),
        );
        results.push(await archive.append([[bytesOf(10)], pieces(9, 500), [bytesOf(20)]], ['test,d)/ 1']));
        results.push(await archive.append([[bytesOf(2500)]]));
        await archive.flush();
        await archive.flush();
        const failing = (async function* () {
          yield bytesOf(2500);
          throw new Error('the body broke off');
        })();
        return [...results, await refusalOf(archive.append([failing])), filesOf(world)];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['PutObjectCommand', 'AbortMultipartUploadCommand', 'CompleteMultipartUploadCommand'],
      isLong: true,
    }),
    scenario({
      name: 'opens the archive of a crawl with its first record',
      async run(world) {
        const { s3, bucket, clock } = contextOf(world);
        const asked: string[] = [];
        const registry = {
          async load(crawl: string) {
            asked.push(crawl);
            if (asked.length === 1) throw new Error('not now');
            return crawl === CRAWL
              ? { ...RECORD, config: { ...RECORD.config, userAgent: 'bot', contact: 'me' } }
              : undefined;
          },
        };
        const archives = createArchives({
          client: s3,
          bucket,
          clock,
          registry,
          software: 'S/1',
          prefix: 'P',
        });
        await archives(CRAWL).flush();
        const results: unknown[] = [await refusalOf(archives(CRAWL).append([[gzipSync('a record')]]))];
        for (const crawl of [CRAWL, 'other', CRAWL])
          results.push(await archives(crawl).append([[gzipSync('a record')]]));
        await Promise.all([archives(CRAWL).flush(), archives('other').flush()]);
        return [...results, asked];
      },
      isCompressed: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'uploads WARC objects, and knows their filters',
      async run(world) {
        const context = contextOf(world);
        await putWarcObject(context, 'small', bytesOf(9), 'filter');
        await putWarcObject(context, 'large', new Uint8Array(256 * 1024), 'filter');
        await putWarcObject(context, 'plain', new Uint8Array(256 * 1024));
        const upload = await beginWarcUpload(context, 'parts', 2000, 'of parts');
        for (const size of [1999, 1, 2500, 3]) await upload.add(bytesOf(size));
        await upload.complete();
        const given = await beginWarcUpload(context, 'given up', 2000);
        await given.add(bytesOf(2000));
        await given.abort();
        await deleteObjects(context, 'deleting', ['plain', 'none']);
        await deleteObjects(context, 'deleting', []);
        const filters = await Promise.all(['small', 'large', 'parts'].map((key) => capturesIn(context, key)));
        return [filters, await refusalOf(capturesIn(context, 'none')), filesOf(world)];
      },
      isConcurrent: true,
      hides: ['AbortMultipartUploadCommand', 'CompleteMultipartUploadCommand'],
    }),
    scenario({
      name: 'stages items and changes, and publishes them once',
      async run(world) {
        const context = contextOf(world);
        const results: unknown[] = [];
        for (const store of [createItemObjects(context), createChangeObjects(context)]) {
          const of = [CRAWL, 'a.test', 1] as const;
          const name = await store.stage(...of, ['{"a":1}', '{"b":2}']);
          results.push(name, await store.stage(...of, []));
          await store.publish(...of, name);
          await store.publish(...of, name);
          await store.publish(...of);
          await store.publish(...of, 'gone');
        }
        const other = createItemObjects(context);
        await other.publish(CRAWL, 'a.test', 1, results[0] as string);
        const folder = { ...context, folder: `items/${CRAWL}/` };
        const isThere = (await sizeOf(folder, results[0] as string)) !== undefined;
        return [...results, isThere, filesOf(world)];
      },
      isCompressed: true,
    }),
    scenario({
      name: 'stores links that were left out',
      async run(world) {
        const skips = createSkipObjects({ ...contextOf(world), gatherMs: 100, maxChars: 120 });
        const note = (crawl: string, n: number) =>
          skips.note(crawl, { url: `http://a.test/${n}`, reason: 'trap', via: 'http://a.test/' });
        for (const n of [1, 2, 1, 3, 4]) note(CRAWL, n);
        note('other', 1);
        const first = skips.makeDurable(CRAWL);
        await world.engine.clock.sleep(50);
        note(CRAWL, 5);
        await Promise.all([first, skips.makeDurable(CRAWL), skips.makeDurable('none')]);
        note(CRAWL, 6);
        await skips.makeDurable(CRAWL);
        await skips.makeDurable(CRAWL);
        await skips.makeDurable('other');
      },
      look: filesOf as never,
      isCompressed: true,
      isConcurrent: true,
    }),
  ],
  openGolden('calls-of-archives.txt', import.meta.url),
);
