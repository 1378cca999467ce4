/**
 * The cost of a start: the command line prints its help, crawls a site of two pages, reads one page; by the published package
 * and from the repository; and of the further pages of a session. Each as a process of its own, from its start to its end.
 * What a run before has compiled is in Node's cache, as for everybody who runs a command twice.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BenchOptions } from '../claims.ts';
import { builtPackage } from '../harness/built-package.ts';
import { type Measured, median } from '../harness/record.ts';
import { type RunCost, runMeasured } from '../harness/run-measured.ts';
import { withScratch } from '../harness/scratch.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'cli/bin.js');
const FURTHER = join(import.meta.dirname, 'start/further-pages.ts');
const PAGES = 100;
const TIMEOUT_MS = 60_000;
/** A page of 50 KB and a link to the other one. */
const page = (other: string): string =>
  `<!doctype html><title>Page</title><a href="${other}">Other</a>${'<p>Words that fill a page, one after another.</p>'.repeat(1000)}`;

export async function measure({ rounds }: BenchOptions): Promise<Measured> {
  const server = createServer(({ url }, response) => {
    const isPage = url === '/' || url === '/other' || /^\/\d+$/.test(url ?? '');
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(isPage ? page(url === '/' ? '/other' : '/') : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const [help, crawl, read] = await startsOf(CLI, rounds, seed);
    const packed = await withScratch((folder) => startsOf(builtPackage(folder), rounds, seed));
    const further = await furtherPageMs(rounds, new URL(seed).origin);
    return {
      figures: {
        crawlSeconds: { value: crawl.cpu, unit: 's of CPU for a crawl of two pages' },
        helpSeconds: { value: help.cpu, unit: 's for --help' },
        readSeconds: { value: read.cpu, unit: 's to read a page' },
        packedCrawlSeconds: { value: packed[1].cpu, unit: 's for that crawl by the package' },
        packedHelpSeconds: { value: packed[0].cpu, unit: 's for its --help' },
        packedReadSeconds: { value: packed[2].cpu, unit: 's for it to read a page' },
        furtherPageMs: {
          value: further,
          unit: 'ms of CPU for each further page of a session, the 2nd to the 100th',
        },
        crawlPeakMb: { value: crawl.peakMb, unit: 'MB at the peak of that crawl' },
      },
    };
  } finally {
    server.close();
  }
}

interface Cost {
  readonly cpu: number;
  readonly peakMb: number;
}

/** The costs of `--help`, of a crawl and of a page that is read. */
async function startsOf(program: string, rounds: number, seed: string): Promise<readonly [Cost, Cost, Cost]> {
  return [
    await cpuSeconds(program, rounds, () => ['--help']),
    await cpuSeconds(program, rounds, (folder) => [
      ...['crawl', seed, '--out', join(folder, 'crawl')],
      ...['--allow-private-addresses', '--delay', '0'],
    ]),
    await cpuSeconds(program, rounds, () => ['read', seed, '--allow-private-addresses']),
  ];
}

/** The median of `rounds` runs, after one that fills the cache. Throws with the command's output if it fails. */
async function cpuSeconds(
  program: string,
  rounds: number,
  words: (folder: string) => string[],
): Promise<Cost> {
  const costs: RunCost[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cost = await withScratch((folder) =>
      runMeasured({ command: [process.execPath, program, ...words(folder)], timeoutMs: TIMEOUT_MS }),
    );
    if (cost.code !== 0) throw new Error(`Ended with ${cost.code}:\n${cost.output}`);
    if (round > 0) costs.push(cost);
  }
  return {
    cpu: median(costs.map(({ cpuMs }) => cpuMs)) / 1000,
    peakMb: median(costs.map(({ peakBytes }) => peakBytes)) / 1e6,
  };
}

async function furtherPageMs(rounds: number, origin: string): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const command = [process.execPath, FURTHER, origin, String(PAGES)];
    const { code, output } = await runMeasured({ command, timeoutMs: TIMEOUT_MS });
    if (code !== 0) throw new Error(`Ended with ${code}:\n${output}`);
    costs.push(Number(output));
  }
  return median(costs);
}
