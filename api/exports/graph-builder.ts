/** Numbers the vertices of a graph and writes it, by external sorting: memory does not grow with the graph. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLineSorter, type LineSorter } from '../../shared/engines/line-sorter.ts';
import { halves, MAX_GRAPHML_EDGES, padded } from '../../shared/services/exports/graph-lines.ts';
import { unique } from '../../shared/services/exports/sorted-runs.ts';
import {
  graphmlEdge,
  graphmlEnd,
  graphmlHead,
  graphmlNode,
} from '../../shared/services/outputs/graph/graphml.ts';
import type { GraphSize } from '../stored-crawl.ts';
import { readGzipped, writeGzipped, writePlain } from './graph-file.ts';

/** Characters that are sorted in memory. */
const RUN_CHARS = 16 * 1024 * 1024;

export interface GraphBuilder {
  /** The vertex may have no edge. A name is ASCII without a blank. Calls must not overlap. */
  addVertex(name: string): Promise<void>;
  /** Adds the vertices, too. An edge that exists is not repeated; a loop is left out. Calls must not overlap. */
  addEdge(from: string, to: string): Promise<void>;
  /** Writes `vertices.txt.gz`, `edges.txt.gz` and, for a small graph, `graph.graphml`. */
  finish(): Promise<GraphSize>;
  /** Removes temporary files. Safe to repeat. */
  dispose(): Promise<void>;
}

/** `runs`: an existing folder for sorted runs. `runChars`: characters that a sorter holds in memory. */
export function createGraphBuilder(out: string, runs: string, runChars = RUN_CHARS): GraphBuilder {
  const sorters: LineSorter[] = [];
  const newSorter = (): LineSorter => {
    const number = sorters.length;
    const sorter = createLineSorter((n) => join(runs, `${number}-${n}`), runChars);
    sorters.push(sorter);
    return sorter;
  };
  const names = newSorter();
  const byFrom = newSorter();

  async function finish(): Promise<GraphSize> {
    await mkdir(out, { recursive: true });
    const vertexFile = join(out, 'vertices.txt.gz');
    const edgeFile = join(out, 'edges.txt.gz');
    const size = { vertices: 0, edges: 0 };

    const byTo = newSorter();
    const numbered = numberVertices(names.sorted(), byFrom.sorted(), (to, from) =>
      byTo.add(`${to}\t${from}\n`),
    );
    await writeGzipped(
      vertexFile,
      counted(numbered, () => size.vertices++),
    );

    const edges = newSorter();
    await joined(byTo.sorted(), vertexFile, (from, to) => edges.add(`${from}\t${padded(to)}\n`));
    await writeGzipped(
      edgeFile,
      counted(withoutPadding(edges.sorted()), () => size.edges++),
    );
    if (size.edges <= MAX_GRAPHML_EDGES)
      await writePlain(join(out, 'graph.graphml'), graphml(vertexFile, edgeFile));
    return size;
  }

  return {
    addVertex: (name) => names.add(`${name}\n`),
    async addEdge(from, to) {
      if (from === to) return;
      await names.add(`${to}\n`);
      await names.add(`${from}\n`);
      await byFrom.add(`${from}\t${to}\n`);
    },
    finish,
    async dispose() {
      for (const sorter of sorters) await sorter.dispose();
    },
  };
}

/** Yields `id<TAB>name` for each name; calls `use` for each edge with the number of its first vertex. */
async function* numberVertices(
  names: AsyncGenerator<string>,
  edges: AsyncGenerator<string>,
  use: (to: string, from: string) => Promise<void>,
): AsyncGenerator<string> {
  let id = 0;
  const left = unique(edges);
  let edge = await left.next();
  for await (const line of unique(names)) {
    const name = line.slice(0, -1);
    yield `${id}\t${line}`;
    for (; !edge.done; edge = await left.next()) {
      const [from, to] = halves(edge.value);
      if (from !== name) break;
      await use(to, padded(id));
    }
    id++;
  }
}

/** Gives the second vertex of each edge (`to<TAB>from`) its number. */
async function joined(
  edges: AsyncGenerator<string>,
  vertexFile: string,
  use: (from: string, to: string) => Promise<void>,
): Promise<void> {
  let edge = await edges.next();
  for await (const [id, name] of readGzipped(vertexFile)) {
    for (; !edge.done; edge = await edges.next()) {
      const [to, from] = halves(edge.value);
      if (to !== name) break;
      await use(from, id);
    }
    if (edge.done) break;
  }
}

async function* graphml(vertexFile: string, edgeFile: string): AsyncGenerator<string> {
  yield graphmlHead;
  for await (const [id, name] of readGzipped(vertexFile)) yield graphmlNode(id, name);
  for await (const [from, to] of readGzipped(edgeFile)) yield graphmlEdge(from, to);
  yield graphmlEnd;
}

async function* withoutPadding(edges: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of edges) {
    const [from, to] = halves(line);
    yield `${Number(from)}\t${Number(to)}\n`;
  }
}

async function* counted(lines: AsyncIterable<string>, count: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    count();
    yield line;
  }
}
