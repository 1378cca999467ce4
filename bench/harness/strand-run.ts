/** The command line's crawl of a generated web, measured from without. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunCommand, type RunCost, runMeasured } from './run-measured.ts';
import type { OpenWeb } from './web/open-web.ts';
import type { WebCounts } from './web/stats.ts';

const CLI = join(import.meta.dirname, '../../cli/bin.js');
const PROJECT_FILE = join(import.meta.dirname, 'strand.config.ts');
const TIMEOUT_MS = 600_000;

export interface CrawlCost extends RunCost {
  readonly counts: WebCounts;
}

/** The words that crawl the seeds into `folder`, in which the file of seeds is written first; by default with the repository's program. */
export function strandCommand(
  folder: string,
  seeds: readonly string[],
  workers = 1,
  program = CLI,
): string[] {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, `${seeds.join('\n')}\n`);
  const own = ['--out', join(folder, 'crawl'), '--seeds', seedsFile, '--config', PROJECT_FILE];
  const more = workers === 1 ? [] : ['--workers', String(workers)];
  return [process.execPath, program, 'crawl', ...own, ...more, '--json'];
}

/** Runs a crawler on the web, which counts for it alone. Throws with the end of its output if it fails. */
export async function crawlMeasured(
  web: OpenWeb,
  run: Omit<RunCommand, 'timeoutMs'>,
  timeoutMs = TIMEOUT_MS,
): Promise<CrawlCost> {
  await web.reset();
  const cost = await runMeasured({ ...run, timeoutMs });
  if (cost.code !== 0) throw new Error(`${run.command.join(' ')} ended with ${cost.code}:\n${cost.output}`);
  const counts = await web.counts();
  if (counts.pages === 0) throw new Error(`${run.command.join(' ')} fetched no page:\n${cost.output}`);
  return { ...cost, counts };
}
