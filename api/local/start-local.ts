import { printable } from '../../shared/core/text/printable.ts';
import { NO_PROJECT, type Project, readProject } from '../../shared/services/project/project-file.ts';
import type { RunningCrawl } from '../running-crawl.ts';
import type { ResumeCrawlOptions, StartCrawlOptions } from '../start-options.ts';
import { createCrawlRun } from './crawl-run.ts';
import { runningCrawl, type Session } from './local-crawl.ts';
import { createCrawlLog } from './log/crawl-log.ts';
import type { Begun, CrawlMessage } from './messages.ts';
import { type CheckedStart, readResumeOptions, readStartOptions } from './read-options.ts';
import { superviseCrawl } from './supervise-crawl.ts';

export const startLocal = async (options: StartCrawlOptions): Promise<RunningCrawl> =>
  start(readStartOptions(options));

export const resumeLocal = async (folder: string, options: ResumeCrawlOptions): Promise<RunningCrawl> =>
  start(readResumeOptions(folder, options));

function start({ start: begin, hooks, signal, logging }: CheckedStart): Promise<RunningCrawl> {
  const log = createCrawlLog(logging);

  async function runSession({ onMessage: report, ...session }: Session): Promise<void> {
    let begun: Begun | undefined;
    const onMessage = (message: CrawlMessage) => {
      if (message.kind === 'begun') begun = message;
      log.onMessage(message);
      report(message);
    };
    if (hooks === undefined) await superviseCrawl({ start: begin, onMessage, ...session });
    else
      await createCrawlRun({ start: begin, project: async () => hooks, post: onMessage, ...session }).toEnd();
    if (!begun?.config.documents) return;
    const { modules } = hooks ?? (begin.project ? await readProject(begin.project.file) : NO_PROJECT);
    await updateDocumentsIn(begun.folder, modules, onMessage);
  }

  return runningCrawl(signal, runSession, log.end);
}

/** Pages that have no document and are named. */
const MAX_NAMED = 10;

async function updateDocumentsIn(
  folder: string,
  modules: Project['modules'],
  post: (message: CrawlMessage) => void,
): Promise<void> {
  const { openStoredCrawl } = await import('./read-crawl.ts');
  await using stored = await openStoredCrawl(folder, { modules });
  let unread = 0;
  const skip = (url: string, reason: string) => {
    if (unread++ < MAX_NAMED)
      post({ kind: 'warning', line: `${printable(url)} has no document: ${printable(reason)}` });
  };
  await stored.updateOutputs({ documents: true, skip });
}
