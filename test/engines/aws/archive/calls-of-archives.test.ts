/** All calls and results of the modules that keep archives, items and their tables: see `calls-of-archives.txt`. */
import { gzipSync } from 'node:zlib';
import { beforeAll } from 'vitest';
import { encodeCapture } from '../../../../shared/archive/capture.ts';
import { keyRanges } from '../../../../shared/archive/capture-query.ts';
import { cdxjLine } from '../../../../shared/archive/cdxj.ts';
import { recordId } from '../../../../shared/archive/warc-record.ts';
import type { CapturePlace, CapturesAsked } from '../../../../shared/control/captures.ts';
import { createS3Archive } from '../../../../shared/engines/aws/archive/archive.ts';
import {
  beginWarcUpload,
  capturesIn,
  putWarcObject,
} from '../../../../shared/engines/aws/archive/archive-object.ts';
import { createArchives, warcFolder } from '../../../../shared/engines/aws/archive/archives.ts';
import { CapturePages } from '../../../../shared/engines/aws/archive/capture-pages.ts';
import { setAside } from '../../../../shared/engines/aws/archive/compact-aside.ts';
import { candidates, inFullBatches } from '../../../../shared/engines/aws/archive/compact-candidates.ts';
import { finishPlan } from '../../../../shared/engines/aws/archive/compact-finish.ts';
import { layOut, partsOf, planJoin } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { takeLease } from '../../../../shared/engines/aws/archive/compact-lease.ts';
import {
  createReader,
  listFiles,
  listSources,
  sizeOf,
} from '../../../../shared/engines/aws/archive/compact-objects.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { encodeTables, putTables } from '../../../../shared/engines/aws/archive/compact-tables.ts';
import { uploadJoined } from '../../../../shared/engines/aws/archive/compact-upload.ts';
import { type CompactOptions, compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { deleteObjects } from '../../../../shared/engines/aws/archive/delete-objects.ts';
import { encodeItems } from '../../../../shared/engines/aws/archive/encode-items.ts';
import {
  createChangeObjects,
  createItemObjects,
} from '../../../../shared/engines/aws/archive/item-objects.ts';
import { openItemTables } from '../../../../shared/engines/aws/archive/item-table-plan.ts';
import { writeItemTables } from '../../../../shared/engines/aws/archive/item-tables.ts';
import {
  announceJoined,
  joinedResolver,
  joinedSources,
} from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { readRange } from '../../../../shared/engines/aws/archive/read-range.ts';
import { createSkipObjects } from '../../../../shared/engines/aws/archive/skip-objects.ts';
import { captureOf, T0 } from '../../../archive/captures.ts';
import { CRAWL, RECORD } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';

const FOLDER = `${warcFolder(CRAWL)}/`;
const SITE = 'http://site.test/';
const nameOf = (i: number) => `T-2026010200000${i}-abcdefghij-0000${i}.warc.gz`;

/** Bytes that no compression makes fewer. */
function bytesOf(size: number): Uint8Array {
  let state = size + 1;
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Six WARC files: of each one or two pages, the third is large. */
const warcs: Buffer[] = [];
beforeAll(async () => {
  let ids = 0;
  const records = { newId: () => recordId(`00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`) };
  for (const [i, sizes] of [[100, 200], [300], [4000], [50, 60], [700], [80]].entries()) {
    const pieces: Uint8Array[] = [];
    for (const [page, size] of sizes.entries()) {
      const startedAt = T0 + i * 86_400_000 + page * 1000;
      const headers = [['Content-Type', page === 0 ? 'text/html' : 'text/plain']] as const;
      const capture = captureOf({ url: `${SITE}${i % 4}`, startedAt, body: bytesOf(size), headers });
      for (const member of (await encodeCapture(capture, records)).members)
        for await (const piece of member) pieces.push(piece);
    }
    warcs.push(Buffer.concat(pieces));
  }
});

const contextOf = ({ clients: { dynamo, s3 }, engine: { clock }, cloud: { settings, sizes } }: World) => ({
  ...{ dynamo, s3, clock, sizes, table: settings.crawlState, names: settings, bucket: settings.bucket },
  crawl: CRAWL,
  folder: FOLDER,
});

function put({ cloud }: World, Key: string, Body: Uint8Array, more: object = {}): void {
  cloud.s3.handle('PutObjectCommand', { Bucket: cloud.settings.bucket, Key, Body, ...more });
}

/** The archive's files, one that is damaged, and some that are not the archive's. */
async function filled(world: World): Promise<void> {
  for (const [i, bytes] of warcs.entries()) put(world, FOLDER + nameOf(i), bytes);
  put(world, FOLDER + nameOf(6), Buffer.from('no WARC'));
  put(world, FOLDER + nameOf(7), Buffer.alloc(0));
  put(world, `${FOLDER}mine.warc.gz`, warcs[0] as Buffer);
  put(world, `${FOLDER}below/${nameOf(8)}`, warcs[0] as Buffer);
  await world.cloud.time.advance(5000);
  put(world, FOLDER + nameOf(9), warcs[1] as Buffer);
}

const filesOf = ({ cloud: { s3, settings } }: World): unknown[] =>
  [...s3.objects(settings.bucket)].map(
    ([key, { bytes }]) => `${key.replace(/-[0-9a-f]{20}\./, '-HASH.')} bytes: ${bytes.length}`,
  );

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function compact(world: World, options: Partial<CompactOptions> = {}) {
  const warnings: string[] = [];
  const sizes = { ...world.cloud.sizes, joinedBytes: 4000, maxSources: 4, copyBytes: 3000 };
  const given = {
    ...contextOf(world),
    sizes,
    minAgeMs: 3000,
    warn: (text: string) => void warnings.push(text),
  };
  return compactCrawl({ ...given, ...options }).then(({ aside, ...done }) => [done, aside, warnings]);
}

const askedFor = (
  more: Partial<CapturesAsked> = {},
  matchType: 'exact' | 'host' = 'host',
): CapturesAsked => ({
  ...(keyRanges(SITE, matchType)?.[0] as CapturesAsked),
  limit: 100,
  ...more,
});

async function pagesOf(world: World, asked: CapturesAsked): Promise<unknown[]> {
  const pages = new CapturePages({ ...contextOf(world), mapping: contextOf(world) });
  const found: unknown[] = [];
  let place: CapturePlace | undefined;
  do {
    const page = await pages.page(CRAWL, { ...asked, place });
    found.push([
      page.captures.map(({ url, timestamp, file }) => [url, timestamp, file]),
      page.damaged,
      page.next,
    ]);
    place = page.next;
  } while (place !== undefined && found.length < 20);
  return found;
}

const steps = () => {
  let count = 0;
  return { step: async () => void count++, count: () => count };
};

function leaseContext(world: World, warnings: string[]) {
  const context = contextOf(world);
  const step = async () => {};
  return {
    ...{ folder: context, mapping: context, crawl: CRAWL, tables: true, step, beforeComplete: step },
    warn: (text: string) => void warnings.push(text),
    check: async (source: { file: string; bytes: number }) => {
      const scan = await scanObject(context, source, { step, tables: true });
      return scan.status === 'whole' ? scan.captures : undefined;
    },
  };
}

describeScenarios(
  [
    scenario({
      name: 'joins WARC files in two runs, with tables',
      prepare: filled,
      async run(world) {
        const first = await compact(world);
        const second = await compact(world, { finished: true });
        return [
          first,
          filesOf(world),
          second,
          filesOf(world),
          await compact(world, { finished: true, minAgeMs: 0 }),
        ];
      },
      isTimed: true,
      isCompressed: true,
      isLong: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'joins WARC files without tables, once there is time, and nothing else',
      prepare: filled,
      async run(world) {
        const now = world.engine.clock.now();
        const results: unknown[] = [
          await compact(world, { deadline: now }),
          await compact(world, { deadline: now + 10 }),
          await compact(world, { deadline: now + 15_100, tables: false }),
        ];
        for (const targetBytes of [0, 20_000_000_001, Number.NaN])
          results.push(await refusalOf(compact(world, { targetBytes })));
        const held = await takeLease(contextOf(world));
        results.push(await compact(world, { finished: true }));
        await held?.release();
        results.push(await compact(world, { finished: true, targetBytes: 900, tables: false }));
        return [...results, filesOf(world)];
      },
      isTimed: true,
      isCompressed: true,
      isLong: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'finishes plans that others have begun',
      prepare: filled,
      async run(world) {
        const context = contextOf(world);
        const warnings: string[] = [];
        const sources = [0, 1].map((i) => ({ file: nameOf(i), bytes: warcs[i]?.length as number }));
        const plan = planJoin(sources, context.sizes);
        const finish = async (joined = plan, isStored = false) => {
          const lease = await takeLease(context);
          if (!lease?.plan) await lease?.begin(joined);
          const done = await finishPlan(
            { ...leaseContext(world, warnings), lease: lease! },
            joined,
            isStored,
          );
          await lease?.release();
          return done;
        };
        // The joined object is there, and its index is not.
        await uploadJoined(context, plan, leaseContext(world, warnings));
        const results: unknown[] = [await finish()];
        results.push(await finish(layOut('joined-gone.warc.gz', [{ file: nameOf(0), bytes: 5 }])));
        const third = { file: nameOf(3), bytes: warcs[3]?.length as number };
        const other = planJoin([third], context.sizes);
        put(world, FOLDER + other.file, Buffer.from('other'));
        results.push(await refusalOf(finish(other)));
        return [
          ...results,
          warnings,
          filesOf(world),
          [...(await joinedSources(context, CRAWL, [nameOf(0)]))],
        ];
      },
      isCompressed: true,
      isLong: true,
      isConcurrent: true,
      // A lease that could not be given back ends by itself.
      excuses: ['throttled'],
    }),
    scenario({
      name: 'holds the lease of a crawl, with a plan',
      async run(world) {
        const context = contextOf(world);
        const lease = (await takeLease(context))!;
        const results: unknown[] = [lease.plan, lease.isStored, await takeLease(context)];
        const plan = layOut('joined', [
          { file: 'one', bytes: 3 },
          { file: 'two', bytes: 4 },
        ]);
        await lease.begin(plan);
        await lease.keep();
        await world.engine.clock.sleep(150_000);
        await lease.keep();
        results.push(await lease.markStored(plan), await lease.markStored({ ...plan, file: 'other' }));
        await lease.release();
        const next = (await takeLease(context))!;
        results.push(
          next.plan,
          next.isStored,
          await refusalOf(lease.keep()),
          await refusalOf(lease.begin(plan)),
        );
        results.push(await refusalOf(lease.end(plan)));
        await next.end(plan);
        await next.end(plan);
        await next.release();
        // It ends by itself.
        const last = (await takeLease(context))!;
        await world.engine.clock.sleep(300_005);
        const later = await takeLease(context);
        results.push(await refusalOf(last.keep()), last.plan, later?.plan);
        await later?.release();
        return results;
      },
      isTimed: true,
      hides: ['UpdateItemCommand', 'DeleteItemCommand'],
      // A lease that could not be given back ends by itself.
      excuses: ['throttled'],
    }),
    scenario({
      name: 'lists, reads and scans WARC files',
      prepare: filled,
      async run(world) {
        const context = contextOf(world);
        const { step, count } = steps();
        const source = { file: nameOf(2), bytes: warcs[2]?.length as number };
        const read = createReader(context, source, step);
        const ranges: unknown[] = [];
        for (const [offset, length] of [
          [0, 10],
          [690, 20],
          [0, 5],
          [1400, 1500],
          [source.bytes - 4, 10],
          [source.bytes, 1],
        ])
          ranges.push([Buffer.from(await read(offset!, length!)).toString('hex').length, count()]);
        const scans: unknown[] = [];
        for (const i of [0, 2, 6, 7, 8])
          for (const tables of [true, false]) {
            const bytes = warcs[i]?.length ?? (i === 6 ? 7 : i === 7 ? 0 : 10);
            scans.push(await scanObject(context, { file: nameOf(i), bytes }, { step, tables }));
          }
        return [
          (await allOf(listSources(context))).map((page) => page.map(({ file }) => file)),
          (await allOf(listFiles(context, nameOf(6)))).flat(),
          [await sizeOf(context, nameOf(6)), await sizeOf(context, 'none')],
          ...[ranges, scans, count(), (await readRange(context, nameOf(6), 3, 3)).length],
          await refusalOf(readRange(context, nameOf(6), 0, 9)),
        ];
      },
      isCompressed: true,
    }),
    scenario({
      name: 'chooses the WARC files to join',
      async prepare(world) {
        await filled(world);
        const { wait, cloud } = world;
        const etagOf = (file: string) =>
          cloud.s3.objects(cloud.settings.bucket).get(FOLDER + file)?.etag ?? '';
        await wait(setAside(contextOf(world), { file: nameOf(6), problem: 'bad' }, etagOf(nameOf(6))));
        await wait(setAside(contextOf(world), { file: nameOf(7), problem: 'bad' }, 'another one'));
        const sources = [
          { file: nameOf(0), bytes: warcs[0]?.length as number, offset: 0 },
          { file: nameOf(1), bytes: 3, offset: 9 },
        ];
        await wait(announceJoined(contextOf(world), CRAWL, { file: 'joined', bytes: 9, sources }));
      },
      async run(world) {
        const context = contextOf(world);
        const [warnings, aside]: [string[], unknown[]] = [[], []];
        const found = candidates({
          ...{ folder: context, state: context, mapping: context, crawl: CRAWL },
          olderThan: context.clock.now() - 3000,
          warn: (text) => void warnings.push(text),
          onAside: (file) => void aside.push(file),
        });
        const chosen = (await allOf(found)).map(({ file, bytes }) => ({ file, bytes }));
        const lumps: unknown[] = [];
        for (const targetBytes of [1, 1500, 2500, 9000])
          for (const maxSources of [2, 100])
            for (const finished of [true, false]) {
              const taken = await allOf(
                inFullBatches(asAsync(chosen), { targetBytes, maxSources }, finished),
              );
              lumps.push([targetBytes, maxSources, finished, taken.map(({ file }) => file.slice(-10))]);
            }
        const plan = planJoin(chosen, context.sizes);
        return [
          chosen,
          warnings,
          aside,
          lumps,
          partsOf(plan, { ...context.sizes, copyBytes: 1500 }),
          filesOf(world),
        ];
      },
      isCompressed: true,
    }),
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
      name: 'finds captures in files that are not joined, and in indexes',
      async prepare(world) {
        await filled(world);
        put(world, `${FOLDER}large.warc.gz`, new Uint8Array(256 * 1024), {
          Metadata: { captures: 'b12.AA==' },
        });
        const source = { file: nameOf(0), bytes: 9, offset: 0 };
        await world.wait(
          announceJoined(contextOf(world), CRAWL, { file: 'joined', bytes: 9, sources: [source] }),
        );
        const line = (n: number, day: number) =>
          `test,site)/${n} 202602${day}000000 {"url": "${SITE}${n}", "offset": "${n}", "length": "1", "filename": "joined-x.warc.gz"}\n`;
        put(world, `${FOLDER}joined-b.cdxj`, Buffer.from(line(1, 10) + line(2, 10) + line(3, 10)));
        await world.cloud.time.advance(1000);
        put(world, `${FOLDER}joined-a.cdxj`, Buffer.from(line(1, 11) + line(2, 11)));
        put(world, `${FOLDER}joined-c.cdxj`, Buffer.from(line(0, 12)));
        put(world, `${FOLDER}joined-c.warc.gz`, Buffer.from('x'));
        put(world, `${FOLDER}mine.cdxj`, Buffer.from(line(7, 13)));
      },
      async run(world) {
        const found: unknown[] = [];
        for (const limit of [100, 2, 1]) found.push(await pagesOf(world, askedFor({ limit })));
        found.push(await pagesOf(world, askedFor({ first: '20260104', last: '20260210000000' })));
        found.push(await pagesOf(world, askedFor({}, 'exact')));
        return found;
      },
      isTimed: true,
      isCompressed: true,
      isLong: true,
      isConcurrent: true,
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
    scenario({
      name: 'makes tables of items, and finishes one that was begun',
      async prepare(world) {
        const item = (folder: string, name: string, text: string) =>
          put(world, `${folder}/${CRAWL}/${name}.jsonl.gz`, gzipSync(text));
        item('items', '20251231230000-a', '{"n":1}\n{"n":2,"t":"x"}\n\n');
        item('items', '20251231230001-b', '{"n":3}\nno JSON\n[1]\nnull\n');
        put(world, `items/${CRAWL}/20251231230002-c.jsonl.gz`, Buffer.from('no gzip'));
        item('staged-items', '20251231230001-d', '{"n":4}\n');
        item('items', '20251231235959-e', '{"n":5}\n');
        item('items', '20260101000001-f', '{"n":6}\n');
        item('items', 'mine', '{"n":7}\n');
        item('staged-items', 'mine', '{"n":7}\n');
      },
      async run(world) {
        const warnings: string[] = [];
        let [tables, may] = [0, 3];
        const { step, count } = steps();
        const write = async (options: { finished: boolean; minAgeMs: number; itemTableBytes: number }) => {
          const store = await openItemTables(contextOf(world));
          const isLeft = await writeItemTables({
            ...{ ...contextOf(world), store, step, mayBegin: () => may-- > 0, onTable: () => void tables++ },
            ...{ minAgeMs: options.minAgeMs, finished: options.finished },
            sizes: { ...world.cloud.sizes, itemTableBytes: options.itemTableBytes, maxSources: 2 },
            warn: (text) => void warnings.push(text),
          });
          return [isLeft, store.state, tables, count()];
        };
        const results: unknown[] = [
          await write({ finished: false, minAgeMs: 3_600_000, itemTableBytes: 9999 }),
        ];
        may = 0;
        results.push(await write({ finished: true, minAgeMs: 0, itemTableBytes: 9999 }));
        // Published late.
        put(world, `items/${CRAWL}/20251231230001-d.jsonl.gz`, gzipSync('{"n":4}\n'));
        const store = await openItemTables(contextOf(world));
        await store.replace({
          ...store.state,
          plan: { until: '20251231235959-e.jsonl.gz', late: [], found: ['20251231230001-d.jsonl.gz'] },
        });
        may = 9;
        results.push(await write({ finished: false, minAgeMs: 0, itemTableBytes: 9999 }));
        results.push(await write({ finished: false, minAgeMs: 0, itemTableBytes: 1 }));
        results.push(await write({ finished: true, minAgeMs: 0, itemTableBytes: 9999 }));
        const nobody = await openItemTables({ ...contextOf(world), crawl: 'other' });
        await (await openItemTables({ ...contextOf(world), crawl: 'other' })).replace(nobody.state);
        return [...results, await refusalOf(nobody.replace(nobody.state)), warnings, filesOf(world)];
      },
      isTimed: true,
      isCompressed: true,
      isConcurrent: true,
      isLong: true,
    }),
    scenario({
      name: 'says where records of joined files stand',
      async run(world) {
        const context = contextOf(world);
        const sources = [1, 2].map((n) => ({ file: `f${n}`, bytes: 10 * n, offset: 100 * n }));
        const resolver = joinedResolver(context, CRAWL);
        const locations = ['f1', 'f2', 'f1', 'f3'].map((file, i) => ({ file, offset: i, length: 2 }));
        const results: unknown[] = [await resolver.resolveAll(locations)];
        await announceJoined(context, CRAWL, { file: 'joined', bytes: 40, sources });
        results.push(await resolver.resolveAll(locations), await resolver.resolve(locations[0]!));
        results.push(await resolver.resolveAll([]), await resolver.resolve(locations[3]!));
        return [...results, await refusalOf(resolver.resolve({ file: 'f1', offset: 9, length: 2 }))];
      },
    }),
    scenario({
      name: 'encodes tables of captures and of items',
      async run(world) {
        const context = contextOf(world);
        const { step, count } = steps();
        const warnings: string[] = [];
        const scan = await (async () => {
          put(world, FOLDER + nameOf(0), warcs[0] as Buffer);
          return scanObject(
            context,
            { file: nameOf(0), bytes: warcs[0]?.length as number },
            { step, tables: true },
          );
        })();
        const captures = scan.status === 'whole' ? scan.captures : [];
        const lines = captures.map((capture) => ({
          line: cdxjLine(capture, 'f', 100),
          heads: capture.heads,
        }));
        const warn = (text: string) => void warnings.push(text);
        const tables = await encodeTables([...lines, { line: lines[0]?.line ?? '', heads: undefined }], 'f', {
          step,
          warn,
        });
        await putTables(context, CRAWL, 'f.warc.gz', tables);
        const none = await encodeTables([], 'f', { step, warn });
        const skipped: unknown[] = [];
        const objects = ['{"a":1}\n{"a":"x","b":[1]}\n', 'x\n{"c":null}', ''].map((text) => gzipSync(text));
        const skip = (...given: unknown[]) => void skipped.push(given);
        const items = await encodeItems([...objects, Buffer.from('none')], { step, skip });
        const empty = await encodeItems([], { step, skip });
        const wide = gzipSync(
          JSON.stringify(Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`k${i}`, i]))),
        );
        const isWide = (await encodeItems([wide, ...objects], { step, skip })) as Uint8Array;
        return [
          [...tables.keys()],
          [...none.keys()],
          warnings,
          skipped,
          items === undefined,
          empty,
          count(),
          Buffer.from(isWide).includes('k7'),
          filesOf(world),
        ];
      },
      isCompressed: true,
    }),
  ],
  openGolden('calls-of-archives.txt', import.meta.url),
);

async function* asAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
