/**
 * The cost of a start: the command line prints its help, crawls a site of two pages, reads one page. Each as
 * a process of its own, from its start to its end. What a run before has compiled is in Node's cache, as for
 * everybody who runs a command twice.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BenchOptions } from '../claims.ts';
import { type Measured, median } from '../harness/record.ts';
import { type RunCost, runMeasured } from '../harness/run-measured.ts';
import { withScratch } from '../harness/scratch.ts';

const CLI = join(import.meta.dirname, '../../cli/bin.js');
const TIMEOUT_MS = 60_000;
/** A page of 50 KB and a link to the other one. */
const page = (other: string): string =>
  `<!doctype html><title>Page</title><a href="${other}">Other</a>${'<p>Words that fill a page, one after another.</p>'.repeat(1000)}`;

export async function measure({ rounds }: BenchOptions): Promise<Measured> {
  const server = createServer(({ url }, response) => {
    const isPage = url === '/' || url === '/other';
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(isPage ? page(url === '/' ? '/other' : '/') : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const help = await cpuSeconds(rounds, () => ['--help']);
    const crawl = await cpuSeconds(rounds, (folder) => [
      ...['crawl', seed, '--out', join(folder, 'crawl')],
      ...['--allow-private-addresses', '--delay', '0'],
    ]);
    const read = await cpuSeconds(rounds, () => ['read', seed, '--allow-private-addresses']);
    return {
      figures: {
        crawlSeconds: { value: crawl.cpu, unit: 's of CPU for a crawl of two pages' },
        helpSeconds: { value: help.cpu, unit: 's for --help' },
        readSeconds: { value: read.cpu, unit: 's to read a page' },
        crawlPeakMb: { value: crawl.peakMb, unit: 'MB at the peak of that crawl' },
      },
    };
  } finally {
    server.close();
  }
}

/** The median of `rounds` runs, after one that fills the cache. Throws with the command's output if it fails. */
async function cpuSeconds(
  rounds: number,
  words: (folder: string) => string[],
): Promise<{ cpu: number; peakMb: number }> {
  const costs: RunCost[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cost = await withScratch((folder) =>
      runMeasured({ command: [process.execPath, CLI, ...words(folder)], timeoutMs: TIMEOUT_MS }),
    );
    if (cost.code !== 0) throw new Error(`Ended with ${cost.code}:\n${cost.output}`);
    if (round > 0) costs.push(cost);
  }
  return {
    cpu: median(costs.map(({ cpuMs }) => cpuMs)) / 1000,
    peakMb: median(costs.map(({ peakBytes }) => peakBytes)) / 1e6,
  };
}
