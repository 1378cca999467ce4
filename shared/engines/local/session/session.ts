/**
 * A crawl on this machine, from its beginning or from where it stands: what `strand crawl` and `strand
 * resume` do.
 */
import { resolve } from 'node:path';
import { checkSites } from '../../../core/crawl/check-sites.ts';
import { InvalidConfig, parseConfig } from '../../../core/crawl/config.ts';
import { CrawlExists, NoCrawl } from '../../../core/crawl/crawl-errors.ts';
import type { CrawlOptions } from '../../../core/crawl/crawl-options.ts';
import { siteChangesText } from '../../../core/crawl/sites.ts';
import { canonicalize, URL_RULES_VERSION } from '../../../core/url/canonical.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import { wakeAllHosts } from '../../../crawler/routing/waker.ts';
import { planSiteChanges, storeSiteChanges } from '../../../services/begin/change-sites.ts';
import type { CrawlPlan } from '../../../services/begin/plan-crawl.ts';
import { planResume, storeResume } from '../../../services/begin/plan-resume.ts';
import { sendLostSeeds, sendSeeds } from '../../../services/begin/send-seeds.ts';
import { leftOutLines } from '../../../services/begin/sort-seeds.ts';
import { holdsCrawl, isCrawlDatabase } from '../database.ts';
import { openLocalReader } from '../engine.ts';
import { refuseForeignFiles } from '../folder-guard.ts';
import { checkTrusted, markOf, openingsOf } from '../folder-trust.ts';
import { foldersOf } from '../folders.ts';
import { hideFolder } from '../hide-folder.ts';
import { withoutPrivateKey } from '../identity-file.ts';
import { withAbsoluteFolders } from '../site-folder/with-site-folders.ts';
import { type LocalSession, openSession, type SessionOptions } from './open-session.ts';

export type { LocalSession, SessionOptions } from './open-session.ts';

/**
 * Begins the crawl. Throws `InvalidConfig`, also where the folder holds a crawl already, and `FolderInUse`.
 * `session.dedupeFrom` and `session.cache` are kept with the crawl.
 */
export async function beginCrawl(
  folder: string,
  { crawl: id, record, seeds, sites, sitemaps, ...plan }: CrawlPlan,
  session: SessionOptions,
): Promise<LocalSession> {
  const config = withAbsoluteFolders(plan.config);
  const options = withAbsoluteFolders(record.config);
  checkNewFolder(folder);
  const dedupeFrom = session.dedupeFrom === undefined ? undefined : resolve(session.dedupeFrom);
  const cache = session.cache ? resolve(session.cache) : undefined;
  const opened = await openSession(folder, id, config, { ...session, dedupeFrom, cache });
  const { registry, skips } = opened.engine;
  hideFolder(folder, options);
  await registry.create(id, {
    ...record,
    config: withoutPrivateKey(options),
    ...(sites && { sites: await registry.storeSites(id, sites) }),
  });
  registry.keepFolder('dedupeFrom', dedupeFrom);
  registry.keepFolder('cache', cache);
  await markSettings(opened, session);
  await sendSeeds(opened.engine, id, seeds.accepted, sitemaps);
  for (const { url, skip } of seeds.refused)
    if (skip !== undefined) skips?.note(id, { url: canonicalize(url) ?? url, reason: skip });
  for (const line of leftOutLines(seeds.refused, `: strand export ${folder} --skipped lists them`))
    session.warn?.(line);
  return hidden(opened, folder, options);
}

/** Throws `InvalidConfig` if no crawl can begin in the folder: it holds one, or files that a crawl would write to. */
function checkNewFolder(folder: string): void {
  const { database } = foldersOf(folder);
  if (holdsCrawl(database)) throw new CrawlExists(folder);
  refuseForeignFiles(folder, isCrawlDatabase(database));
}

/**
 * Opens the folder's crawl again after its thread has died in this process: as it stands, without another try
 * for hosts that were given up.
 */
export async function continueCrawl(folder: string, session: SessionOptions): Promise<LocalSession> {
  const { id, record, folders } = await readCrawl(folder);
  const opened = await openSession(folder, id, parseConfig(record.config), { ...session, ...folders });
  await resendSeeds(opened, record);
  return opened;
}

