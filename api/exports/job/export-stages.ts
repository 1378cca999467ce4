/** The stages of an export, by its format. */
import type { CloudTable, ExportRequest } from '../../../shared/control/crawl-export.ts';
import { planArchive, scanUnindexed } from './archive-plan.ts';
import { writeDerived } from './derived-stage.ts';
import type { ExportContext, ExportFacts, StageSlice } from './export-context.ts';
import { writeIndex, writeIndexTable } from './index-stages.ts';
import { findItemColumns, writeItemLines, writeItemTable } from './item-stages.ts';
import { writeDocuments, writeDocumentTable, writeUrls, writeUrlTable } from './ledger-stages.ts';
import { assembleWacz, listPages, packIndex } from './wacz-stages.ts';

/** One slice of a stage. `at`: where the stage continues. */
export type Stage = (context: ExportContext, at: never, facts: ExportFacts) => Promise<StageSlice>;

const INDEXED: readonly Stage[] = [planArchive, scanUnindexed];

const TABLES: Readonly<Record<CloudTable, readonly Stage[]>> = {
  index: [...INDEXED, writeIndexTable],
  urls: [writeUrlTable],
  items: [findItemColumns, writeItemTable],
  documents: [writeDocumentTable],
};

const DEFAULT_TABLES: CloudTable[] = ['index', 'urls', 'items'];

export function stagesOf({ format, tables = DEFAULT_TABLES }: ExportRequest): readonly Stage[] {
  switch (format) {
    case 'jsonl':
      return [writeUrls];
    case 'items':
      return [writeItemLines];
    case 'documents':
      return [writeDocuments];
    case 'cdxj':
      return [...INDEXED, writeIndex];
    case 'wet':
    case 'wat':
      return [planArchive, (context, at, facts) => writeDerived(context, format, at, facts)];
    case 'parquet':
      return [...new Set(tables)].flatMap((table) => TABLES[table]);
    case 'wacz':
      return [...INDEXED, packIndex, listPages, assembleWacz];
  }
}
