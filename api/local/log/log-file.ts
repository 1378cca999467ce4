/** The file of a crawl's log: lines of JSON, of bounded size. */
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { NO_FOLLOW } from '../../../shared/engines/local/folder-guard.ts';
import { foldersOf } from '../../../shared/engines/local/folders.ts';

/** A file that would grow beyond is renamed, instead of the one that was renamed before. */
const MAX_LOG_BYTES = 10_000_000;

const { O_WRONLY, O_APPEND, O_CREAT } = constants;

export interface LogFile {
  /** `line`: without its end. */
  write(line: string): void;
  close(): void;
}

/**
 * Appends to `log.jsonl` of the crawl's folder. A file that cannot be written ends no crawl: `warn` is called
 * once, and later lines are dropped.
 */
export function openLogFile(folder: string, warn: (line: string) => void, maxBytes = MAX_LOG_BYTES): LogFile {
  const { log, olderLog } = foldersOf(folder);
  let file: number | undefined;
  let bytes = 0;

  function open(): void {
    file = openSync(log, O_WRONLY | O_APPEND | O_CREAT | NO_FOLLOW, 0o666);
    bytes = fstatSync(file).size;
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  function attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      file = undefined;
      warn(`The log ${log} cannot be written, so it ends here: ${(error as Error).message}`);
    }
  }

  attempt(open);
  return {
    write(line) {
      if (file === undefined) return;
      attempt(() => {
        const text = Buffer.from(`${line}\n`);
        if (bytes > 0 && bytes + text.length > maxBytes) {
          close();
          renameSync(log, olderLog);
          open();
        }
        bytes += writeSync(file as number, text);
      });
    },
    close: () => attempt(close),
  };
}
