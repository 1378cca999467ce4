import type { DocumentRow } from '../outputs/document-row.ts';
import { type DocumentOptions, hasDocument, triedDocuments } from '../outputs/read-documents.ts';
import type { ExportContext } from './export-context.ts';
import { madeBehind } from './made-behind.ts';
import type { Placed } from './placed.ts';
import type { LedgerPlace } from './walk-ledgers.ts';

/** The documents after a cursor. */
export const documentsBehind = (
  context: ExportContext,
  from: LedgerPlace | undefined,
  { rewrite, isWanted = () => true }: Pick<DocumentOptions, 'rewrite' | 'isWanted'> = {},
): AsyncGenerator<Placed<DocumentRow, LedgerPlace>> =>
  madeBehind(context, from, {
    what: 'document',
    isWanted: (record) => hasDocument(record, context.modules) && isWanted(record),
    make: (records, skip) =>
      triedDocuments(context.payloads, records, { skip, modules: context.modules, rewrite }),
  });
