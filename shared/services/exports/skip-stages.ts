/** Links that were left out, and URLs that were not requested, each once: as lines of JSON or CSV. */
import {
  hasLeftOut,
  leftOutUrl,
  SKIPPED_COLUMNS,
  type SkippedUrl,
  skippedLink,
} from '../report/skipped-urls.ts';
import { type RowFormat, rowHeader, rowLine } from '../report/url-line.ts';
import { distinctSkips, sortedLineOf } from './distinct-skips.ts';
import { type ExportContext, type ExportFacts, NOTHING_WRITTEN, type StageSlice } from './export-context.ts';
import { openLines, type PartsAt, partNumber, writeParts } from './export-parts.ts';
import { placeOf } from './made-behind.ts';
import { LineRuns, linesOfRuns } from './sorted-runs.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

const RUNS = 'skips';

interface GatherAt {
  /** The object that is done. */
  readonly after: string;
  /** Links that were only counted, so far. */
  readonly beyond: number;
}

/** Sorts the log, which has links several times: any number of them, so in slices. */
export async function gatherSkips(
  context: ExportContext,
  at: GatherAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const runs = new LineRuns(context, RUNS, facts);
  let beyond = at?.beyond ?? 0;
  for await (const { value, after, isGoodEnd } of context.skips(at?.after)) {
    if (value !== undefined) {
      if ('beyond' in value) beyond += value.beyond;
      else await runs.add(sortedLineOf(value));
    }
    if (!isGoodEnd || !context.isLate()) continue;
    const next = { after, beyond } satisfies GatherAt;
    return { at: next, facts: await runs.end(facts), written: NOTHING_WRITTEN, share: 0.5 };
  }
  const found = await runs.end(facts);
  return {
    facts: { ...found, ...(beyond > 0 && { note: beyondNote(beyond) }) },
    written: NOTHING_WRITTEN,
    share: 1,
  };
}

const beyondNote = (links: number): string =>
  `the log of links left out was full; ${links} more are only counted, some more than once`;

/** Each file has a header of its own as CSV. */
const openSkipped = (context: ExportContext, format: RowFormat) => (number: number) =>
  openLines<SkippedUrl>(
    context.objects,
    `skipped-${partNumber(number)}.${format}.gz`,
    (row) => rowLine(row, SKIPPED_COLUMNS, format),
    rowHeader(SKIPPED_COLUMNS, format),
  );

/** Writes the links of the log, by reason and URL. */
export async function writeSkippedLinks(
  context: ExportContext,
  at: PartsAt<string> | undefined,
  facts: ExportFacts,
  format: RowFormat,
): Promise<StageSlice> {
  const slice = await writeParts<SkippedUrl, string>(context, at, {
    async *values(after) {
      for await (const { line, skip } of distinctSkips(linesOfRuns(context, facts, RUNS, after), after))
        yield { value: skippedLink(skip), after: line, share: 0.5 };
    },
    open: openSkipped(context, format),
  });
  return { ...slice, facts: { ...facts, files: (facts.files ?? 0) + slice.written.files } };
}

/** Writes the known URLs that were denied or skipped. If nothing was left out, there is a file without a row. */
export async function writeLeftOut(
  context: ExportContext,
  at: PartsAt<LedgerPlace> | undefined,
  { files = 0, ...facts }: ExportFacts,
  format: RowFormat,
): Promise<StageSlice> {
  const open = openSkipped(context, format);
  const slice = await writeParts<SkippedUrl, LedgerPlace>(
    context,
    at ?? { after: undefined, next: { '': files } },
    {
      async *values(after) {
        for await (const placed of walkLedgers(context, after, hasLeftOut))
          yield { value: leftOutUrl(placed.record), ...placeOf(context, placed) };
      },
      open,
    },
  );
  const written = files + slice.written.files;
  if (slice.at !== undefined || written > 0) return { ...slice, facts: { ...facts, files: written } };
  const bytes = await (await open(0)).finish();
  return { ...slice, written: { ...NOTHING_WRITTEN, files: 1, bytes } };
}
