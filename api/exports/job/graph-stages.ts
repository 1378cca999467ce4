/** The link graph of pages and of hosts, in the text form of Common Crawl's web graphs, sorted in slices. */
import { gzipSync } from 'node:zlib';
import { parseConfig } from '../../../shared/crawl/config.ts';
import { graphmlEdge, graphmlEnd, graphmlHead, graphmlNode } from '../../../shared/outputs/graph/graphml.ts';
import { createUrlRules } from '../../../shared/url/url-rules.ts';
import { usedPayloads } from '../archived-payloads.ts';
import { htmlPages, linksOf, redirectTarget } from '../crawl-links.ts';
import { createHostLinks } from '../export-graph.ts';
import { MAX_GRAPHML_EDGES, padded } from '../graph-builder.ts';
import { halves } from '../graph-file.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import type { Placed } from './export-parts.ts';
import { madeBehind, placeOf } from './made-behind.ts';
import { type FileWriter, type SlicedAt, writeSlicedFile } from './sliced-file.ts';
import { END, LineRuns, linesOfRuns } from './sorted-runs.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

export const GRAPHS = ['pages', 'hosts'] as const;
export type GraphName = (typeof GRAPHS)[number];

/** Sorted lines: a vertex's name; an edge as the names, or numbers, of its vertices, with a tabulator between them. */
type RunKind = 'names' | 'byFrom' | 'byTo' | 'edges';
const runKey = (graph: GraphName, kind: RunKind) => `${graph}-${kind}` as const;

/** A graph whose vertices and edges are kept as runs. */
function graphRuns(context: ExportContext, graph: GraphName, { runs = {} }: ExportFacts) {
  const [names, byFrom] = (['names', 'byFrom'] as const).map((kind) => {
    const key = runKey(graph, kind);
    return [key, new LineRuns(context, key, runs[key])] as const;
  }) as [readonly [string, LineRuns], readonly [string, LineRuns]];
  return {
    addVertex: (name: string) => names[1].add(`${name}\n`),
    async addEdge(from: string, to: string) {
      if (from === to) return;
      await names[1].add(`${from}\n`);
      await names[1].add(`${to}\n`);
      await byFrom[1].add(`${from}\t${to}\n`);
    },
    end: async () => ({ [names[0]]: await names[1].end(), [byFrom[0]]: await byFrom[1].end() }),
  };
}

/** Adds to both graphs. */
function bothGraphs(context: ExportContext, facts: ExportFacts) {
  const pages = graphRuns(context, 'pages', facts);
  const hosts = graphRuns(context, 'hosts', facts);
  const addHosts = createHostLinks(hosts);
  return {
    async addPage(page: string) {
      await pages.addVertex(page);
      await addHosts(page, page);
    },
    async addLink(from: string, to: string) {
      await pages.addEdge(from, to);
      await addHosts(from, to);
    },
    /** The facts with all runs. */
    end: async (): Promise<ExportFacts> => ({
      ...facts,
      runs: { ...facts.runs, ...(await pages.end()), ...(await hosts.end()) },
    }),
  };
}

interface GatherAt {
  readonly after: LedgerPlace;
}

/** Adds what values say to the graphs. */
async function gather<Value>(
  context: ExportContext,
  facts: ExportFacts,
  values: AsyncIterable<Placed<Value, LedgerPlace>>,
  add: (graphs: ReturnType<typeof bothGraphs>, value: Value) => Promise<void>,
): Promise<StageSlice> {
  const graphs = bothGraphs(context, facts);
  let skipped = 0;
  for await (const { value, isSkipped, after, isGoodEnd, share } of values) {
    if (isSkipped) skipped++;
    if (value !== undefined) await add(graphs, value);
    if (!context.isOver() && !(isGoodEnd && context.isLate())) continue;
    const at = { after } satisfies GatherAt;
    return { at, facts: await graphs.end(), written: { ...NOTHING_WRITTEN, skipped }, share };
  }
  return { facts: await graphs.end(), written: { ...NOTHING_WRITTEN, skipped }, share: 1 };
}

const nameOfCrawl = ({ record }: ExportContext) => createUrlRules(parseConfig(record.config).urlRules);

/** Finds the redirects of the ledgers. */
export function gatherRedirects(
  context: ExportContext,
  at: GatherAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const nameOf = nameOfCrawl(context);
  async function* redirects(): AsyncGenerator<Placed<readonly [string, string], LedgerPlace>> {
    for await (const placed of walkLedgers(context, at?.after)) {
      const to = redirectTarget(placed.record);
      const value = to === undefined ? undefined : ([placed.record.url, nameOf(to)] as const);
      yield { value, ...placeOf(context, placed) };
    }
  }
  return gather(context, facts, redirects(), (graphs, [from, to]) => graphs.addLink(from, to));
}

