/** Opens the session of a crawl as its start says. */
import { join } from 'node:path';
import { orExplained } from '../../shared/core/base/explain-errors.ts';
import { storageFailure } from '../../shared/core/base/storage-failed.ts';
import { checkSites } from '../../shared/core/crawl/check-sites.ts';
import { type CrawlOptions, InvalidConfig, parseConfig } from '../../shared/core/crawl/config.ts';
import { mayHoldCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { ownKeyFile } from '../../shared/engines/local/own-folder.ts';
import {
  beginCrawl,
  continueCrawl,
  type LocalSession,
  resumeCrawl,
  type SessionOptions,
} from '../../shared/engines/local/session/session.ts';
import { refuseMissingVariables } from '../../shared/services/accounts/missing-variables.ts';
import { planCrawl } from '../../shared/services/begin/plan-crawl.ts';
import { NO_PROJECT, type Project, readProject } from '../../shared/services/project/project-file.ts';
import { browserOf } from './browser-of.ts';
import type { BeginStart, LocalStart } from './messages.ts';

export async function readStartProject({ project }: LocalStart): Promise<Project> {
  return project === undefined ? NO_PROJECT : readProject(project.file);
}

/** `continues`: the folder, if this process has opened the crawl before. */
export async function beginSession(
  start: LocalStart,
  continues: string | undefined,
  project: Project,
  given: SessionOptions,
): Promise<[folder: string, opened: LocalSession]> {
  const { identity = project.crawl?.identity } = start.kind === 'begin' ? start.options : start.limits;
  const options = {
    ...given,
    keyFile: ownKeyFile(process.env),
    findBrowser: browserOf(start),
    environment: process.env,
    ...(identity !== undefined && { identity }),
  };
  if (continues !== undefined)
    return [continues, await inFolder(continues, continueCrawl(continues, options))];
  if (start.kind === 'begin') return begin(start, project, options);
  const { folder, sites, limits, newUrlRules, trustSettings, cache } = start;
  withGiven(limits, () => parseConfig(limits));
  // The crawl's settings are those that it began with: only hooks and middleware of the project's file count.
  return [
    folder,
    await inFolder(
      folder,
      resumeCrawl(folder, limits, { ...options, sites, newUrlRules, trustSettings, cache }),
    ),
  ];
}

async function begin(
  { seeds, sites: listed, options: given, folder: asked, dedupeFrom, cache }: BeginStart,
  project: Project,
  session: SessionOptions,
): Promise<[folder: string, opened: LocalSession]> {
  const options = { ...project.crawl, ...given };
  if (project.accounts)
    refuseMissingVariables(
      project.accounts,
      [...seeds, ...(listed?.map(({ url }) => url) ?? [])],
      process.env,
    );
  const plan = withGiven(options, () => {
    const sites = listed && checkSites(listed, (index) => `sites.${index}`, parseConfig(options));
    return planCrawl({ seeds, sites, options });
  });
  const folder = asked ?? defaultFolder(plan.crawl);
  return [folder, await inFolder(folder, beginCrawl(folder, plan, { ...session, dedupeFrom, cache }))];
}

/**
 * Returns the result of `opening`. If the storage fails, it rejects with {@link StorageFailed}, which names
 * the folder if that holds a crawl: it can be resumed.
 */
export async function inFolder<T>(folder: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    // A refusal may have an error of the file system as its cause, and says itself what to do.
    const isRefusal = error instanceof InvalidConfig || (error as Error).name === 'NoCrawl';
    const failure = isRefusal ? undefined : storageFailure(error);
    if (failure && mayHoldCrawl(foldersOf(folder).database)) failure.folder = folder;
    throw failure ?? error;
  }
}

/**
 * The {@link InvalidConfig} that `work` throws has the given settings, so that the command line can name its options in the
 * message.
 */
function withGiven<T>(given: CrawlOptions, work: () => T): T {
  return orExplained(work, (error) =>
    error instanceof InvalidConfig ? Object.assign(error, { given }) : error,
  );
}

function defaultFolder(crawl: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${crawl}-${time}`);
}
