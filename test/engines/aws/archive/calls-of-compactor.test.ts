/** All calls and results of whole compactions: see `calls-of-compactor.txt`. */
import { finishPlan } from '../../../../shared/engines/aws/archive/compact-finish.ts';
import { layOut, planJoin } from '../../../../shared/engines/aws/archive/compact-layout.ts';
import { takeLease } from '../../../../shared/engines/aws/archive/compact-lease.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { uploadJoined } from '../../../../shared/engines/aws/archive/compact-upload.ts';
import { type CompactOptions, compactCrawl } from '../../../../shared/engines/aws/archive/compactor.ts';
import { joinedSources } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { contextOf, FOLDER, filesOf, filled, nameOf, put, warcs } from './warc-world.ts';

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
  ],
  openGolden('calls-of-compactor.txt', import.meta.url),
);