/** Finds the links of all HTML pages. */
export function gatherLinks(
  context: ExportContext,
  at: GatherAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const nameOf = nameOfCrawl(context);
  const pages = madeBehind(context, at?.after, 'links', (records, skip) =>
    usedPayloads(
      context.payloads,
      htmlPages(records),
      ({ url }, payload) => ({
        page: url,
        targets: [...linksOf(url, payload, nameOf)].map(({ target }) => target),
      }),
      skip,
    ),
  );
  return gather(context, facts, pages, async (graphs, { page, targets }) => {
    await graphs.addPage(page);
    for (const target of targets) await graphs.addLink(page, target);
  });
}

/** A vertex that is done. */
interface Vertex {
  readonly name: string;
  readonly id: number;
}

/** Yields the vertices behind a place, in the order of their names, which are numbered from 0. */
async function* verticesBehind(
  context: ExportContext,
  graph: GraphName,
  { runs = {} }: ExportFacts,
  after: Vertex | undefined,
): AsyncGenerator<Vertex> {
  let id = after ? after.id + 1 : 0;
  const names = linesOfRuns(context, runs[runKey(graph, 'names')], after && `${after.name}\n`);
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
  const lines = linesOfRuns(context, facts.runs?.[runKey(graph, kind)], from);
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

const CHUNK_CHARS = 1024 * 1024;

/** Writes lines as members of gzip. */
function gzipLines(upload: { add(bytes: Uint8Array): Promise<void>; readonly bytes: number }) {
  let lines: string[] = [];
  let chars = 0;
  async function flush(): Promise<void> {
    const bytes = gzipSync(lines.join(''));
    lines = [];
    chars = 0;
    await upload.add(bytes);
  }
  return {
    async add(line: string) {
      lines.push(line);
      chars += line.length;
      if (chars >= CHUNK_CHARS) await flush();
    },
    async pause() {
      if (chars > 0) await flush();
      return {};
    },
    async finish() {
      if (chars > 0 || upload.bytes === 0) await flush();
      return { files: 0, bytes: 0 };
    },
  } satisfies FileWriter<string, object>;
}

/** Writes the vertices of a graph, and gives the first vertex of each edge its number. */
export async function writeVertices(
  context: ExportContext,
  graph: GraphName,
  at: SlicedAt<Vertex, object> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const key = runKey(graph, 'byTo');
  const byTo = new LineRuns(context, key, facts.runs?.[key]);
  const slice = await writeSlicedFile<string, Vertex, object>(context, at, {
    name: `${graph}/vertices.txt.gz`,
    async *values(after) {
      const joined = joinedVertices(context, graph, { facts, kind: 'byFrom', after }, ({ id }, to) =>
        byTo.add(`${to}\t${padded(id)}\n`),
      );
      for await (const vertex of joined)
        yield { value: `${vertex.id}\t${vertex.name}\n`, after: vertex, share: 0.5 };
    },
    open: gzipLines,
  });
  return { ...slice, facts: { ...facts, runs: { ...facts.runs, [key]: await byTo.end() } } };
}

/** Gives the second vertex of each edge its number. */
export async function numberEdges(
  context: ExportContext,
  graph: GraphName,
  at: { readonly after: Vertex } | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const key = runKey(graph, 'edges');
  const edges = new LineRuns(context, key, facts.runs?.[key]);
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
    facts: { ...facts, runs: { ...facts.runs, [key]: await edges.end() } },
    written: NOTHING_WRITTEN,
    share: cut ? 0.5 : 1,
  };
}

/** The line of an edge as it is written. */
function edgeLine(line: string): string {
  const [from, to] = halves(line);
  return `${Number(from)}\t${Number(to)}\n`;
}

export async function writeEdges(
  context: ExportContext,
  graph: GraphName,
  at: SlicedAt<string, object> | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const slice = await writeSlicedFile<string, string, object>(context, at, {
    name: `${graph}/edges.txt.gz`,
    async *values(after) {
      for await (const line of linesOfRuns(context, facts.runs?.[runKey(graph, 'edges')], after))
        yield { value: edgeLine(line), after: line, share: 0.5 };
    },
    open: gzipLines,
  });
  const before = facts.edges?.[graph] ?? 0;
  return {
    ...slice,
    facts: { ...facts, edges: { ...facts.edges, [graph]: before + slice.written.records } },
  };
}

/** Writes a small graph for programs that read GraphML. */
export async function writeGraphml(
  context: ExportContext,
  graph: GraphName,
  facts: ExportFacts,
): Promise<StageSlice> {
  if ((facts.edges?.[graph] ?? 0) > MAX_GRAPHML_EDGES) return { written: NOTHING_WRITTEN, share: 1 };
  const upload = context.objects.create(`${graph}/graph.graphml`);
  const add = (text: string) => upload.add(Buffer.from(text));
  try {
    await add(graphmlHead);
    for await (const { id, name } of verticesBehind(context, graph, facts, undefined))
      await add(graphmlNode(String(id), name));
    for await (const line of linesOfRuns(context, facts.runs?.[runKey(graph, 'edges')])) {
      const [from, to] = halves(edgeLine(line));
      await add(graphmlEdge(from, to));
    }
    await add(graphmlEnd);
    const { bytes } = upload;
    await upload.complete();
    return { written: { ...NOTHING_WRITTEN, files: 1, bytes }, share: 1 };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}
