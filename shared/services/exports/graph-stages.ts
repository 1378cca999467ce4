/** The link graph of pages and of hosts, in the text form of Common Crawl's web graphs, sorted in slices. */

import { graphmlEdge, graphmlEnd, graphmlHead, graphmlNode } from '../outputs/graph/graphml.ts';
import {
  type ExportContext,
  type ExportFacts,
  type GraphSize,
  NOTHING_WRITTEN,
  type Stage,
  type StageSlice,
} from './export-context.ts';
import { type ExportFile, storeFile } from './export-store.ts';
import {
  GRAPHS,
  type GraphName,
  gatherLinks,
  gatherRedirects,
  type RunKind,
  runKey,
} from './gather-links.ts';
import { halves, MAX_GRAPHML_EDGES, padded } from './graph-lines.ts';
import { gzipLines } from './gzip-lines.ts';
import { type FileWriter, type SlicedAt, writeSlicedFile } from './sliced-file.ts';
import { END, LineRuns, linesOfRuns } from './sorted-runs.ts';

/** A vertex that is done. */
interface Vertex {
  readonly name: string;
  readonly id: number;
}

/** Yields the vertices after a cursor, in the order of their names, which are numbered from 0. */
async function* verticesBehind(
  context: ExportContext,
  graph: GraphName,
  facts: ExportFacts,
  after: Vertex | undefined,
): AsyncGenerator<Vertex> {
  let id = after ? after.id + 1 : 0;
  const names = linesOfRuns(context, facts, runKey(graph, 'names'), after && `${after.name}\n`);
  for await (const line of names) yield { name: line.slice(0, -1), id: id++ };
}

/** Yields vertices, and calls `use` with the second half of each line of the runs whose first half is the vertex's name. */
async function* joinedVertices(
  context: ExportContext,
  graph: GraphName,
  { facts, kind, after }: { facts: ExportFacts; kind: RunKind; after: Vertex | undefined },
  use: (vertex: Vertex, other: string) => Promise<void>,
): AsyncGenerator<Vertex> {
  // All lines of the vertices before are done.
  const from = after && `${after.name}\t${END}`;
  const lines = linesOfRuns(context, facts, runKey(graph, kind), from);
  try {
    let line = await lines.next();
    for await (const vertex of verticesBehind(context, graph, facts, after)) {
      for (; !line.done; line = await lines.next()) {
        const [name, other] = halves(line.value);
        if (name !== vertex.name) break;
        await use(vertex, other);
      }
      yield vertex;
    }
  } finally {
    await lines.return(undefined);
  }
}

function lineWriter(upload: ExportFile): FileWriter<string, object> {
  const { add, flush, finish } = gzipLines(upload);
  return {
    add,
    async pause() {
      await flush();
      return {};
    },
    async finish() {
      await finish();
      return { files: 0, bytes: 0 };
    },
  };
}

/** Adds to the size of a graph. */
function grown(facts: ExportFacts, graph: GraphName, more: Partial<GraphSize>): ExportFacts {
  const { vertices = 0, edges = 0 } = facts.graphs?.[graph] ?? {};
  const size = { vertices: vertices + (more.vertices ?? 0), edges: edges + (more.edges ?? 0) };
  return { ...facts, graphs: { ...facts.graphs, [graph]: size } };
}

/** Writes the vertices of a graph, and gives the first vertex of each edge its number. */
async function writeVertices(
  context: ExportContext,
  graph: GraphName,
  at: SlicedAt<Vertex, object> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const byTo = new LineRuns(context, runKey(graph, 'byTo'), facts);
  const slice = await writeSlicedFile<string, Vertex, object>(context, at, {
    name: `${graph}/vertices.txt.gz`,
    async *values(after) {
      const joined = joinedVertices(context, graph, { facts, kind: 'byFrom', after }, ({ id }, to) =>
        byTo.add(`${to}\t${padded(id)}\n`),
      );
      for await (const vertex of joined)
        yield { value: `${vertex.id}\t${vertex.name}\n`, after: vertex, share: 0.5 };
    },
    open: lineWriter,
  });
  return { ...slice, facts: await byTo.end(grown(facts, graph, { vertices: slice.written.records })) };
}

/** Gives the second vertex of each edge its number. */
async function numberEdges(
  context: ExportContext,
  graph: GraphName,
  at: { readonly after: Vertex } | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const edges = new LineRuns(context, runKey(graph, 'edges'), facts);
  const joined = joinedVertices(context, graph, { facts, kind: 'byTo', after: at?.after }, ({ id }, from) =>
    edges.add(`${from}\t${padded(id)}\n`),
  );
  let cut: Vertex | undefined;
  for await (const vertex of joined) {
    if (!context.isLate()) continue;
    cut = vertex;
    break;
  }
  return {
    ...(cut && { at: { after: cut } }),
    facts: await edges.end(facts),
    written: NOTHING_WRITTEN,
    share: cut ? 0.5 : 1,
  };
}

/** The line of an edge as it is written. */
function edgeLine(line: string): string {
  const [from, to] = halves(line);
  return `${Number(from)}\t${Number(to)}\n`;
}

async function writeEdges(
  context: ExportContext,
  graph: GraphName,
  at: SlicedAt<string, object> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const slice = await writeSlicedFile<string, string, object>(context, at, {
    name: `${graph}/edges.txt.gz`,
    async *values(after) {
      for await (const line of linesOfRuns(context, facts, runKey(graph, 'edges'), after))
        yield { value: edgeLine(line), after: line, share: 0.5 };
    },
    open: lineWriter,
  });
  return { ...slice, facts: grown(facts, graph, { edges: slice.written.records }) };
}

/** Writes a small graph for programs that read GraphML. */
async function writeGraphml(
  context: ExportContext,
  graph: GraphName,
  facts: ExportFacts,
): Promise<StageSlice> {
  if ((facts.graphs?.[graph]?.edges ?? 0) > MAX_GRAPHML_EDGES) return { written: NOTHING_WRITTEN, share: 1 };
  async function* texts(): AsyncGenerator<string> {
    yield graphmlHead;
    for await (const { id, name } of verticesBehind(context, graph, facts, undefined))
      yield graphmlNode(String(id), name);
    for await (const line of linesOfRuns(context, facts, runKey(graph, 'edges'))) {
      const [from, to] = halves(edgeLine(line));
      yield graphmlEdge(from, to);
    }
    yield graphmlEnd;
  }
  const bytes = await storeFile(context.objects, `${graph}/graph.graphml`, utf8(texts()));
  return { written: { ...NOTHING_WRITTEN, files: 1, bytes }, share: 1 };
}

const PIECE_CHARS = 256 * 1024;

async function* utf8(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < PIECE_CHARS) continue;
    yield Buffer.from(held);
    held = '';
  }
  yield Buffer.from(held);
}

/** The stages of one graph, after its links are gathered. */
export const graphStages = (graph: GraphName): readonly Stage[] => [
  (context, at, facts) => writeVertices(context, graph, at, facts),
  (context, at, facts) => numberEdges(context, graph, at, facts),
  (context, at, facts) => writeEdges(context, graph, at, facts),
  (context, _at, facts) => writeGraphml(context, graph, facts),
];

export const GRAPH_STAGES: readonly Stage[] = [gatherRedirects, gatherLinks, ...GRAPHS.flatMap(graphStages)];
