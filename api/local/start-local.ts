import type { RunningCrawl } from '../running-crawl.ts';
import type { ResumeCrawlOptions, StartCrawlOptions } from '../start-options.ts';
import { createCrawlRun } from './crawl-run.ts';
import { runningCrawl, type Session } from './local-crawl.ts';
import { createCrawlLog } from './log/crawl-log.ts';
import type { CrawlMessage } from './messages.ts';
import { type CheckedStart, readResumeOptions, readStartOptions } from './read-options.ts';
import { superviseCrawl } from './supervise-crawl.ts';

export const startLocal = async (options: StartCrawlOptions): Promise<RunningCrawl> =>
  start(readStartOptions(options));

export const resumeLocal = async (folder: string, options: ResumeCrawlOptions): Promise<RunningCrawl> =>
  start(readResumeOptions(folder, options));

function start({ start: begin, hooks, signal, logging }: CheckedStart): Promise<RunningCrawl> {
  const log = createCrawlLog(logging);

  async function runSession({ onMessage: report, ...session }: Session): Promise<void> {
    const onMessage = (message: CrawlMessage) => {
      log.onMessage(message);
      report(message);
    };
    if (hooks === undefined) await superviseCrawl({ start: begin, onMessage, ...session });
    else
      await createCrawlRun({ start: begin, project: async () => hooks, post: onMessage, ...session }).toEnd();
  }

  return runningCrawl(signal, runSession, log.end);
}
