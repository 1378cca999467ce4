/** `strand crawl` and `strand resume`. */
import { join } from 'node:path';
import { printable } from '../../shared/control/printable.ts';
import { type Project, readProject } from '../../shared/control/project-file.ts';
import { crawlNameOf } from '../../shared/crawl/crawl-name.ts';
import { systemClock } from '../../shared/engines/local/clock.ts';
import { holdsCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import {
  beginCrawl,
  type LocalSession,
  resumeCrawl,
  type SessionOptions,
} from '../../shared/engines/local/session.ts';
import { messageOf } from '../../shared/error-message.ts';
import { callOnFinish } from '../../shared/hooks/on-finish.ts';
import { StorageFailed } from '../../shared/storage-failed.ts';
import { version } from '../../shared/version.ts';
import type { LocalCommandOf } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { formatDuration } from '../format.ts';
import { createLiveLine } from '../live-line.ts';
import { commandAt } from '../place.ts';
import { createSeedLines } from '../seed-lines.ts';
import { checkContact } from '../seeds.ts';
import { ownStream, shareTerminal } from '../share-terminal.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { UsageError } from '../usage-error.ts';
import { progressOf } from './progress.ts';
import { readSeeds } from './read-seeds.ts';
import { summarize } from './summarize.ts';

interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly config?: string;
}

export async function crawl(command: LocalCommandOf<'crawl'>): Promise<number> {
  const seeds = readSeeds(command);
  const project = await readProject(command.config);
  const options = { ...project.crawl, ...command.options };
  checkContact(seeds, parseCrawlConfig(options));
  const folder = command.out ?? defaultFolder(seeds);
  if (holdsCrawl(foldersOf(folder).database))
    throw new UsageError(
      `${folder} holds a crawl already. Go on with it: ${commandAt({ dir: folder }, 'resume')}. Or choose another folder by --out`,
    );
  const { workers, dedupeFrom } = command;
  const session = { ...sessionOf(project), workers, dedupeFrom };
  return run(await beginCrawl(folder, seeds, options, session), folder, project, command);
}

/** Goes on with the settings that the crawl began with: of the project's file, only middleware and hooks count. */
export async function resume(command: LocalCommandOf<'resume'>): Promise<number> {
  const { dir, limits, config, workers, newUrlRules } = command;
  const project = await readProject(config);
  const session = { ...sessionOf(project), workers, newUrlRules };
  return run(await resumeCrawl(dir, limits, session), dir, project, command);
}

const sessionOf = (project: Project): SessionOptions => ({
  software: `Strand/${version}`,
  project,
  warn: (message: string) => process.stderr.write(`${message}\n`),
});

async function run(
  session: LocalSession,
  folder: string,
  project: Project,
  { json, quiet, config }: Output,
): Promise<number> {
  const stopping = listenForSignals();
  const live = createLiveLine(quiet ? { write: () => true } : ownStream(process.stderr), process.env);
  const unshare = shareTerminal([process.stdout, process.stderr], live);
  const progress = await progressOf(session.engine, session.id, session.config);
  let requests = 0;
  try {
    live.log(`Crawling into ${folder}${project.file === undefined ? '' : `, with ${project.file}`}`);
    await session.run({
      signal: stopping.signal,
      onProgress(stats) {
        requests = stats.requests;
        live.update(progress(stats));
      },
      onSeed: createSeedLines(live.log, systemClock.now),
      onClockStep: (ms) => live.log(clockStepText(ms)),
      onError: (error, host) => live.log(`${host}: ${messageOf(error)}; tried again`),
    });
    if (stopping.signal.aborted) live.log('Stopping');
  } catch (error) {
    // What failed first is what is told.
    await session.close().catch(() => {});
    throw resumable(error, folder);
  } finally {
    unshare();
    live.done();
    stopping.end();
  }
  await session.close().catch((error) => {
    throw resumable(error, folder);
  });
  const summary = await summarize(folder);
  if (requests === 0 && summary.state === 'finished' && !quiet)
    process.stderr.write(`${nothingLeft(folder)}\n`);
  const { colour } = terminalOf(process.stdout, process.env);
  const text = json ? summaryJson(summary) : summaryText(summary, colour, { dir: folder, config });
  process.stdout.write(`${text}\n`);
  const limits = { clock: systemClock, limitMs: session.config.hookTimeoutMs };
  const fault = await callOnFinish(project, summary, limits);
  if (fault !== undefined) process.stderr.write(`strand: ${printable(fault)}\n`);
  return exitCodeOf(summary);
}

/** What people are told when the machine's clock was set. */
function clockStepText(ms: number): string {
  const by = formatDuration(Math.abs(ms));
  return ms < 0
    ? `The machine's clock was set back by ${by}. The crawl goes on; the times that it writes stay ahead until it is resumed`
    : `The machine's clock was set forward by ${by}, or the machine slept. The crawl goes on`;
}

/** Of a crawl that was finished when it was resumed. */
const nothingLeft = (folder: string): string =>
  'Nothing was left to fetch: the crawl was finished before. ' +
  `To fetch more, add seeds: ${commandAt({ dir: folder }, 'add', 'SEED')}; or begin another crawl with a wider --scope`;

/** What failed was the storage: says how to go on, too. */
function resumable(error: unknown, folder: string): unknown {
  if (!(error instanceof StorageFailed)) return error;
  const next = commandAt({ dir: folder }, 'resume');
  return new StorageFailed(`${error.message}. Then go on with: ${next}`, { cause: error });
}

/** SIGINT and SIGTERM end the turns, which commit what they have; a second one ends the process at once. */
function listenForSignals() {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

function defaultFolder(seeds: readonly string[]): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${crawlNameOf(seeds)}-${time}`);
}
