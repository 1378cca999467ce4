/** The log of a crawl on this machine: writes its messages to the folder's file and to a listener. */
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { isLogged, type LogEntry, type LogLevel, logLine } from '../../../shared/core/text/log-entry.ts';
import type { CrawlMessage } from '../messages.ts';
import { type Entry, logEntryOf } from './log-entries.ts';
import { type LogFile, openLogFile } from './log-file.ts';

export interface CrawlLogOptions {
  /** The least important level that is logged. Default: `info`. */
  readonly level?: LogLevel | undefined;
  /** Called with each entry. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** ms since the epoch. Default: the machine's clock. */
  readonly now?: () => number;
}

export interface CrawlLog {
  onMessage(message: CrawlMessage): void;
  /** Closes the file. `error`: what made the crawl fail; it is logged. */
  end(error?: unknown): void;
}

/** Time between two entries of progress. */
const PROGRESS_MS = 60_000;
/** Entries kept until the crawl has a folder. */
const MAX_EARLY = 1000;

export function createCrawlLog({ level: least = 'info', onLog, now = Date.now }: CrawlLogOptions): CrawlLog {
  let file: LogFile | undefined;
  let early: LogEntry[] = [];
  let progressAt: number | undefined;

  function log(entry: Entry): void {
    if (!isLogged(entry.level, least)) return;
    const timed = { time: now(), ...entry };
    if (file) file.write(logLine(timed, 'json'));
    else if (early.length < MAX_EARLY) early.push(timed);
    onLog?.(timed);
  }

  function open(folder: string): void {
    // A line about the file goes to the listener alone.
    const warn = (message: string) => onLog?.({ time: now(), level: 'warn', message });
    file = openLogFile(folder, warn);
    for (const entry of early) file.write(logLine(entry, 'json'));
    early = [];
  }

  function isDue(time: number): boolean {
    progressAt ??= time;
    // A clock that was set back starts again.
    if (time >= progressAt && time - progressAt < PROGRESS_MS) return false;
    progressAt = time;
    return true;
  }

  return {
    onMessage(message) {
      if (message.kind === 'progress' && !isDue(message.progress.now)) return;
      const entry = logEntryOf(message);
      // After a pause, or with another thread.
      const isRefetch = message.kind === 'begun' && file !== undefined;
      if (message.kind === 'begun' && !isRefetch) open(message.folder);
      if (entry) log(isRefetch ? { ...entry, message: 'Crawl continues' } : entry);
    },
    end(error) {
      if (error !== undefined) log({ level: 'error', message: messageOf(error) });
      file?.close();
    },
  };
}
