/**
 * Crawls in a process of its own, and counts what does not depend on the machine:
 * `node counted-crawl.ts FOLDER SEEDS WHAT OUT`. WHAT: `calls`, `heap` or `time`. OUT becomes {@link Counts} in JSON.
 */
import { createHook } from 'node:async_hooks';
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { cpuMsOf } from '../../harness/cpu-time.ts';
import { documentsOf } from '../../harness/documents.ts';
import { fixedWork } from './fixed-work.ts';

/** The counts of one run, by name. */
export type Counts = Record<string, number>;

/** Turns end by their pages alone if time passes so much slower. */
const SLOWER = 100;
/** Bytes between two samples of V8's allocation profiler. */
const SAMPLE_BYTES = 2048;

function slowClock(): void {
  const slowed = (now: () => number) => {
    const began = now();
    return () => began + (now() - began) / SLOWER;
  };
  const [wall, monotonic] = [slowed(Date.now.bind(Date)), slowed(performance.now.bind(performance))];
  Date.now = () => Math.trunc(wall());
  performance.now = monotonic;
}

function countModules(counts: Counts): void {
  counts.modules = 0;
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('node:')) counts.modules = (counts.modules ?? 0) + 1;
      return next(url, context);
    },
  });
}

function countCalls(counts: Counts): void {
  counts.statements = 0;
  counts.boundBytes = 0;
  counts.promises = 0;
  const count = (values: readonly unknown[]) => {
    counts.statements = (counts.statements ?? 0) + 1;
    for (const value of values)
      if (typeof value === 'string' || value instanceof Uint8Array)
        counts.boundBytes = (counts.boundBytes ?? 0) + value.length;
  };
  const { prototype } = StatementSync;
  for (const name of ['run', 'get', 'all'] as const) {
    const method = prototype[name] as (...values: unknown[]) => unknown;
    prototype[name] = function (this: StatementSync, ...values: unknown[]) {
      count(values);
      return method.apply(this, values);
    } as never;
  }
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    count([]);
    exec.call(this, sql);
  };
  createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises = (counts.promises ?? 0) + 1;
    },
  }).enable();
}

interface AllocationNode {
  readonly selfSize: number;
  readonly children: readonly AllocationNode[];
}

const allocated = ({ selfSize, children }: AllocationNode): number =>
  selfSize + children.reduce((sum, child) => sum + allocated(child), 0);

async function heapBytesOf(work: () => Promise<void>): Promise<number> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as never);
  await work();
  const { profile } = await inspector.post('HeapProfiler.stopSampling');
  return allocated((profile as unknown as { head: AllocationNode }).head);
}

const [folder, seedsFile, what, out] = process.argv.slice(2) as [string, string, string, string];
const counts: Counts = {};
if (what !== 'time') slowClock();
countModules(counts);
const { beginCrawl } = await import('../../../shared/engines/local/session/session.ts');
const { planCrawl } = await import('../../../shared/services/begin/plan-crawl.ts');
const { tuneV8, tuneV8ForCrawl } = await import('../../../shared/engines/tune-v8.ts');
const { CRAWL } = await import('../../harness/crawl-config.ts');
tuneV8();
tuneV8ForCrawl();
if (what === 'calls') countCalls(counts);
const seeds = readFileSync(seedsFile, 'utf8').trim().split('\n');
const crawl = async () => {
  const session = await beginCrawl(folder, planCrawl({ seeds, options: CRAWL }), {
    software: 'Strand/bench',
  });
  await session.run({ signal: new AbortController().signal });
  await session.close();
};
if (what === 'heap') counts.heapBytes = await heapBytesOf(crawl);
else if (what === 'calls') await crawl();
else {
  counts.fixedMs = await cpuMsOf(fixedWork);
  counts.crawlMs = await cpuMsOf(crawl);
  counts.fixedMs += await cpuMsOf(fixedWork);
  const { extractContent } = await import('../../../shared/core/content/extract.ts');
  const documents = documentsOf(undefined).map(({ url, bytes }) => ({ url, html: bytes.toString('utf8') }));
  counts.extractionMs = await cpuMsOf(() => {
    for (const { url, html } of documents) void extractContent(html, url).text;
  });
}
writeFileSync(out, JSON.stringify(counts));
