import type { StackArchive } from '../../api/stack/stack-archive.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import type { StackRequest } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { checkFiles, writeRecord } from './warc.ts';
import type { RowStream } from './write-rows.ts';

interface WarcOutput {
  readonly crawl: CrawlId;
  readonly json: boolean;
  readonly out: RowStream;
}

/** `strand --stack NAME warc check CRAWL [FILE...]` and `warc cat CRAWL FILE OFFSET`. */
export async function warcOnStack(
  archive: Pick<StackArchive, 'list' | 'open'>,
  ask: Extract<StackRequest, { verb: 'warc' }>['ask'],
  { crawl, json, out }: WarcOutput,
): Promise<ExitCode> {
  if (ask.what === 'cat') {
    const { location, read } = await archive.open({ ...ask, length: 1 }).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw new UsageError(error.message, { cause: error });
    });
    await writeRecord(read, location, out);
    return exitCodes.finished;
  }
  const { warcs, reader } = await archive.list();
  const names = warcs.map(({ name }) => name);
  const unknown = ask.files.find((file) => !names.includes(file));
  if (unknown !== undefined)
    throw new UsageError(`There is no WARC file ${quoted(unknown)} in the crawl ${crawl}`);
  if (names.length === 0) throw new UsageError(`There are no WARC files yet in the crawl ${crawl}`);
  const asked = ask.files.length > 0 ? ask.files : names;
  return checkFiles(asked, (file, work) => work(reader(file)), { json, out });
}
