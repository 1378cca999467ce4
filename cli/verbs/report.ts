import type { BrokenLinks } from '../../api/broken-links.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { CrawlReport } from '../../shared/services/report/report.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { withOutput } from '../export/output-file.ts';
import type { RowStream } from '../export/row-stream.ts';
import { formatCounted } from '../format.ts';
import { isSet, readCrawl, textOf } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import type { Place } from '../place.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'report DIR [options]',
  more: 'Hosts, status codes, types, sizes, times, failures.',
  examples: [
    'report crawls/example.org',
    'report crawls/example.org --html report.html',
    'report crawls/example.org --broken --json',
    'report crawls/example.org --changes',
    '--stack Strand report news --html report.html',
  ],
  options: [
    {
      name: 'broken',
      type: 'flag',
      group: 'Output',
      help: 'show the broken links instead, with the pages that have them; the exit code is 6 if there are any',
    },
    {
      name: 'changes',
      type: 'flag',
      group: 'Output',
      help: 'show only how fresh the copies of a crawl with --recrawl are: age, budget, templates that change most',
    },
    {
      name: 'html',
      argument: 'FILE',
      type: 'text',
      group: 'Output',
      help: 'also write the report to this file, as an HTML page',
    },
    JSON_OPTION,
  ],
  read(given) {
    const asked = {
      crawl: readCrawl(given),
      html: textOf(given, 'html'),
      broken: isSet(given, 'broken'),
      changes: isSet(given, 'changes'),
    };
    const other = asked.html !== undefined ? 'html' : asked.changes ? 'changes' : undefined;
    if (asked.broken && other) throw new UsageError(`Expected --${other} or --broken, got both`);
    return asked;
  },
  async run({ crawl, html, broken, changes }, place) {
    const stored = await place.open(crawl);
    if (broken) return printBroken(stored, place.json, place.out);
    const made = await stored.report();
    if (html !== undefined) {
      const { reportHtml } = await import('../report/report-html.ts');
      await withOutput(html, async (out) => void out.write(reportHtml(made, changes)));
    }
    await (changes ? printFreshness(made, place) : printReport(made, crawl, place));
    if (html !== undefined)
      (place.json ? process.stderr : place.out).write(`The report as a page: ${html}\n`);
    return made.unreadable ? exitCodes.unexpected : exitCodes.finished;
  },
});

async function printReport(made: CrawlReport, crawl: string, place: Place): Promise<void> {
  const { reportText } = await import('../report/report-text.ts');
  place.print(made, place.json ? '' : reportText(made, place.colour, place.addressOf(crawl)));
}

async function printFreshness({ freshness }: CrawlReport, place: Place): Promise<void> {
  const { freshnessText } = await import('../report/freshness-text.ts');
  const { NO_FRESHNESS } = await import('../report/freshness-words.ts');
  const text = freshness ? freshnessText(freshness, place.colour).join('\n') : NO_FRESHNESS;
  place.print(freshness ?? null, text);
}

/** Pages named for each broken URL. */
const MAX_SHOWN = 10;

/** Ends with 6 if there are broken links. */
async function printBroken(
  crawl: Pick<StoredCrawl, 'brokenLinks'>,
  json: boolean,
  out: RowStream,
): Promise<ExitCode> {
  const skip = (url: string, reason: string) =>
    void process.stderr.write(`strand: ${printable(url)} was not searched for links: ${printable(reason)}\n`);
  const found = await crawl.brokenLinks(skip);
  out.write(`${json ? JSON.stringify(found) : brokenText(found)}\n`);
  return found.broken.length > 0 ? exitCodes.brokenLinks : exitCodes.finished;
}

function brokenText({ broken, beyond, checked, pages }: BrokenLinks): string {
  const lines = broken.flatMap(({ url, cause, links, pages: from }) => [
    `${printable(url)}  ${printable(cause)}`,
    ...from
      .slice(0, MAX_SHOWN)
      .map(
        ({ page, text, element, by }) =>
          `  ${printable(page)}  <${element}> ${JSON.stringify(printable(text))}${by === undefined ? '' : `, by ${printable(by)}`}`,
      ),
    ...(links > MAX_SHOWN ? [`  and ${formatCounted(links - MAX_SHOWN, 'link')} more`] : []),
    ...(links === 0 ? ['  no page of the crawl links to it'] : []),
  ]);
  const more = beyond > 0 ? [`${formatCounted(beyond, 'broken URL')} more`] : [];
  const sum = `${formatCounted(broken.length + beyond, 'broken URL')} of ${formatCounted(checked, 'URL')}, ${formatCounted(pages, 'page')} searched`;
  return [...lines, ...more, sum].join('\n');
}
