import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable, quoted } from '../../shared/core/text/printable.ts';
import { diffText } from '../diff-text.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { isDate } from '../format.ts';
import { crawlOf, readWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { PROGRAM } from '../program.ts';
import { seedUrl } from '../seeds.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'diff DIR URL [FROM [TO]]',
  more: 'Word by word: at its last change, or between the visits at two times.',
  examples: [
    'diff crawls/example.org https://example.org/',
    '--stack Strand diff news example.org 2026-11-01',
  ],
  options: [JSON_OPTION],
  read(given) {
    const { words } = given;
    const isTimed = words.length > 2 && words.length <= 4;
    const [crawl, url, ...times] = isTimed ? words : readWords(given, 'CRAWL', 'URL');
    const [from, to] = times.map(readTime);
    if (from && to && from > to)
      throw new UsageError(
        `Expected ${PROGRAM} diff ${given.isOnStack ? 'CRAWL' : 'DIR'} URL FROM TO with FROM before TO`,
      );
    return { crawl: crawlOf(given, crawl!), url: seedUrl(url!), from, to };
  },
  run: async ({ crawl, ...asked }, { open, json, colour, out }) =>
    printDiff(await open(crawl), { ...asked, json, colour }, out),
});

function readTime(text: string): Date {
  if (!isDate(text))
    throw new UsageError(`Expected the time of a visit (2026-01-31, 2026-01-31T08:00Z), got ${quoted(text)}`);
  return new Date(text);
}

export interface DiffOptions {
  readonly url: string;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly json: boolean;
  readonly colour: boolean;
}

/** Prints the difference as text, or as JSON. Ends with 2 where there is nothing to compare. */
export async function printDiff(
  crawl: Pick<StoredCrawl, 'diff'>,
  { url, from, to, json, colour }: DiffOptions,
  out: { write(text: string): unknown },
): Promise<ExitCode> {
  try {
    const difference = await crawl.diff(url, { from, to });
    out.write(json ? `${JSON.stringify(difference)}\n` : diffText(difference, colour));
    return exitCodes.finished;
  } catch (error) {
    if ((error as Error).name !== 'NoDifference') throw error;
    process.stderr.write(`strand: ${printable((error as Error).message)}\n`);
    return exitCodes.usage;
  }
}
