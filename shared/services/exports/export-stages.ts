/** The stages of an export, by its format. */
import type { CloudTable, ExportRequest } from '../control/crawl-export.ts';
import type { RowFormat } from '../report/url-line.ts';
import { planArchive, scanUnindexed } from './archive-plan.ts';
import { writeDerived } from './derived-stage.ts';
import { listDocuments, writeLlmsFiles, writeMarkdownFolder } from './document-stages.ts';
import type { ExportContext, ExportFacts, StageSlice } from './export-context.ts';
import { GRAPHS, type GraphName, gatherLinks, gatherRedirects } from './gather-links.ts';
import { numberEdges, writeEdges, writeGraphml, writeVertices } from './graph-stages.ts';
import { writeIndex, writeIndexTable } from './index-stages.ts';
import { findItemColumns, writeItemCsv, writeItemLines, writeItemTable } from './item-stages.ts';
import {
  writeDocuments,
  writeDocumentsTwice,
  writeDocumentTable,
  writeUrls,
  writeUrlTable,
} from './ledger-stages.ts';
import { listMirror, writeMirrorFolder } from './mirror-stages.ts';
import { gatherSkips, writeLeftOut, writeSkippedLinks } from './skip-stages.ts';
import { assembleWacz, listPages, packIndex } from './wacz-stages.ts';

/** Runs one slice of a stage. `at`: where the stage continues. */
export type Stage = (context: ExportContext, at: never, facts: ExportFacts) => Promise<StageSlice>;

const INDEXED: readonly Stage[] = [planArchive, scanUnindexed];

/** The parts of a WACZ file that are made before it. */
export const WACZ_PARTS: readonly Stage[] = [...INDEXED, packIndex, listPages];

const TABLES: Readonly<Record<CloudTable, readonly Stage[]>> = {
  index: [...INDEXED, writeIndexTable],
  urls: [writeUrlTable],
  items: [findItemColumns, writeItemTable],
  documents: [writeDocumentTable],
};

const DEFAULT_TABLES: CloudTable[] = ['index', 'urls', 'items'];

export const graphStages = (graph: GraphName): readonly Stage[] => [
  (context, at, facts) => writeVertices(context, graph, at, facts),
  (context, at, facts) => numberEdges(context, graph, at, facts),
  (context, at, facts) => writeEdges(context, graph, at, facts),
  (context, _at, facts) => writeGraphml(context, graph, facts),
];

const skippedStages = (format: RowFormat): readonly Stage[] => [
  gatherSkips,
  (context, at, facts) => writeSkippedLinks(context, at, facts, format),
  (context, at, facts) => writeLeftOut(context, at, facts, format),
];

export function stagesOf({ format, tables = DEFAULT_TABLES }: ExportRequest): readonly Stage[] {
  switch (format) {
    case 'jsonl':
    case 'csv':
      return [(context, at) => writeUrls(context, at, format)];
    case 'itemsCsv':
      return [findItemColumns, writeItemCsv];
    case 'skipped':
      return skippedStages('jsonl');
    case 'skippedCsv':
      return skippedStages('csv');
    case 'markdown':
      return [listDocuments, writeMarkdownFolder];
    case 'llms':
      return [writeLlmsFiles];
    case 'graph':
      return [gatherRedirects, gatherLinks, ...GRAPHS.flatMap(graphStages)];
    case 'mirror':
      return [listMirror, writeMirrorFolder];
    case 'items':
      return [writeItemLines];
    case 'documents':
      return [tables.includes('documents') ? writeDocumentsTwice : writeDocuments];
    case 'cdxj':
      return [...INDEXED, writeIndex];
    case 'wet':
    case 'wat':
      return [planArchive, (context, at, facts) => writeDerived(context, format, at, facts)];
    case 'parquet':
      return [...new Set(tables)].flatMap((table) => TABLES[table]);
    case 'wacz':
      return [...WACZ_PARTS, assembleWacz];
  }
}
