/** Shows a crawl on standard error while it runs. */
import { createCrawlLog } from '../../api/local/log/crawl-log.ts';
import type { Begun, CrawlMessage } from '../../api/local/messages.ts';
import { isLogged, type LogEntry, logLine } from '../../shared/core/text/log-entry.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { commandAt } from '../command-at.ts';
import { formatDuration } from '../format.ts';
import { createLiveLine } from '../live-line.ts';
import { markShown } from '../refusal.ts';
import { createSeedLines, createSilenceLine } from '../seed-lines.ts';
import { createVisitLines } from '../site-text.ts';
import { createOutlook } from './outlook.ts';
import type { RunSettings } from './run-options.ts';

export interface CrawlDisplay {
  onMessage(message: CrawlMessage): void;
  /** Takes the progress line away. Safe to repeat. */
  done(): void;
  /** Closes the log. `error`: what made the crawl fail. */
  end(error?: unknown): void;
}

interface DisplayOptions {
  /** The folder of a crawl that is continued. */
  readonly resumed: string | undefined;
  /** By a signal. */
  readonly isStopping: () => boolean;
}

/** A progress line, or with `--log-format` a log; and the log in the crawl's folder. */
export function createCrawlDisplay(
  settings: RunSettings,
  { resumed, isStopping }: DisplayOptions,
): CrawlDisplay {
  const { quiet, logFormat, logLevel } = settings;
  const isLive = !quiet && logFormat === undefined;
  const live = createLiveLine(isLive ? process.stderr : { write: () => true }, process.env);
  const log = createCrawlLog({ level: logLevel, onLog: printerOf(settings) });
  const warn = quiet && logFormat === undefined ? printLine : live.log;
  const printSeed = createSeedLines(live.log, Date.now);
  const printSite = createVisitLines(live.log);
  const printOutlook =
    isLive && process.stderr.isTTY && resumed === undefined ? createOutlook(live.log) : undefined;
  let printSilence: ReturnType<typeof createSilenceLine> | undefined;

  return {
    onMessage(message) {
      log.onMessage(message);
      switch (message.kind) {
        case 'begun':
          if (printSilence === undefined) live.log(beginText(message));
          printSilence = createSilenceLine(live.log, message.config.headersTimeoutMs);
          break;
        case 'progress':
          printSilence?.(message.progress, message.progress.now);
          printOutlook?.(message.progress);
          live.update(message.progress);
          break;
        case 'seed':
          printSeed(message.event);
          break;
        case 'site':
          printSite(message.visit);
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
          if (isStopping()) live.log('Stopping');
          break;
        case 'summary':
          if (resumed !== undefined && message.requests === 0 && message.summary.state === 'finished')
            live.log(nothingLeft(resumed));
          live.done();
      }
    },
    done: live.done,
    end(error) {
      live.done();
      log.end(error);
      if (logFormat !== undefined) markShown(error);
    },
  };
}

const printLine = (line: string) => void process.stderr.write(`${printable(line)}\n`);

/** Prints the entries of the log; with `quiet`, those of warnings and errors. */
function printerOf({ logFormat, quiet }: RunSettings): ((entry: LogEntry) => void) | undefined {
  if (logFormat === undefined) return undefined;
  return (entry) => {
    if (!quiet || isLogged(entry.level, 'warn')) process.stderr.write(`${logLine(entry, logFormat)}\n`);
  };
}

function beginText({ folder, projectFile, config: { identity } }: Begun): string {
  const project = projectFile === undefined ? '' : `, with ${projectFile}`;
  return `Crawling into ${folder}${project}${identity === undefined ? '' : `, signed as ${identity.agent}`}`;
}

const retriedText = ({ where, cause }: { where?: string; cause: string }): string =>
  where === undefined ? cause : `${where}: ${cause}; tried again`;

/** The machine's clock was set. */
function clockStepText(ms: number): string {
  const by = formatDuration(Math.abs(ms));
  return ms < 0
    ? `The machine's clock was set back by ${by}. The crawl continues; the times that it writes stay ahead until it is resumed`
    : `The machine's clock was set forward by ${by}, or the machine slept. The crawl continues`;
}

/** The crawl was finished before it was resumed. */
const nothingLeft = (folder: string): string =>
  'Nothing was left to fetch: the crawl was finished before. ' +
  `To fetch more, add seeds: ${commandAt({ dir: folder }, 'add', 'SEED')}; or begin another crawl with a wider --scope`;
