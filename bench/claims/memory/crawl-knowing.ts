/** A crawl that knows many URLs: its folder is filled by one process, and crawled on by another. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMeasured } from '../../harness/run-measured.ts';
import { withScratch } from '../../harness/scratch.ts';
import type { KnownCrawl } from './crawl-known.ts';
import { KNOWN_PER_HOST, PAGES_PER_TURN } from './known-web.ts';

const FILL_TIMEOUT_MS = 3_600_000;

/** More pages than half of the known ones would change what is measured. `known`: URLs of each host. */
export function crawlKnowing(
  hosts: number,
  pages: number,
  { known = KNOWN_PER_HOST, turnMaxPages = PAGES_PER_TURN } = {},
): Promise<KnownCrawl> {
  return withScratch(async (folder) => {
    const crawl = join(folder, 'crawl');
    await run('fill.ts', crawl, String(hosts), String(known));
    const out = join(folder, 'out.json');
    const most = Math.min(pages, (hosts * known) / 2);
    await run('crawl-known.ts', crawl, String(most), String(known), String(turnMaxPages), out);
    return JSON.parse(readFileSync(out, 'utf8')) as KnownCrawl;
  });
}

async function run(program: string, ...args: string[]): Promise<void> {
  const command = [process.execPath, join(import.meta.dirname, program), ...args];
  const { code, output } = await runMeasured({ command, timeoutMs: FILL_TIMEOUT_MS });
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}`);
}
