import type { BrokenLinks } from '../../api/broken-links.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import type { CrawlReport } from '../../shared/services/report/report.ts';
import type { LocalCommandOf } from '../command.ts';
import { type LiveStream, terminalOf } from '../drawn-line.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import type { CrawlPlace } from '../place.ts';
import { freshnessText } from '../report/freshness-text.ts';
import { NO_FRESHNESS } from '../report/freshness-words.ts';
import { reportHtml } from '../report/report-html.ts';
import { reportText } from '../report/report-text.ts';
import { withOutput } from './output-file.ts';
import type { RowStream } from './write-rows.ts';

/** Pages named for each broken URL. */
const MAX_SHOWN = 10;

/** `strand report CRAWL --broken [--json]`: ends with 6 if there are broken links. */
export async function printBroken(
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

/** `strand report DIR [--html FILE] [--json]`: what the crawl came to, in full; also while it runs. */
export async function report(command: LocalCommandOf<'report'>): Promise<number> {
  const { dir, html, json, broken, changes } = command;
  await using crawl = await openCrawl(dir);
  if (broken) return await printBroken(crawl, json, process.stdout);
  return await printReport(await crawl.report(), { html, json, changes, place: { dir } });
}

export interface ReportOutput extends Pick<LocalCommandOf<'report'>, 'html' | 'json' | 'changes'> {
  readonly place: CrawlPlace;
}

export async function printReport(
  made: CrawlReport,
  { html, json, changes = false, place }: ReportOutput,
  out: RowStream & Pick<LiveStream, 'isTTY'> = process.stdout,
): Promise<ExitCode> {
  if (html !== undefined) await withOutput(html, async (out) => void out.write(reportHtml(made, changes)));
  const { colour } = terminalOf(out, process.env);
  const shown = changes ? (made.freshness ?? null) : made;
  const text = json
    ? JSON.stringify(shown)
    : changes
      ? made.freshness
        ? freshnessText(made.freshness, colour).join('\n')
        : NO_FRESHNESS
      : reportText(made, colour, place);
  out.write(`${text}\n`);
  if (html !== undefined) (json ? process.stderr : out).write(`The report as a page: ${html}\n`);
  return exitCodes.finished;
}
