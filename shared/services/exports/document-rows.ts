/** Documents, host by host, as lines and as Parquet tables. */
import type { DocumentRow } from '../outputs/document-row.ts';
import { DOCUMENT_COLUMNS, documentTableRow } from '../outputs/parquet/document-table.ts';
import { documentsBehind } from './documents-behind.ts';
import type { ExportContext, StageSlice } from './export-context.ts';
import {
  bothParts,
  type ExportPart,
  openLines,
  type PartsAt,
  partNumber,
  tablePart,
  writeParts,
} from './export-parts.ts';
import { openParquet } from './parquet-file.ts';
import type { LedgerPlace } from './walk-ledgers.ts';

const documentLines = ({ objects }: ExportContext, number: number) =>
  openLines<DocumentRow>(
    objects,
    `documents-${partNumber(number)}.jsonl.gz`,
    (row) => `${JSON.stringify(row)}\n`,
  );

const documentTable = ({ objects }: ExportContext, number: number) =>
  openParquet(objects, tablePart('documents', number), DOCUMENT_COLUMNS, documentTableRow);

const documentStage =
  (open: (context: ExportContext, number: number) => Promise<ExportPart<DocumentRow>>) =>
  (context: ExportContext, at: PartsAt<LedgerPlace> | undefined): Promise<StageSlice> =>
    writeParts<DocumentRow, LedgerPlace>(context, at, {
      values: (after) => documentsBehind(context, after),
      open: (number) => open(context, number),
    });

export const writeDocuments = documentStage(documentLines);
export const writeDocumentTable = documentStage(documentTable);
/** As lines and as a table. */
export const writeDocumentsTwice = documentStage(async (context, number) =>
  bothParts(await documentTable(context, number), await documentLines(context, number)),
);
