/** The stages of an export, by its format. Each format loads its code when it is needed. */
import type { CloudTable, ExportRequest } from '../control/crawl-export.ts';
import type { RowFormat } from '../report/url-line.ts';
import { planArchive, scanUnindexed } from './archive-plan.ts';
import type { Stage } from './export-context.ts';

type Stages = Promise<readonly Stage[]>;

const INDEXED: readonly Stage[] = [planArchive, scanUnindexed];

const TABLES: Readonly<Record<CloudTable, () => Stages>> = {
  index: async () => [...INDEXED, (await import('./index-stages.ts')).writeIndexTable],
  urls: async () => [(await import('./url-stages.ts')).writeUrlTable],
  async items() {
    const { findItemColumns, writeItemTable } = await import('./item-stages.ts');
    return [findItemColumns, writeItemTable];
  },
  documents: async () => [(await import('./document-rows.ts')).writeDocumentTable],
};

const DEFAULT_TABLES: CloudTable[] = ['index', 'urls', 'items'];

async function skippedStages(format: RowFormat): Stages {
  const { gatherSkips, writeSkippedLinks, writeLeftOut } = await import('./skip-stages.ts');
  return [
    gatherSkips,
    (context, at, facts) => writeSkippedLinks(context, at, facts, format),
    (context, at, facts) => writeLeftOut(context, at, facts, format),
  ];
}

/** The parts of a WACZ file, which are made before it. */
export async function waczParts(): Stages {
  const { packIndex, listPages } = await import('./wacz-stages.ts');
  return [...INDEXED, packIndex, listPages];
}

export async function stagesOf({ format, tables = DEFAULT_TABLES }: ExportRequest): Stages {
  switch (format) {
    case 'jsonl':
    case 'csv': {
      const { writeUrls } = await import('./url-stages.ts');
      return [(context, at) => writeUrls(context, at, format)];
    }
    case 'items':
      return [(await import('./item-stages.ts')).writeItemLines];
    case 'itemsCsv': {
      const { findItemColumns, writeItemCsv } = await import('./item-stages.ts');
      return [findItemColumns, writeItemCsv];
    }
    case 'skipped':
      return skippedStages('jsonl');
    case 'skippedCsv':
      return skippedStages('csv');
    case 'documents': {
      const { writeDocuments, writeDocumentsTwice } = await import('./document-rows.ts');
      return [tables.includes('documents') ? writeDocumentsTwice : writeDocuments];
    }
    case 'markdown': {
      const { listDocuments, writeMarkdownFolder } = await import('./document-stages.ts');
      return [listDocuments, writeMarkdownFolder];
    }
    case 'llms':
      return [(await import('./document-stages.ts')).writeLlmsFiles];
    case 'graph':
      return (await import('./graph-stages.ts')).GRAPH_STAGES;
    case 'mirror': {
      const { listMirror, writeMirrorFolder } = await import('./mirror-stages.ts');
      return [listMirror, writeMirrorFolder];
    }
    case 'cdxj':
      return [...INDEXED, (await import('./index-stages.ts')).writeIndex];
    case 'wet':
    case 'wat': {
      const { writeDerived } = await import('./derived-stage.ts');
      return [planArchive, (context, at, facts) => writeDerived(context, format, at, facts)];
    }
    case 'parquet':
      return (await Promise.all([...new Set(tables)].map((table) => TABLES[table]()))).flat();
    case 'wacz':
      return [...(await waczParts()), (await import('./wacz-stages.ts')).assembleWacz];
  }
}
