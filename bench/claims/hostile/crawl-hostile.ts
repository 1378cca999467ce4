/**
 * Crawls the hostile web with the command line, and judges each case by the server's log and the crawl's own
 * export.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CrawlSummary } from '../../../shared/services/report/summary.ts';
import { type RunCost, runMeasured } from '../../harness/run-measured.ts';
import { checkOutputs } from './check-outputs.ts';
import { type CaseResult, type ExportRow, NO_CANARY, type SkippedRow } from './checks.ts';
import type { HostileCase } from './hostile-case.ts';
import { canaryPathOf, HOSTILE_CIDR, type HostileWeb, startHostileWeb } from './server.ts';

const CLI = join(import.meta.dirname, '../../../cli/bin.js');

export interface HostileCrawlOptions {
  /** The crawl gets SIGINT after this time; 30 s later it is killed. */
  readonly maxTimeMs: number;
  /** More words of the command line. */
  readonly args?: readonly string[];
}

export interface Judged {
  readonly one: HostileCase;
  readonly requests: number;
  /** Why it does not hold; none: it holds. */
  readonly failures: readonly string[];
}

export interface HostileCrawl {
  readonly judged: readonly Judged[];
  readonly cost: RunCost;
  /** Connections to addresses that the crawl may not connect to, as `address:port target`. */
  readonly canaries: readonly string[];
  readonly requests: number;
  readonly bytesSent: number;
  /** Faults of WARC files, exports and reports. */
  readonly outputFaults: readonly string[];
  /** Size of all rows of the export. */
  readonly knownUrls: number;
}

/** `folder` is empty or absent; the crawl is kept in it. */
export async function crawlHostile(
  folder: string,
  cases: readonly HostileCase[],
  { maxTimeMs, args = [] }: HostileCrawlOptions,
): Promise<HostileCrawl> {
  const web = await startHostileWeb(cases);
  try {
    const crawl = join(folder, 'crawl');
    const seedsFile = join(folder, 'seeds.txt');
    writeFileSync(seedsFile, seedsOf(web, cases).join('\n'));
    const words = ['crawl', '--out', crawl, '--seeds', seedsFile, ...BROAD, ...args];
    const command = [
      process.execPath,
      CLI,
      ...words,
      '--max-time',
      String(Math.ceil(maxTimeMs / 1000)),
      '--json',
    ];
    const cost = await runMeasured({ command, timeoutMs: maxTimeMs + 30_000 });
    const rows = await linesOf<ExportRow>(['export', crawl, '--format', 'jsonl']);
    const skipped = await linesOf<SkippedRow>(['export', crawl, '--format', 'jsonl', '--skipped']);
    const known = {
      rows: new Map(rows.map((row) => [row.url, row])),
      skipped: new Map(skipped.map((row) => [row.url, row])),
      hostCauses: await hostCauses(crawl),
    };
    const requests = [...web.requests.values()];
    return {
      judged: cases.map((one) => judge(one, web, known)),
      cost,
      canaries: web.canaryContacts.map(({ address, port, target }) => `${address}:${port} ${target ?? ''}`),
      requests: requests.reduce((sum, { length }) => sum + length, 0),
      bytesSent: web.bytesSent(),
      outputFaults: await checkOutputs([process.execPath, CLI], crawl),
      knownUrls: rows.length,
    };
  } finally {
    await web.stop();
  }
}

/**
 * All politeness stays but the pause; other hosts and parts of pages are let in, since more hostile bytes are
 * read so.
 */
const BROAD = [
  ...['--delay', '0', '--no-adaptive', '--scope', 'any', '--requisites', '--contact', 'bench@example.org'],
  ...[`--allow-private-addresses=${HOSTILE_CIDR}`, '--resolve', '*.test=127.0.0.1'],
];

const seedsOf = (web: HostileWeb, cases: readonly HostileCase[]): string[] =>
  cases.flatMap((one) => (one.seeds ?? ['/']).map((path) => web.addressesOf(one).origin + path));

function judge(
  one: HostileCase,
  web: HostileWeb,
  known: Pick<CaseResult, 'rows' | 'skipped' | 'hostCauses'>,
): Judged {
  const { origin } = web.addressesOf(one);
  const requests = web.requests.get(one) ?? [];
  const canaryPath = canaryPathOf(one);
  const canaryRequests = web.canaryContacts.filter(
    ({ target }) => target?.split('?')[0] === canaryPath,
  ).length;
  const result: CaseResult = { ...known, origin, requests, canaryRequests };
  const failures = [...one.checks, NO_CANARY].flatMap((check) => check.failure(result) ?? []);
  return { one, requests: requests.length, failures };
}

async function hostCauses(crawl: string): Promise<Map<string, string>> {
  const [summary] = await linesOf<Pick<CrawlSummary, 'failing' | 'setAside'>>(['status', crawl, '--json']);
  return new Map(
    [...(summary?.failing ?? []), ...(summary?.setAside ?? [])].map(({ host, cause }) => [host, cause]),
  );
}

async function linesOf<Row>(args: readonly string[]): Promise<Row[]> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const rows: Row[] = [];
  for await (const line of createInterface(child.stdout)) rows.push(JSON.parse(line) as Row);
  return rows;
}
