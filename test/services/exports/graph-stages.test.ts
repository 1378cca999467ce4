import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExportFolder } from '../../../shared/engines/local/exports/export-folder.ts';
import type { ExportContext, ExportFacts } from '../../../shared/services/exports/export-context.ts';
import { graphRuns } from '../../../shared/services/exports/gather-links.ts';
import { graphStages } from '../../../shared/services/exports/graph-stages.ts';
import { slicesOf } from '../../../shared/services/exports/run-stages.ts';
import { readGraph } from './read-graph.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-graph-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = fc
  .array(fc.constantFrom(...'abcdefghijklmnop0123'), { minLength: 1, maxLength: 3 })
  .map((a) => a.join(''));

test('a graph that is sorted on disk is the same as one in memory, whatever is repeated, and wherever slices end', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(names, names), { maxLength: 80 }),
      fc.array(names),
      fc.infiniteStream(fc.boolean()),
      async (pairs, alone, late) => {
        const out = join(folder, String(run++));
        const context = {
          objects: new ExportFolder(out, join(out, 'work')),
          archive: { list: async () => ({ warcs: [] }) },
          isLate: () => late.next().value,
          isOver: () => false,
        } as unknown as ExportContext;
        let facts: ExportFacts = {};
        for (const part of [pairs.slice(0, 30), pairs.slice(30)]) {
          const graph = graphRuns(context, 'pages', facts);
          for (const name of alone) await graph.addVertex(name);
          for (const [from, to] of part) await graph.addEdge(from, to);
          facts = await graph.end(facts);
        }
        for await (const { cursor } of slicesOf(context, graphStages('pages'), { stage: 0, facts }))
          ({ facts } = JSON.parse(JSON.stringify(cursor)));
        await context.objects.deleteAllWork();
        const edges = new Set(pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from} ${to}`));
        const vertices = new Set([...alone, ...[...edges].flatMap((edge) => edge.split(' '))]);
        const read = readGraph(join(out, 'pages'));
        expect(read.vertices).toEqual([...vertices].sort());
        expect([...read.edges].sort()).toEqual([...edges].sort());
        expect(facts.graphs).toEqual({ pages: { vertices: vertices.size, edges: edges.size } });
        expect(readdirSync(out)).toEqual(['pages']);
      },
    ),
    { numRuns: 40 },
  );
});
