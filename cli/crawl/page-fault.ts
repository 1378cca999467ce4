import { printable } from '../../shared/core/text/printable.ts';
import { exitCodes } from '../exit-codes.ts';

/** The exit code of a page that was not read, which is said. Throws other errors for people. */
export async function pageFault(error: unknown, signal: AbortSignal): Promise<number> {
  if (signal.aborted) return exitCodes.interrupted;
  if ((error as Error).name !== 'PageNotRead') {
    const { crawlError } = await import('./crawl-error.ts');
    throw crawlError(error, undefined);
  }
  process.stderr.write(`strand: ${printable((error as Error).message)}\n`);
  return exitCodes.nothingFetched;
}
