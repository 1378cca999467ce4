import { pipeline } from 'node:stream/promises';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import type { ExportWarning } from '../../shared/core/archive/replay-codings.ts';
import { UsageError } from '../usage-error.ts';
import { withOutput } from './output-file.ts';

/** `out` appears when it is whole, instead of what was there before. */
export async function exportWacz(
  crawl: Pick<StoredCrawl, 'wacz'>,
  out: string,
  warn: ExportWarning,
): Promise<void> {
  try {
    await withOutput(out, (stream) =>
      pipeline(crawl.wacz(warn), stream as NodeJS.WritableStream, { end: false }),
    );
  } catch (error) {
    if ((error as Error).name !== 'NothingArchived') throw error;
    throw new UsageError((error as Error).message, { cause: error });
  }
}
