import type { RunningCrawl } from '../running-crawl.ts';
import type { ResumeCrawlOptions, StartCrawlOptions } from '../start-options.ts';
import { createCrawlRun } from './crawl-run.ts';
import { runningCrawl } from './local-crawl.ts';
import { type CheckedStart, readResumeOptions, readStartOptions } from './read-options.ts';
import { superviseCrawl } from './supervise-crawl.ts';

export const startLocal = async (options: StartCrawlOptions): Promise<RunningCrawl> =>
  start(readStartOptions(options));

export const resumeLocal = async (folder: string, options: ResumeCrawlOptions): Promise<RunningCrawl> =>
  start(readResumeOptions(folder, options));

function start({ start: begin, hooks, signal }: CheckedStart): Promise<RunningCrawl> {
  return runningCrawl(signal, async (session) => {
    if (hooks === undefined) await superviseCrawl({ start: begin, ...session });
    else {
      const { hear: post, ...rest } = session;
      await createCrawlRun({ start: begin, project: async () => hooks, post, ...rest }).toEnd();
    }
  });
}
