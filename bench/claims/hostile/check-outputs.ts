/**
 * Checks the output of the crawl of hostile servers: WARC files, exports, text for a terminal, a page of
 * HTML.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMeasured } from '../../harness/run-measured.ts';

const TIMEOUT_MS = 300_000;
/** Control characters that a terminal would obey; tab and line ends are not among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** Stands in titles, URLs and fields of some cases: none of it may reach a page as markup. */
export const MARKUP = '<script>alert("hostile")</script>';

/** The faults, each as one line or some; none: all is well. `strand` are the words before a command's own. */
export async function checkOutputs(strand: readonly string[], crawl: string): Promise<string[]> {
  const archive = join(crawl, 'archive');
  const warcs = existsSync(archive) ? readdirSync(archive).filter((file) => file.endsWith('.warc.gz')) : [];
  if (warcs.length === 0) return ['no WARC file'];
  const page = join(crawl, '..', 'report.html');
  const faults: string[] = [];
  const run = async (...args: string[]) => {
    const { code, output } = await runMeasured({ command: [...strand, ...args], timeoutMs: TIMEOUT_MS });
    if (code !== 0) faults.push(`${args[0]} ended with ${code}: ${output}`);
    if (CONTROLS.test(output)) faults.push(`${args[0]} prints control characters: ${JSON.stringify(output)}`);
  };
  await run('warc', 'check', ...warcs.map((file) => join(archive, file)));
  await run('status', crawl);
  await run('report', crawl);
  await run('report', crawl, '--html', page);
  await run('export', crawl, '--format', 'wacz', '--out', join(crawl, '..', 'crawl.wacz'));
  if (existsSync(page) && readFileSync(page, 'utf8').includes(MARKUP))
    faults.push('the HTML report holds markup of a server');
  return faults;
}