/**
 * Continues the folder's crawl, whatever ended it: with new limits if given, and with another try for hosts that were
 * given up. Throws `InvalidConfig` if the folder has no crawl, or if the crawl knows its URLs by other rules and must
 * not continue with new ones (`newUrlRules`); and `FolderInUse`.
 */
export async function resumeCrawl(
  folder: string,
  given: CrawlOptions,
  session: SessionOptions,
): Promise<LocalSession> {
  const { id, record, sites, folders, mark } = await readCrawl(folder);
  const plan = planResume(id, record, given);
  const { config } = plan;
  if (plan.hasNewRules && !session.newUrlRules)
    throw new InvalidConfig(
      `The crawl in ${folder} knows its URLs by version ${record.urlRulesVersion} of the rules for canonical URLs, ` +
        `this program by version ${URL_RULES_VERSION}: some URLs would be known under two forms, and fetched again. ` +
        'Continue with the program that began it, or with --new-url-rules',
    );
  const { cache: earlier = folders.cache } = session;
  const cache = earlier ? resolve(earlier) : undefined;
  const { dedupeFrom = folders.dedupeFrom } = session;
  if (session.keyFile !== undefined && !session.trustSettings) {
    const state = { crawl: id, config: record.config, ...folders };
    checkTrusted(folder, state, {
      mark,
      keyFile: session.keyFile,
      given: { ...given, cache: session.cache },
    });
  }
  const next = session.sites && checkSites(session.sites, (index) => `sites.${index}`, config);
  const planned = next && planSiteChanges(sites, next, config);
  const opened = await openSession(folder, id, config, { ...session, dedupeFrom, cache });
  hideFolder(folder, config);
  const { registry } = opened.engine;
  registry.keepFolder('cache', cache);
  await storeResume(registry, { ...plan, changes: withoutPrivateKey(plan.changes) });
  if (planned) await storeSiteChanges(registry, id, planned);
  if (planned) session.warn?.(siteChangesText(planned.changes));
  await markSettings(opened, session);
  const number = await registry.resume(id);
  await resendSeeds(opened, record);
  if (planned) await sendSeeds(opened.engine, id, planned.seeds);
  await wakeAllHosts(opened.engine, id, number, config);
  return hidden(opened, folder, config);
}

/** The session, whose files are hidden at its end, too, if its settings are secret: it may have made some. */
const hidden = (opened: LocalSession, folder: string, options: CrawlOptions): LocalSession => ({
  ...opened,
  close: () => opened.close().finally(() => hideFolder(folder, options)),
});

/** The user who begins or resumes the crawl has made or confirmed its settings. */
async function markSettings(
  { id, engine: { registry } }: LocalSession,
  { keyFile, warn }: SessionOptions,
): Promise<void> {
  const config = (await registry.load(id))?.config;
  if (keyFile === undefined || config === undefined) return;
  const [dedupeFrom, cache] = (['dedupeFrom', 'cache'] as const).map(registry.keptFolder);
  const state = { crawl: id, config, dedupeFrom, cache };
  const opensAny = openingsOf(state).length > 0;
  const mark = opensAny ? markOf(state, keyFile) : undefined;
  registry.keepMark(mark);
  if (opensAny && mark === undefined)
    warn?.(
      `${keyFile} cannot be written, so that resume will not know these settings as yours: give --trust-settings then`,
    );
}

async function readCrawl(folder: string) {
  const reader = openLocalReader(folder);
  const id = reader?.crawl();
  const record = reader && id !== undefined ? await reader.registry.load(id) : undefined;
  const sites = record?.sites ? await reader!.registry.readSites(id!, record.sites) : [];
  const dedupeFrom = reader?.registry.keptFolder('dedupeFrom');
  const cache = reader?.registry.keptFolder('cache');
  const mark = reader?.registry.keptMark();
  reader?.close();
  if (id === undefined || !record) throw new NoCrawl(folder);
  return { id, record, sites, folders: { dedupeFrom, cache }, mark };
}

async function resendSeeds({ id, config, engine }: LocalSession, record: CrawlRecord): Promise<void> {
  const { hosts } = await engine.registry.totals(id);
  await sendLostSeeds(engine, id, record, { hosts, config });
}
