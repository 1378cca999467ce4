import type { SearchHit, StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import type { LiveStream } from '../drawn-line.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCount, formatCounted } from '../format.ts';
import { UsageError } from '../usage-error.ts';
import { openForDocuments } from './project-modules.ts';
import type { RowStream } from './write-rows.ts';

/** Pages that cannot be read and are named on standard error. */
const MAX_NAMED = 10;
/** Pages between two lines of progress. */
const PAGES_A_LINE = 1000;
const BOLD = ['\u001b[1m', '\u001b[22m'] as const;
const PLAIN = ['', ''] as const;
/** Stand for the marks while a snippet is made printable. */
const MARKS = ['\uE000', '\uE001'] as const;

/** `strand search DIR WORDS...`. Ends with 4 if nothing is found. */
export async function search({ dir, config, ...asked }: LocalCommandOf<'search'>): Promise<ExitCode> {
  await using crawl = await openForDocuments(dir, config);
  return await printHits(crawl, asked, process.stdout);
}

type Asked = Omit<LocalCommandOf<'search'>, 'dir' | 'verb'>;

/** The same for an open crawl. */
export async function printHits(
  crawl: Pick<StoredCrawl, 'search'>,
  { words, host, language, since, limit, index, json }: Asked,
  out: RowStream & Pick<LiveStream, 'isTTY'>,
): Promise<ExitCode> {
  let unread = 0;
  const skip = (url: string, reason: string) => {
    if (unread++ < MAX_NAMED)
      process.stderr.write(`strand: ${printable(url)} is not in the index: ${printable(reason)}\n`);
  };
  const onIndexed = (pages: number) => {
    if (pages % PAGES_A_LINE === 0) process.stderr.write(`${formatCount(pages)} pages added to the index\n`);
  };
  const given = {
    ...(host && { host }),
    ...(language && { language }),
    ...(since && { since }),
    ...(index && { index }),
  };
  try {
    const hits = await crawl.search(words, {
      ...given,
      ...(limit && { limit }),
      marks: MARKS,
      onIndexed,
      skip,
    });
    if (json) out.write(`${JSON.stringify(hits.map(withoutMarks))}\n`);
    else out.write(hits.map((hit) => hitText(hit, out.isTTY ? BOLD : PLAIN)).join('\n'));
    if (hits.length === 0 && !json) process.stderr.write(`No page has ${printable(words)}\n`);
    if (unread > 0) process.stderr.write(`${formatCounted(unread, 'page')} could not be read\n`);
    return hits.length > 0 ? exitCodes.finished : exitCodes.nothingFetched;
  } catch (error) {
    if ((error as Error).name === 'EmptySearch')
      throw new UsageError((error as Error).message, { cause: error });
    throw error;
  }
}

const withoutMarks = (hit: SearchHit): SearchHit => ({ ...hit, snippet: marked(hit.snippet, PLAIN) });

type Marks = readonly [before: string, after: string];

function hitText({ url, title, snippet }: SearchHit, marks: Marks): string {
  const head = title === undefined ? printable(url) : `${printable(title)}\n  ${printable(url)}`;
  return `${head}\n  ${marked(printable(snippet), marks)}\n`;
}

const marked = (text: string, [before, after]: Marks): string =>
  text.replaceAll(MARKS[0], before).replaceAll(MARKS[1], after);
