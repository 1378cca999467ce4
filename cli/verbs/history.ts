import type { CaptureChange, UrlCapture } from '../../shared/core/archive/url-history.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { commandAt } from '../command-at.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatBytes } from '../format.ts';
import { readWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { seedUrl } from '../seeds.ts';
import { verb } from '../verb.ts';

/** Prints visits as a table, or as lines of JSON. Ends with 2 if there is none. */
export const command = verb({
  usage: 'history DIR URL [options]',
  more: 'And whether each found other content.',
  examples: ['history crawls/example.org https://example.org/', '--stack Strand history news example.org'],
  options: [JSON_OPTION],
  read(given) {
    const [crawl, url] = readWords(given, 'CRAWL', 'URL');
    return { crawl: crawl!, url: seedUrl(url!) };
  },
  async run({ crawl, url }, place) {
    const { json, out } = place;
    const visits = await (await place.open(crawl)).history(url);
    if (visits.length === 0) {
      const ask = commandAt(place.addressOf(crawl), 'url', 'URL');
      process.stderr.write(
        `strand: the archive has no visit of ${printable(url)}. What the crawl knows of it: ${ask}\n`,
      );
      return exitCodes.usage;
    }
    if (!json) out.write(`${rowOf(['when', 'status', 'content', 'size', 'location'])}\n`);
    for (const visit of visits) out.write(`${json ? JSON.stringify(visit) : visitText(visit)}\n`);
    return exitCodes.finished;
  },
});

const WORDS: Readonly<Record<CaptureChange, string>> = {
  first: 'first',
  changed: 'changed',
  same: 'same',
  notModified: 'same (304)',
  otherForm: 'other form',
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
