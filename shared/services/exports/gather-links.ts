/** Gathers the links of a crawl, as sorted runs of names and edges: the first stages of an export of graphs. */

import { PayloadReader } from '../../core/archive/payload-reader.ts';
import { parseConfig } from '../../core/crawl/config.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';
import { hostVertex } from '../outputs/graph/vertex-names.ts';
import { type ArchivedPayload, usedPayloads } from './archived-payloads.ts';
import { isHtmlPage, linksOf, redirectTarget } from './crawl-links.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { madeBehind, placeOf } from './made-behind.ts';
import type { Placed } from './placed.ts';
import { LineRuns } from './sorted-runs.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

export const GRAPHS = ['pages', 'hosts'] as const;
export type GraphName = (typeof GRAPHS)[number];

/** Sorted lines: a vertex's name; an edge as the names, or numbers, of its vertices, with a tabulator between them. */
export type RunKind = 'names' | 'byFrom' | 'byTo' | 'edges';
export const runKey = (graph: GraphName, kind: RunKind) => `${graph}-${kind}` as const;

/** A graph whose vertices and edges are kept as runs. */
export function graphRuns(context: ExportContext, graph: GraphName, facts: ExportFacts) {
  const names = new LineRuns(context, runKey(graph, 'names'), facts);
  const byFrom = new LineRuns(context, runKey(graph, 'byFrom'), facts);
  /** Links come page by page. */
  let lastFrom: string | undefined;
  return {
    addVertex: (name: string) => names.add(`${name}\n`),
    async addEdge(from: string, to: string) {
      if (from === to) return;
      if (from !== lastFrom) await names.add(`${from}\n`);
      lastFrom = from;
      await names.add(`${to}\n`);
      await byFrom.add(`${from}\t${to}\n`);
    },
    end: async (before: ExportFacts) => byFrom.end(await names.end(before)),
  };
}

/** Pairs of hosts that are remembered: most links repeat one of the last. */
const MAX_KNOWN = 10_000;

/** Adds links between the hosts of two URLs. */
function createHostLinks(
  hosts: Pick<ReturnType<typeof graphRuns>, 'addVertex' | 'addEdge'>,
): (from: string, to: string) => Promise<void> {
  let known = new Set<string>();
  return async (from, to) => {
    const a = hostVertex(from);
    const b = hostVertex(to);
    if (a === undefined || b === undefined) return;
    const pair = `${a}\t${b}`;
    if (known.has(pair)) return;
    if (known.size >= MAX_KNOWN) known = new Set();
    known.add(pair);
    if (a === b) await hosts.addVertex(a);
    else await hosts.addEdge(a, b);
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
    end: async (): Promise<ExportFacts> => hosts.end(await pages.end(facts)),
  };
}

interface GatherAt {
  readonly after: LedgerPlace;
}

/** Adds the values' links to the graphs. */
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
  const targetsOf = ({ url }: UrlRecord, payload: ArchivedPayload) => ({
    page: url,
    targets: [...linksOf(url, payload, nameOf)].map(({ target }) => target),
  });
  const pages = madeBehind(context, at?.after, {
    what: 'links',
    isWanted: isHtmlPage,
    make: (records, skip) =>
      usedPayloads(new PayloadReader(context.payloads, 'shown'), records, targetsOf, skip),
  });
  return gather(context, facts, pages, async (graphs, { page, targets }) => {
    await graphs.addPage(page);
    for (const target of targets) await graphs.addLink(page, target);
  });
}
