/** All calls and results of the parts of a compaction: see `calls-of-joined-files.txt`. */

import { candidates, inFullBatches } from '../../../../shared/engines/aws/archive/compact-candidates.ts';
import { layOut, partsOf, planJoin } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { takeLease } from '../../../../shared/engines/aws/archive/compact-lease.ts';
import {
  createReader,
  listFiles,
  listSources,
  sizeOf,
} from '../../../../shared/engines/aws/archive/compact-objects.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { announceJoined, joinedResolver } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { setAside } from '../../../../shared/engines/aws/archive/quarantined-files.ts';
import { readRange } from '../../../../shared/engines/aws/archive/read-range.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { contextOf, FOLDER, filesOf, filled, nameOf, steps, warcs } from './warc-world.ts';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* asAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describeScenarios(
  [
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
          onYounger: () => void warnings.push('some are younger'),
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
  ],
  openGolden('calls-of-joined-files.txt', import.meta.url),
);
