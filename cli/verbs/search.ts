import type { SearchHit, StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LiveStream } from '../drawn-line.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { RowStream } from '../export/row-stream.ts';
import { formatCount, formatCounted } from '../format.ts';
import { crawlOf, numberOf, sinceOf, textOf, wrongWords } from '../given.ts';
import { CONFIG_OPTION, INDEX_OPTION, JSON_OPTION } from '../option-spec.ts';
import { createSkips } from '../skips.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

/** Pages between two lines of progress. */
const PAGES_A_LINE = 1000;
const BOLD = ['\u001b[1m', '\u001b[22m'] as const;
const PLAIN = ['', ''] as const;
/** Stand for the marks while a snippet is made printable. */
const MARKS = ['\uE000', '\uE001'] as const;

export const command = verb({
  usage: 'search DIR WORDS... [options]',
  more: 'All of them, a phrase in quotes, prefix*, and -without.',
  examples: [
    'search crawls/example.org web archive',
    "search crawls/a 'crawl* archive' --limit 3",
    'search crawls/a archive --language de --json',
  ],
  options: [
    CONFIG_OPTION,
    JSON_OPTION,
    {
      name: 'limit',
      argument: 'N',
      type: 'count',
      group: 'Output',
      help: 'at most N pages (10 by default)',
    },
    {
      name: 'host',
      argument: 'HOST',
      type: 'text',
      group: 'Output',
      help: 'find only pages of this host, such as example.org or example.org:8080',
    },
    INDEX_OPTION,
    {
      name: 'language',
      argument: 'TAG',
      type: 'text',
      group: 'Output',
      help: 'find only pages in this language, such as de',
    },
    {
      name: 'since',
      argument: 'DATE',
      type: 'date',
      group: 'Output',
      help: 'only pages fetched on this day or later: 2026-01-31, or with a time',
    },
  ],
  read(given) {
    const [crawl, ...words] = given.words;
    if (!crawl || words.length === 0) throw wrongWords(given, 'CRAWL', 'WORDS...');
    return {
      crawl: crawlOf(given, crawl),
      config: textOf(given, 'config'),
      words: words.join(' '),
      host: textOf(given, 'host'),
      language: textOf(given, 'language'),
      since: sinceOf(given),
      limit: numberOf(given, 'limit'),
      index: textOf(given, 'index'),
    };
  },
  run: async ({ crawl, config, ...asked }, place) =>
    printHits(await place.openForDocuments(crawl, config), { ...asked, json: place.json }, place.out),
});

interface Asked {
  readonly words: string;
  readonly host?: string | undefined;
  readonly language?: string | undefined;
  readonly since?: Date | undefined;
  readonly limit?: number | undefined;
  /** The file of the index. */
  readonly index?: string | undefined;
  readonly json: boolean;
}

/** Ends with 4 if nothing is found. */
async function printHits(
  crawl: Pick<StoredCrawl, 'search'>,
  { words, host, language, since, limit, index, json }: Asked,
  out: RowStream & Pick<LiveStream, 'isTTY'>,
): Promise<ExitCode> {
  const skips = createSkips((url) => `${url} is not in the index`);
  const onIndexed = (pages: number) => {
    if (pages % PAGES_A_LINE === 0) process.stderr.write(`${formatCount(pages)} pages added to the index\n`);
  };
  const given = {
    ...(host && { host }),
    ...(language && { language }),
    ...(since && { since }),
    ...(index && { index }),
    ...(limit && { limit }),
  };
  try {
    const hits = await crawl.search(words, { ...given, marks: MARKS, onIndexed, skip: skips.skip });
    if (json) out.write(`${JSON.stringify(hits.map(withoutMarks))}\n`);
    else out.write(hits.map((hit) => hitText(hit, out.isTTY ? BOLD : PLAIN)).join('\n'));
    if (hits.length === 0 && !json) process.stderr.write(`No page has ${printable(words)}\n`);
    if (skips.count > 0) process.stderr.write(`${formatCounted(skips.count, 'page')} could not be read\n`);
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
