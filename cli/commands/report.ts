import { openCrawl } from '../../api/open-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { reportHtml } from '../report/report-html.ts';
import { reportText } from '../report/report-text.ts';
import { withOutput } from './output-file.ts';

/** `strand report DIR [--html FILE] [--json]`: what the crawl came to, in full; also while it runs. */
export async function report({ dir, html, json }: LocalCommandOf<'report'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  const made = await crawl.report();
  if (html !== undefined) await withOutput(html, async (out) => void out.write(reportHtml(made)));
  const text = json
    ? JSON.stringify(made)
    : reportText(made, terminalOf(process.stdout, process.env).colour, { dir });
  process.stdout.write(`${text}\n`);
  if (html !== undefined) (json ? process.stderr : process.stdout).write(`The report as a page: ${html}\n`);
  return exitCodes.finished;
}
