import type { StoredCrawl } from '../../api/stored-crawl.ts';
import type { LineDifference, TextPart } from '../../api/text-difference.ts';
import type { UrlDifference } from '../../api/url-difference.ts';
import type { UrlCapture } from '../../shared/core/archive/url-history.ts';
import { printable, quoted } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { isDate, toned } from '../format.ts';
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

/** Lines that are the same are shown beside those that differ, this number on each side. */
const CONTEXT = 2;

function diffText({ from, to, lines }: UrlDifference, colour: boolean): string {
  const shown: string[] = [
    toned(`--- ${visitText(from)}`, 'bold', colour),
    toned(`+++ ${visitText(to)}`, 'bold', colour),
  ];
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  if (lines.every(({ kind }) => kind === 'same')) {
    const same = from.digest === to.digest ? 'the page is the same' : 'the main text is the same';
    return `${shown.join('\n')}\n${same} (${lines.length} lines)\n`;
  }
  let left = 0;
  const flush = () => {
    if (left > 0) shown.push(toned(`  ... ${left} ${left === 1 ? 'line' : 'lines'} the same`, 'dim', colour));
    left = 0;
  };
  lines.forEach((line, at) => {
    if (!isNear(at)) {
      left++;
      return;
    }
    flush();
    shown.push(lineText(line, colour));
  });
  flush();
  return `${shown.join('\n')}\n`;
}

const visitText = ({ time, httpStatus }: UrlCapture): string => `${time}  ${httpStatus ?? '?'}`;

const SIGNS = { same: ' ', changed: '~', removed: '-', added: '+' } as const;

function lineText({ kind, parts }: LineDifference, colour: boolean): string {
  const text = parts
    .map((part) => (kind === 'changed' ? wordsText(part, colour) : printable(part.text)))
    .join('');
  const line = `${SIGNS[kind]} ${text}`;
  if (kind === 'removed') return toned(line, 'red', colour);
  return kind === 'added' ? toned(line, 'green', colour) : line;
}

/** As `git diff --word-diff` shows words: `[-old-]{+new+}`. */
function wordsText({ kind, text }: TextPart, colour: boolean): string {
  const words = printable(text);
  if (kind === 'removed') return toned(`[-${words}-]`, 'red', colour);
  return kind === 'added' ? toned(`{+${words}+}`, 'green', colour) : words;
}
