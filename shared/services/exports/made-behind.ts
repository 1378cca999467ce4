/**
 * Makes one value per page after a cursor, and yields each value with the cursor that follows its record. Pages are
 * read ahead.
 */
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { ExportContext } from './export-context.ts';
import type { Placed } from './placed.ts';
import { type LedgerPlace, type PlacedRecord, walkLedgers } from './walk-ledgers.ts';

/** The cursor of a record, for the value that is made of it. */
export const placeOf = ({ hosts }: Pick<ExportContext, 'hosts'>, { after }: Pick<PlacedRecord, 'after'>) => ({
  after,
  isGoodEnd: after.part === undefined,
  share: Math.min(1, after.hosts / Math.max(1, hosts)),
});

export interface Making<Value> {
  /** Names the thing that a skipped record lacks, for people. */
  readonly what: string;
  /** Whether the record may have a value. Others are passed by, and not held. */
  readonly isWanted: (record: UrlRecord) => boolean;
  /**
   * Yields what it makes of each wanted record, in their order: undefined if that is nothing. Calls `skip` before that if
   * the record cannot be read.
   */
  readonly make: (
    records: AsyncIterable<UrlRecord>,
    skip: (url: string, reason: string) => void,
  ) => AsyncIterable<Value | undefined>;
}

/** Yields the values of `make`, each with its cursor. Reads no further when the slice should end. */
export async function* madeBehind<Value>(
  context: ExportContext,
  from: LedgerPlace | undefined,
  { what, isWanted, make }: Making<Value>,
): AsyncGenerator<Placed<Value, LedgerPlace>> {
  /** A cursor for each wanted record in work: after the records that were passed by behind it. */
  const walked: LedgerPlace[] = [];
  /** The cursor after records that were passed by before all of these. */
  let passed: LedgerPlace | undefined;
  /** The cursor after the last record that was read, if the slice should end there. */
  let end: LedgerPlace | undefined;
  let isSkipped = false;
  async function* records() {
    for await (const { record, after } of walkLedgers(context, from)) {
      if (isWanted(record)) {
        walked.push(after);
        yield record;
      } else if (walked.length > 0) walked[walked.length - 1] = after;
      else passed = after;
      if (!context.isOver() && !(after.part === undefined && context.isLate())) continue;
      end = after;
      return;
    }
  }
  const skip = (url: string, reason: string) => {
    context.skip(url, reason, what);
    isSkipped = true;
  };
  for await (const value of make(records(), skip)) {
    if (passed) yield placeOf(context, { after: passed });
    passed = undefined;
    yield { value, isSkipped, ...placeOf(context, { after: walked.shift()! }) };
    isSkipped = false;
  }
  if (passed) yield placeOf(context, { after: passed });
  // Without a value at its end, the stage would seem to be done.
  if (end) yield placeOf(context, { after: end });
}
