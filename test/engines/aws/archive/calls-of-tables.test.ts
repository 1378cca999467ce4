/** All calls and results of the modules that make tables: see `calls-of-tables.txt`. */
import { gzipSync } from 'node:zlib';
import { cdxjLine } from '../../../../shared/core/archive/cdxj.ts';
import { scanObject } from '../../../../shared/engines/aws/archive/compact-scan.ts';
import { encodeTables, putTables } from '../../../../shared/engines/aws/archive/compact-tables.ts';
import { encodeItems } from '../../../../shared/engines/aws/archive/encode-items.ts';
import { openItemTables } from '../../../../shared/engines/aws/archive/item-table-plan.ts';
import { writeItemTables } from '../../../../shared/engines/aws/archive/item-tables.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { contextOf, FOLDER, filesOf, nameOf, put, steps, warcs } from './warc-world.ts';

describeScenarios(
  [
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
      name: 'notes which items are in tables, unless another process has',
      async run(world) {
        const [store, other] = [
          await openItemTables(contextOf(world)),
          await openItemTables(contextOf(world)),
        ];
        const results: unknown[] = [store.state];
        await store.replace({ until: 'a', late: ['x'], tables: 1 });
        await store.replace({
          until: 'b',
          late: [],
          tables: 2,
          plan: { until: 'c', late: [], found: ['x'] },
        });
        results.push(
          store.state,
          await refusalOf(other.replace({ until: 'z', late: [], tables: 9 })),
          other.state,
        );
        const later = await openItemTables(contextOf(world));
        results.push(later.state);
        await later.replace({ until: 'c', late: [], tables: 3 });
        return [...results, await refusalOf(store.replace(store.state)), store.state, later.state];
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
  openGolden('calls-of-tables.txt', import.meta.url),
);
