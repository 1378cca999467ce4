/** Opens the session of a crawl as its start says. */
import { join } from 'node:path';
import { storageFailure } from '../../shared/core/base/storage-failed.ts';
import { checkSites } from '../../shared/core/crawl/check-sites.ts';
import { type CrawlOptions, InvalidConfig, parseConfig } from '../../shared/core/crawl/config.ts';
import { crawlNameOf } from '../../shared/core/crawl/crawl-name.ts';
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
import { NO_PROJECT, type Project, readProject } from '../../shared/services/project/project-file.ts';
import { checkContact } from './check-contact.ts';
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
    ...(identity !== undefined && { identity }),
  };
  if (continues !== undefined)
    return [continues, await inFolder(continues, continueCrawl(continues, options))];
  if (start.kind === 'begin') return begin(start, project, options);
  const { folder, sites, limits, newUrlRules, trustSettings, cache } = start;
  checkedConfig(limits);
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
  { seeds: own, sites: listed, options: given, folder: asked, dedupeFrom, cache }: BeginStart,
  project: Project,
  session: SessionOptions,
): Promise<[folder: string, opened: LocalSession]> {
  const options = { ...project.crawl, ...given };
  const config = checkedConfig(options);
  const sites = listed && checkSites(listed, (index) => `sites.${index}`, parseConfig(options));
  const seeds = [...own, ...(sites?.map(({ url }) => url) ?? [])];
  const folder = asked ?? defaultFolder(seeds);
  checkContact(seeds, config);
  const opening = beginCrawl(folder, seeds, options, { ...session, sites, dedupeFrom, cache });
  return [folder, await inFolder(folder, opening)];
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
 * Throws {@link InvalidConfig} with the given settings, so that the command line can name its options in the
 * message.
 */
function checkedConfig(given: CrawlOptions): CrawlOptions {
  try {
    return parseConfig(given);
  } catch (error) {
    if (error instanceof InvalidConfig) Object.assign(error, { given });
    throw error;
  }
}

function defaultFolder(seeds: readonly string[]): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${crawlNameOf(seeds)}-${time}`);
}
