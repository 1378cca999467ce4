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
  /** Makes values of the wanted records, in their order. Calls `skip` with those of which it can make none. */
  readonly make: (
    records: AsyncIterable<UrlRecord>,
    skip: (url: string, reason: string) => void,
  ) => AsyncIterable<readonly [url: string, value: Value]>;
}

/**
 * Yields the values of `make`. A wanted record that was read waits until all wanted ones before it have a value or were
 * skipped. Reads no further when the slice should end.
 */
export async function* madeBehind<Value>(
  context: ExportContext,
  from: LedgerPlace | undefined,
  { what, isWanted, make }: Making<Value>,
): AsyncGenerator<Placed<Value, LedgerPlace>> {
  /** Wanted records, each with the cursor after the records that were passed by behind it. */
  const walked: PlacedRecord[] = [];
  /** The cursor after records that were passed by before all of these. */
  let passed: LedgerPlace | undefined;
  /** The cursor after the last record that was read, if the slice should end there. */
  let end: LedgerPlace | undefined;
  const skips: string[] = [];
  async function* records() {
    for await (const placed of walkLedgers(context, from)) {
      const { record, after } = placed;
      const last = walked.at(-1);
      if (isWanted(record)) {
        walked.push(placed);
        yield record;
      } else if (last) walked[walked.length - 1] = { record: last.record, after };
      else passed = after;
      if (!context.isOver() && !(after.part === undefined && context.isLate())) continue;
      end = after;
      return;
    }
  }
  /** Yields the places up to that URL, which has the value or was skipped. */
  function* upTo(url?: string, value?: Value): Generator<Placed<Value, LedgerPlace>> {
    if (passed) yield placeOf(context, { after: passed });
    passed = undefined;
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
  yield* upTo();
  // Without a value at its end, the stage would seem to be done.
  if (end) yield placeOf(context, { after: end });
}
