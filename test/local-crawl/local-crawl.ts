/**
 * Runs a crawl of the generated web on the local engine, in this process, and returns what its ledgers hold.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { causeText } from '../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { openLedger } from '../../shared/crawler/turn/open-ledger.ts';
import { openLocalReader } from '../../shared/engines/local/engine.ts';
import type { LocalRunEnd } from '../../shared/engines/local/session/run.ts';
import type { LocalSession, SessionOptions } from '../../shared/engines/local/session/session.ts';
import type { RunningWeb } from '../web/server.ts';
import { beginCrawl } from './begin-crawl.ts';

/** As fast as a test wants it. */
const FAST: CrawlOptions = {
  allowPrivateAddresses: ['127.0.0.0/8'],
  adaptive: false,
  delayMs: 0,
  retryMs: 5,
  backoffMs: 5,
  maxBackoffMs: 40,
  maxHostFailures: 60,
  // With so short a back-off a host may fail twice before any other one has answered.
  keepTrying: true,
};

/**
 * And patient with the generated web's failing URLs, which follow one another. No site of these tests is silent, and no hook hangs:
 * on a busy machine all of them may take seconds.
 */
export const QUICK: CrawlOptions = {
  ...FAST,
  connectTimeoutMs: 60_000,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 120_000,
  blockTimeoutMs: 60_000,
  hookTimeoutMs: 60_000,
};

/** The same on a stack, whose deployment limits the times of hooks, and whose turns must end within a function's time. */
export const QUICK_ON_STACK: CrawlOptions = {
  ...FAST,
  connectTimeoutMs: 2000,
  headersTimeoutMs: 1200,
  idleTimeoutMs: 1200,
  totalTimeoutMs: 5000,
};

export function temporaryFolder(): { folder: string; remove(): void } {
  const parent = mkdtempSync(join(tmpdir(), 'strand-'));
  return { folder: join(parent, 'crawl'), remove: () => rmSync(parent, { recursive: true, force: true }) };
}

export async function crawlWeb(
  folder: string,
  running: RunningWeb,
  options: CrawlOptions,
  seeds: readonly string[] = running.seeds,
  session: Omit<SessionOptions, 'software'> = {},
): Promise<LocalRunEnd> {
  const resolve: [string, string][] = [['*.test', running.address]];
  const given = { ...QUICK, resolve, ...options };
  return run(await beginCrawl(folder, seeds, given, { software: 'test', ...session }));
}

async function run(session: LocalSession): Promise<LocalRunEnd> {
  const errors: unknown[] = [];
  const { signal } = new AbortController();
  try {
    const end = await session.run({ signal, onError: (error) => errors.push(error) });
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} turns failed: ${errors[0]}`);
    return end;
  } finally {
    await session.close();
  }
}

/** Every URL that the crawl knows; and the hosts that it set aside, with the cause. */
export async function recordsOf(
  folder: string,
): Promise<{ records: Map<string, UrlRecord>; setAside: Map<string, string> }> {
  const reader = openLocalReader(folder);
  const crawl = reader?.crawl();
  if (!reader || crawl === undefined) throw new Error(`no crawl in ${folder}`);
  const records = new Map<string, UrlRecord>();
  const setAside = new Map<string, string>();
  for await (const { host, head } of reader.ledgers.hosts(crawl)) {
    const ledger = await openLedger(reader.ledgers, { crawl, host, index: head.ledger });
    for await (const record of ledger.records()) records.set(record.url, record);
    if (head.setAside) setAside.set(host, causeText(head.setAside.cause));
  }
  reader.close();
  return { records, setAside };
}
