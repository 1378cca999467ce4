import { openCrawl } from '../../api/open-crawl.ts';
import type { CaptureChange, UrlCapture } from '../../shared/core/archive/url-history.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatBytes } from '../format.ts';
import { type CrawlPlace, commandAt } from '../place.ts';

/** `strand history DIR URL`: a line for each visit of the URL. */
export async function history({ dir, url, json }: LocalCommandOf<'history'>): Promise<ExitCode> {
  await using crawl = await openCrawl(dir);
  return printHistory(await crawl.history(url), { url, json, place: { dir } }, process.stdout);
}

interface HistoryOptions {
  readonly url: string;
  readonly json: boolean;
  readonly place: CrawlPlace;
}

/** Prints visits as a table, or as lines of JSON. Ends with 2 if there is none. */
export function printHistory(
  visits: readonly UrlCapture[],
  { url, json, place }: HistoryOptions,
  out: Pick<NodeJS.WritableStream, 'write'>,
): ExitCode {
  if (visits.length === 0) {
    const ask = commandAt(place, 'url', 'URL');
    process.stderr.write(
      `strand: the archive has no visit of ${printable(url)}. What the crawl knows of it: ${ask}\n`,
    );
    return exitCodes.usage;
  }
  if (!json) out.write(`${rowOf(['when', 'status', 'content', 'size', 'location'])}\n`);
  for (const visit of visits) out.write(`${json ? JSON.stringify(visit) : visitText(visit)}\n`);
  return exitCodes.finished;
}

const WORDS: Readonly<Record<CaptureChange, string>> = {
  first: 'first',
  changed: 'changed',
  same: 'same',
  notModified: 'same (304)',
};

function visitText({ time, change, httpStatus, warcFile, warcOffset, warcLength }: UrlCapture): string {
  const place = `${warcFile} at ${warcOffset}`;
  return rowOf([time, String(httpStatus ?? '?'), WORDS[change], formatBytes(warcLength), place]);
}

/** The size is that of the record as stored. */
function rowOf(cells: readonly [when: string, status: string, content: string, size: string, place: string]) {
  const [when, status, content, size, place] = cells;
  return `${when.padEnd(20)}  ${status.padEnd(6)}  ${content.padEnd(10)}  ${size.padStart(8)}  ${place}`;
}
