/** A thread that crawls: what `thread.ts` starts. It ends on request, or dies and is started again. */

import { parentPort, workerData } from 'node:worker_threads';
import { stackOrMessageOf } from '../../../core/base/error-message.ts';
import { storageFailure } from '../../../core/base/storage-failed.ts';
import type { HookError } from '../../../crawler/ports/hook-error-log.ts';
import { startWorker, type Worker } from '../../../crawler/worker/worker.ts';
import { createHooks } from '../../../services/hooks/create-hooks.ts';
import { createDocumentReading } from '../../../services/hooks/document-reading.ts';
import { guardProcess } from '../../../services/hooks/guard-process.ts';
import { createLanguageReader } from '../../../services/hooks/read-language.ts';
import { hookErrorLine } from '../../../services/hooks/run-hook.ts';
import { readProject } from '../../../services/project/project-file.ts';
import { writeSlot } from '../../watchdog/work-slot.ts';
import { closeAll } from '../close-all.ts';
import { foldersOf } from '../folders.ts';
import { openStateFile } from '../items/state-store.ts';
import { localAccounts } from '../session/local-accounts.ts';
import { openFetcher } from '../session/open-fetcher.ts';
import { openRenderer } from '../session/open-renderer.ts';
import { poolStats } from '../session/pool-stats.ts';
import { notingFetcher, notingHooks } from './noting.ts';
import { openThreadEngine } from './thread-engine.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** Ledgers in memory, of all threads together. */
const CACHE_BYTES = 128 * 1024 * 1024;
const PROGRESS_MS = 100;

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
const start = workerData as ThreadStart;
const { config, blocks } = start;
const stopping = new AbortController();
const post = (message: FromThread) => port.postMessage(message);
const warn = (message: string) => post({ kind: 'warning', message });
let noteFailure = (error: HookError, _isNewPage: boolean) => warn(`${error.source}: ${error.message}`);
const work = writeSlot(start.slot);
const exit = guardProcess({ onFailure: (...failure) => noteFailure(...failure), onBug: fail });

async function crawl(): Promise<void> {
  const project = start.projectFile === undefined ? undefined : await readProject(start.projectFile);
  const engine = await openThreadEngine(start, post);
  const { clock } = engine;
  const onFailure = (error: HookError) => {
    if (engine.hookErrors?.note(start.crawl, error)) warn(hookErrorLine(error));
  };
  noteFailure = (error, isNewPage) => {
    if (isNewPage) engine.hookErrors?.countLate(start.crawl);
    onFailure(error);
  };
  process.on('exit', engine.inFlight.freeze);
  const tempFolder = foldersOf(start.folder).temporary;
  const { browser } = start;
  const renderer = await openRenderer({ browser, tempFolder, threads: blocks, project, warn, onFailure });
  const fetcher = openFetcher({ ...start, tempFolder, clock, project, warn, onFailure });
  const noted = notingFetcher(fetcher, engine.inFlight);
  const store = openStateFile(foldersOf(start.folder).state);
  const hooks = project && createHooks(project, { config, clock, warn, store, onFailure });
  const documents = createDocumentReading({
    project: { modules: project?.modules ?? [], clock, onFailure },
  });
  const worker: Worker = startWorker(engine, () => noted, {
    maxHosts: start.maxHosts,
    maxCacheBytes: Math.ceil(CACHE_BYTES / blocks),
    signal: stopping.signal,
    tally: engine.tally,
    // The slot of a dead thread belongs to its successor.
    leaseOwner: () => `thread-${start.block}`,
    hooks: hooks && notingHooks(hooks, engine.inFlight),
    accounts: localAccounts(project, process.env),
    languageOf: createLanguageReader(),
    documents,
    ...renderer.forWorker,
    onSeed: (event) => post({ kind: 'seed', event }),
    onSite: (visit) => post({ kind: 'site', visit }),
    onEvent: start.reportsEvents ? (event) => post({ kind: 'event', event }) : undefined,
    work,
    onError: (error, host) => post({ kind: 'turnFailed', host, message: stackOrMessageOf(error) }),
  });
  const progress = () =>
    post({
      kind: 'progress',
      stats: poolStats(worker.stats),
      sums: engine.registry.sums(start.crawl),
    });
  // At once: from the first one on the thread is watched.
  progress();
  const ticking = setInterval(progress, PROGRESS_MS);
  port!.on('message', (message: ToThread) => {
    if (message.kind === 'stop') stopping.abort();
    else if (message.kind === 'changed') worker.crawls.refresh(start.crawl);
    else engine.onMessage(message);
  });
  await closeAll([
    () => worker.done,
    () => clearInterval(ticking),
    progress,
    renderer.close,
    fetcher.close,
    documents.close,
    store.close,
    engine.close,
  ]);
}

function fail(error: unknown): never {
  const failure = storageFailure(error);
  if (failure) post({ kind: 'failed', message: failure.message, isStorage: true });
  else post({ kind: 'failed', message: stackOrMessageOf(error) });
  return exit(1);
}

try {
  await crawl();
  post({ kind: 'ended' });
} catch (error) {
  fail(error);
}
// Code of the project that is still running does not keep the thread alive.
exit(0);
