/**
 * Makes one value per page after a cursor, and yields each value with the cursor that follows its record. Pages are
 * read ahead.
 */
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { DocumentRow } from '../outputs/document-row.ts';
import { type DocumentOptions, readDocuments } from '../outputs/read-documents.ts';
import type { ExportContext } from './export-context.ts';
import type { Placed } from './placed.ts';
import { type LedgerPlace, type PlacedRecord, walkLedgers } from './walk-ledgers.ts';

/** The cursor of a record, for the value that is made of it. */
export const placeOf = ({ hosts }: Pick<ExportContext, 'hosts'>, { after }: PlacedRecord) => ({
  after,
  isGoodEnd: after.part === undefined,
  share: Math.min(1, after.hosts / Math.max(1, hosts)),
});

/** Makes values of some of the records, in their order. Calls `skip` with records of which it can make none. */
export type Making<Value> = (
  records: AsyncIterable<UrlRecord>,
  skip: (url: string, reason: string) => void,
) => AsyncIterable<readonly [url: string, value: Value]>;

/**
 * Yields the values of `make`. A record that was read waits until all records before it have a value or were skipped.
 * `what`: the thing that a skipped record lacks, for people.
 */
export async function* madeBehind<Value>(
  context: ExportContext,
  from: LedgerPlace | undefined,
  what: string,
  make: Making<Value>,
): AsyncGenerator<Placed<Value, LedgerPlace>> {
  const walked: PlacedRecord[] = [];
  const skips: string[] = [];
  async function* records() {
    for await (const placed of walkLedgers(context, from)) {
      walked.push(placed);
      yield placed.record;
    }
  }
  /** Yields the records up to that URL. */
  function* upTo(url: string, value?: Value): Generator<Placed<Value, LedgerPlace>> {
    for (let placed = walked.shift(); placed; placed = walked.shift()) {
      const place = placeOf(context, placed);
      if (placed.record.url !== url) {
        yield place;
        continue;
      }
      yield value === undefined ? { isSkipped: true, ...place } : { value, ...place };
      return;
    }
  }
  const skip = (url: string, reason: string) => {
    context.skip(url, reason, what);
    skips.push(url);
  };
  for await (const [url, value] of make(records(), skip)) {
    for (const skipped of skips.splice(0)) yield* upTo(skipped);
    yield* upTo(url, value);
  }
  for (const url of skips.splice(0)) yield* upTo(url);
  for (const placed of walked.splice(0)) yield placeOf(context, placed);
}

/** The documents after a cursor. */
export const documentsBehind = (
  context: ExportContext,
  from: LedgerPlace | undefined,
  options: Pick<DocumentOptions, 'rewrite' | 'isWanted'> = {},
): AsyncGenerator<Placed<DocumentRow, LedgerPlace>> =>
  madeBehind(context, from, 'document', async function* (records, skip) {
    const source = { ...context.payloads, records: () => records };
    for await (const document of readDocuments(source, { skip, modules: context.modules, ...options }))
      yield [document.url, document] as const;
  });
