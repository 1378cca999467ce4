import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { buildReport, type ReportedHost } from '../../shared/report/report.ts';
import type { LocalCommandOf } from '../command.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { reportHtml } from '../report/report-html.ts';
import { reportText } from '../report/report-text.ts';
import { openCrawl } from './open-crawl.ts';
import { withOutput } from './output-file.ts';
import { summarize } from './summarize.ts';
import { type RowSource, recordsOf } from './write-rows.ts';

/** `strand report DIR [--html FILE] [--json]`: what the crawl came to, in full; also while it runs. */
export async function report({ dir, html, json }: LocalCommandOf<'report'>): Promise<number> {
  const summary = await summarize(dir);
  const { reader, crawl } = await openCrawl(dir);
  try {
    const made = await buildReport(hostsOf(reader, crawl), summary, Date.now());
    if (html !== undefined) await withOutput(html, async (out) => void out.write(reportHtml(made)));
    const text = json
      ? JSON.stringify(made)
      : reportText(made, terminalOf(process.stdout, process.env).colour, { dir });
    process.stdout.write(`${text}\n`);
    if (html !== undefined) (json ? process.stderr : process.stdout).write(`The report as a page: ${html}\n`);
    return exitCodes.finished;
  } finally {
    reader.close();
  }
}

async function* hostsOf(source: RowSource, crawl: CrawlId): AsyncGenerator<ReportedHost> {
  for await (const { host, head } of source.ledgers.hosts(crawl))
    yield { host, head, records: recordsOf(source, crawl, host, head) };
}
