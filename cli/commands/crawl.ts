/** `strand crawl` and `strand resume`. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import type { Begun, CrawlMessage, LocalStart } from '../../api/local/messages.ts';
import { superviseCrawl } from '../../api/local/supervise-crawl.ts';
import { environmentProxies } from '../../shared/fetcher/proxy/environment-proxies.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { printable, quoted } from '../../shared/text/printable.ts';
import type { LocalCommandOf } from '../command.ts';
import { terminalOf } from '../drawn-line.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { formatDuration } from '../format.ts';
import { createLiveLine } from '../live-line.ts';
import { commandAt } from '../place.ts';
import { createSeedLines, createSilenceLine } from '../seed-lines.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { UsageError } from '../usage-error.ts';
import { crawlError } from './crawl-error.ts';
import { withNetworkFiles } from './network-options.ts';
import { readSeeds } from './read-seeds.ts';

type CrawlCommand = LocalCommandOf<'crawl'> | LocalCommandOf<'resume'>;

/** Crawls in a thread of its own. This one shows its progress and receives signals. */
export async function crawl(command: CrawlCommand): Promise<number> {
  const { json, quiet } = command;
  const live = createLiveLine(quiet ? { write: () => true } : process.stderr, process.env);
  const warn = (line: string) => (quiet ? process.stderr.write(`${printable(line)}\n`) : live.log(line));
  if (command.save !== undefined) checkFolder(command.save);
  const start = startOf(command, warn);
  let begun: Begun | undefined;
  let printSilence: ReturnType<typeof createSilenceLine> = () => {};
  const printSeed = createSeedLines(live.log, Date.now);
  const stopping = listenForSignals(() => begun !== undefined);

  function hear(message: CrawlMessage): void {
    switch (message.kind) {
      case 'begun':
        if (begun === undefined) live.log(beginText(message));
        begun = message;
        printSilence = createSilenceLine(live.log, message.config.headersTimeoutMs);
        break;
      case 'progress':
        printSilence(message.progress, message.progress.now);
        live.update(message.progress);
        break;
      case 'seed':
        printSeed(message.event);
        break;
      case 'clockStep':
        live.log(clockStepText(message.ms));
        break;
      case 'retried':
        live.log(retriedText(message));
        break;
      case 'warning':
        warn(message.line);
        break;
      case 'closing':
        if (stopping.signal.aborted) live.log('Stopping');
        break;
      case 'summary':
        if (command.verb === 'resume' && message.requests === 0 && message.summary.state === 'finished')
          live.log(nothingLeft(command.dir));
        live.done();
        show(message.summary, begun?.folder ?? '');
    }
  }

  function show(shown: CrawlSummary, dir: string): void {
    const { colour } = terminalOf(process.stdout, process.env);
    const text = json ? summaryJson(shown) : summaryText(shown, colour, { dir, config: command.config });
    process.stdout.write(`${text}\n`);
  }

  try {
    const summary = await superviseCrawl({ start, hear, signal: stopping.signal });
    const code = exitCodeOf(summary);
    if (command.save === undefined || begun === undefined) return code;
    live.done();
    const { exportMirror } = await import('./export-mirror.ts');
    const saved = await exportMirror(begun.folder, command.save);
    return code === exitCodes.finished ? saved : code;
  } catch (error) {
    throw crawlError(error, begun?.folder);
  } finally {
    live.done();
    stopping.end();
  }
}

/** Throws {@link UsageError} before the crawl, not after it. */
function checkFolder(folder: string): void {
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    throw new UsageError(`Expected --save FOLDER to be a new or empty folder, got ${quoted(folder)}`);
}

function startOf(command: CrawlCommand, warn: (line: string) => void): LocalStart {
  const { workers } = command;
  const proxies = environmentProxies(process.env);
  const shared = { workers, project: { file: command.config }, proxies, reportsEvents: false };
  if (command.verb === 'crawl') {
    const { out: folder, dedupeFrom } = command;
    const seeds = readSeeds(command);
    const options = withNetworkFiles(command.options, command.network, seeds, warn);
    return { kind: 'begin', ...shared, seeds, options, folder, dedupeFrom };
  }
  const { dir: folder, limits, newUrlRules } = command;
  return { kind: 'resume', ...shared, folder, limits, newUrlRules };
}

const beginText = ({ folder, projectFile }: Begun): string =>
  `Crawling into ${folder}${projectFile === undefined ? '' : `, with ${projectFile}`}`;

const retriedText = ({ where, cause }: { where?: string; cause: string }): string =>
  where === undefined ? cause : `${where}: ${cause}; tried again`;

/** The machine's clock was set. */
function clockStepText(ms: number): string {
  const by = formatDuration(Math.abs(ms));
  return ms < 0
    ? `The machine's clock was set back by ${by}. The crawl goes on; the times that it writes stay ahead until it is resumed`
    : `The machine's clock was set forward by ${by}, or the machine slept. The crawl goes on`;
}

/** The crawl was finished before it was resumed. */
const nothingLeft = (folder: string): string =>
  'Nothing was left to fetch: the crawl was finished before. ' +
  `To fetch more, add seeds: ${commandAt({ dir: folder }, 'add', 'SEED')}; or begin another crawl with a wider --scope`;

/**
 * SIGINT, SIGTERM and SIGHUP end the turns, which commit what they have; a second one ends the process at
 * once, as does the first one while there is nothing to commit.
 */
function listenForSignals(isBegun: () => boolean) {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted || !isBegun()) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
