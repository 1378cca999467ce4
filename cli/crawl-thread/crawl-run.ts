/** A run of a crawl from its opening to its summary, as its thread does it. */
import { join } from 'node:path';
import { crawlNameOf } from '../../shared/crawl/crawl-name.ts';
import { systemClock } from '../../shared/engines/local/clock.ts';
import { holdsCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import {
  beginCrawl,
  continueCrawl,
  type LocalSession,
  resumeCrawl,
  type SessionOptions,
} from '../../shared/engines/local/session.ts';
import { boardMemory, createBoard } from '../../shared/engines/local/threads/board.ts';
import { writeSlot } from '../../shared/engines/watchdog/work-slot.ts';
import { messageOf } from '../../shared/error-message.ts';
import { callOnFinish } from '../../shared/hooks/on-finish.ts';
import { hookErrorLine } from '../../shared/hooks/run-hook.ts';
import type { HookError } from '../../shared/ports/hook-error-log.ts';
import { type Project, readProject } from '../../shared/project/project-file.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { StorageFailed } from '../../shared/storage-failed.ts';
import { version } from '../../shared/version.ts';
import type { LocalCommandOf } from '../command.ts';
import { progressOf } from '../commands/progress.ts';
import { readSeeds } from '../commands/read-seeds.ts';
import { summarize } from '../commands/summarize.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { formatDuration } from '../format.ts';
import { commandAt } from '../place.ts';
import { createSeedLines, createSilenceLine } from '../seed-lines.ts';
import { checkContact } from '../seeds.ts';
import { UsageError } from '../usage-error.ts';
import type { CrawlThreadStart, FromCrawlThread } from './messages.ts';

export interface CrawlRun {
  /** Resolves when the crawl is closed and `onFinish` was called. */
  toEnd(): Promise<void>;
  noteHookError(error: HookError, isNewPage: boolean): void;
}

/** Hosts noted on the board: those beyond are not suspected when the thread dies, and lose nothing by it. */
const BOARD_PLACES = 1000;

export function createCrawlRun(
  { command, folder: begunIn, slot }: CrawlThreadStart,
  tell: (message: FromCrawlThread) => void,
  signal: AbortSignal,
): CrawlRun {
  const work = writeSlot(slot);
  const board = boardMemory(BOARD_PLACES);
  let session: LocalSession | undefined;
  let requests = 0;
  const log = (line: string) => tell({ kind: 'log', line });

  function sessionOf(project: Project): SessionOptions {
    const { workers } = command;
    return {
      software: `Strand/${version}`,
      project,
      workers,
      warn: (line: string) => tell({ kind: 'warning', line }),
      watched: { work, board: createBoard(board) },
    };
  }

  async function open(project: Project): Promise<[folder: string, opened: LocalSession]> {
    const options = sessionOf(project);
    if (begunIn !== undefined) return [begunIn, await continueCrawl(begunIn, options)];
    if (command.verb === 'crawl') return begin(command, project, options);
    const { dir, limits, newUrlRules } = command;
    // The crawl's settings are those that it began with: of the project's file only hooks and middleware count.
    return [dir, await resumeCrawl(dir, limits, { ...options, newUrlRules })];
  }

  async function crawl(folder: string, { engine, id, config, run }: LocalSession): Promise<void> {
    const progress = await progressOf(engine, id, config);
    const tellSilence = createSilenceLine(log, config.headersTimeoutMs);
    tell({ kind: 'begun', folder, crawl: id, blockTimeoutMs: config.blockTimeoutMs, board });
    await run({
      signal,
      onProgress(stats) {
        requests = stats.requests;
        tellSilence(stats, systemClock.now());
        // A registry that cannot be read stops the crawl by itself.
        void progress(stats).then(
          (seen) => tell({ kind: 'progress', progress: seen }),
          () => {},
        );
      },
      onSeed: createSeedLines(log, systemClock.now),
      onClockStep: (ms) => log(clockStepText(ms)),
      onError: (error, host) => log(`${host}: ${messageOf(error)}; tried again`),
    });
    tell({ kind: 'closing', blockTimeoutMs: config.blockTimeoutMs });
    if (signal.aborted) log('Stopping');
  }

  async function finish(project: Project, summary: CrawlSummary, limitMs: number): Promise<void> {
    const ended = work.beginHook();
    const fault = await callOnFinish(project, summary, { clock: systemClock, limitMs });
    ended();
    if (fault !== undefined) tell({ kind: 'warning', line: `strand: ${fault}` });
  }

  return {
    async toEnd() {
      const project = await readProject(command.config);
      const [folder, opened] = await open(project);
      session = opened;
      try {
        if (begunIn === undefined)
          log(`Crawling into ${folder}${project.file === undefined ? '' : `, with ${project.file}`}`);
        await crawl(folder, opened);
      } catch (error) {
        // What failed first is what is told.
        await opened.close().catch(() => {});
        throw resumable(error, folder);
      } finally {
        session = undefined;
      }
      await opened.close().catch((error) => {
        throw resumable(error, folder);
      });
      const summary = await summarize(folder);
      const isIdle = requests === 0 && summary.state === 'finished';
      if (command.verb === 'resume' && isIdle && begunIn === undefined) log(nothingLeft(folder));
      tell({ kind: 'summary', summary });
      await finish(project, summary, opened.config.hookTimeoutMs);
    },

    noteHookError(error, isNewPage) {
      if (isNewPage) session?.engine.hookErrors?.countLate(session.id);
      if (session?.engine.hookErrors?.note(session.id, error) === false) return;
      tell({ kind: 'warning', line: hookErrorLine(error) });
    },
  };
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

async function begin(
  command: LocalCommandOf<'crawl'>,
  project: Project,
  session: SessionOptions,
): Promise<[folder: string, opened: LocalSession]> {
  const seeds = readSeeds(command);
  const options = { ...project.crawl, ...command.options };
  checkContact(seeds, parseCrawlConfig(options));
  const folder = command.out ?? defaultFolder(seeds);
  if (holdsCrawl(foldersOf(folder).database))
    throw new UsageError(
      `${folder} holds a crawl already. Go on with it: ${commandAt({ dir: folder }, 'resume')}. Or choose another folder by --out`,
    );
  const { dedupeFrom } = command;
  return [folder, await beginCrawl(folder, seeds, options, { ...session, dedupeFrom })];
}

function defaultFolder(seeds: readonly string[]): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${crawlNameOf(seeds)}-${time}`);
}
