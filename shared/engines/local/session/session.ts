/**
 * A crawl on this machine, from its beginning or from where it stands: what `strand crawl` and `strand
 * resume` do.
 */
import { resolve } from 'node:path';
import { checkSites } from '../../../core/crawl/check-sites.ts';
import { InvalidConfig, parseConfig, withRecrawl } from '../../../core/crawl/config.ts';
import { CrawlExists, NoCrawl } from '../../../core/crawl/crawl-errors.ts';
import { crawlNameOf } from '../../../core/crawl/crawl-name.ts';
import type { CrawlOptions } from '../../../core/crawl/crawl-options.ts';
import { createScope } from '../../../core/crawl/scope.ts';
import { takeSeedCredentials } from '../../../core/crawl/seed-credentials.ts';
import { replaceSites, type Site, Sites, siteChangesText } from '../../../core/crawl/sites.ts';
import type { SkipReason } from '../../../core/crawl/skip-reason.ts';
import { canonicalSitemaps } from '../../../core/frontier/seed-links.ts';
import { blockedPortOf } from '../../../core/url/blocked-ports.ts';
import { canonicalize, URL_RULES_VERSION } from '../../../core/url/canonical.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import { createUrlRules } from '../../../core/url/url-rules.ts';
import { allSeeds } from '../../../crawler/crawl-state/crawls.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import { wakeAllHosts } from '../../../crawler/routing/waker.ts';
import { holdsCrawl, isCrawlDatabase } from '../database.ts';
import { openLocalReader } from '../engine.ts';
import { refuseForeignFiles } from '../folder-guard.ts';
import { checkTrusted, markOf, openingsOf } from '../folder-trust.ts';
import { foldersOf } from '../folders.ts';
import { hideFolder } from '../hide-folder.ts';
import { withoutPrivateKey } from '../identity-file.ts';
import { withAbsoluteFolders } from '../site-folder/with-site-folders.ts';
import { type LocalSession, openSession, type SessionOptions } from './open-session.ts';
import { sendSeeds } from './send-seeds.ts';

export type { LocalSession, SessionOptions } from './open-session.ts';

/**
 * Begins a crawl. Throws `InvalidConfig`, also where the folder holds a crawl already, and `FolderInUse`.
 * `session.dedupeFrom` and `session.cache` are kept with the crawl.
 */
export async function beginCrawl(
  folder: string,
  given: readonly string[],
  givenOptions: CrawlOptions,
  session: SessionOptions,
): Promise<LocalSession> {
  const { options: read, seeds } = takeSeedCredentials(givenOptions, given);
  const options = withAbsoluteFolders(read);
  const config = parseConfig(options);
  const nameOf = createUrlRules(config.urlRules);
  const canonical = [...new Set(seeds.map((seed) => nameOf(canonicalize(seed) ?? seed)))];
  const sitemaps = canonicalSitemaps(config.sitemapUrls);
  for (const seed of canonical) {
    const port = blockedPortOf(hostKey(seed), config.allowPorts);
    if (port !== undefined)
      throw new InvalidConfig(
        `${seed} cannot be a seed: browsers refuse port ${port}; \`--allow-port ${port}\` allows it`,
      );
  }
  const { sites } = session;
  const scope = createScope(config, canonical, sites && new Sites(sites));
  const reasons = new Map(canonical.map((seed) => [seed, scope.check(seed, 0, true)]));
  const accepted = canonical.filter((seed) => reasons.get(seed) === undefined);
  if (accepted.length === 0)
    throw new InvalidConfig('Every seed is excluded: look at `exclude` and `maxUrlLength`');
  refuseSites(sites, reasons);
  checkNewFolder(folder);
  const id = crawlNameOf(canonical);
  const dedupeFrom = session.dedupeFrom === undefined ? undefined : resolve(session.dedupeFrom);
  const cache = session.cache ? resolve(session.cache) : undefined;
  const opened = await openSession(folder, id, config, { ...session, dedupeFrom, cache });
  const { registry, exchange } = opened.engine;
  hideFolder(folder, options);
  await registry.create(id, {
    config: withoutPrivateKey(options),
    scopeSeeds: besidesSites(canonical, sites),
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
    ...(sites && { sites: await registry.storeSites(id, sites) }),
  });
  registry.keepFolder('dedupeFrom', dedupeFrom);
  registry.keepFolder('cache', cache);
  await markSettings(opened, session);
  await sendSeeds(exchange, id, accepted, sitemaps);
  const excluded = [...reasons].filter((entry): entry is [string, SkipReason] => entry[1] !== undefined);
  for (const [url, reason] of excluded) opened.engine.skips?.note(id, { url, reason });
  for (const [url, reason] of excluded.slice(0, MAX_WARNED_SEEDS))
    session.warn?.(`Left out the seed ${url.slice(0, MAX_SEED_CHARS)}: ${reason}`);
  if (excluded.length > MAX_WARNED_SEEDS)
    session.warn?.(`Left out ${excluded.length} seeds: strand export ${folder} --skipped lists them`);
  return hidden(opened, folder, options);
}

/** A list of sites is taken as a whole. */
function refuseSites(
  sites: readonly Site[] | undefined,
  reasons: ReadonlyMap<string, SkipReason | undefined>,
): void {
  for (const { url } of sites ?? []) {
    const reason = reasons.get(url);
    if (reason !== undefined) throw new InvalidConfig(`The site ${url} is left out by the scope: ${reason}`);
  }
}

/** The scope is drawn around the sites anyway. A crawl has at least one seed. */
function besidesSites(seeds: readonly string[], sites: readonly Site[] = []): readonly string[] {
  const ofSites = new Set(sites.map(({ url }) => url));
  const others = seeds.filter((seed) => !ofSites.has(seed));
  return others.length > 0 ? others : seeds.slice(0, 1);
}

/** Throws `InvalidConfig` if no crawl can begin in the folder: it holds one, or files that a crawl would write to. */
function checkNewFolder(folder: string): void {
  const { database } = foldersOf(folder);
  if (holdsCrawl(database)) throw new CrawlExists(folder);
  refuseForeignFiles(folder, isCrawlDatabase(database));
}

/** Seeds left out that are named on standard error, and how much of each. */
const MAX_WARNED_SEEDS = 10;
const MAX_SEED_CHARS = 200;

/**
 * Opens the folder's crawl again after its thread has died in this process: as it stands, without another try
 * for hosts that were given up.
 */
export async function continueCrawl(folder: string, session: SessionOptions): Promise<LocalSession> {
  const { id, record, folders } = await readCrawl(folder);
  const opened = await openSession(folder, id, parseConfig(record.config), { ...session, ...folders });
  await sendLostSeeds(opened, record);
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
  const { id, record, folders, mark } = await readCrawl(folder);
  const hasNewRules = record.urlRulesVersion !== URL_RULES_VERSION;
  if (hasNewRules && !session.newUrlRules)
    throw new InvalidConfig(
      `The crawl in ${folder} knows its URLs by version ${record.urlRulesVersion} of the rules for canonical URLs, ` +
        `this program by version ${URL_RULES_VERSION}: some URLs would be known under two forms, and fetched again. ` +
        'Continue with the program that began it, or with --new-url-rules',
    );
  const limits = withRecrawl(given);
  const config = parseConfig({ ...record.config, ...limits });
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
  const sites = session.sites && checkSites(session.sites, (index) => `sites.${index}`, config);
  const opened = await openSession(folder, id, config, { ...session, dedupeFrom, cache });
  hideFolder(folder, config);
  const { registry } = opened.engine;
  registry.keepFolder('cache', cache);
  await registry.configure(id, withoutPrivateKey(limits));
  const newSeeds = sites ? await changeSites(opened, record, sites, session.warn) : [];
  await markSettings(opened, session);
  if (hasNewRules) await registry.setUrlRulesVersion(id, URL_RULES_VERSION);
  const number = await registry.resume(id);
  await sendLostSeeds(opened, record);
  if (newSeeds.length > 0) await sendSeeds(opened.engine.exchange, id, newSeeds, []);
  await wakeAllHosts(opened.engine, id, number, config);
  return hidden(opened, folder, config);
}

/** Replaces the list of sites. Returns the URLs that are new in it, which are to be sent as seeds. */
async function changeSites(
  { id, engine: { registry } }: LocalSession,
  record: CrawlRecord,
  next: readonly Site[],
  warn: SessionOptions['warn'],
): Promise<readonly string[]> {
  const before = record.sites ? await registry.readSites(id, record.sites) : [];
  const { sites, changes } = replaceSites(before, next);
  await registry.setSites(id, await registry.storeSites(id, sites));
  warn?.(siteChangesText(changes));
  const known = new Set(new Sites(before).urls);
  return next.flatMap(({ url }) => (known.has(url) ? [] : url));
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
  const dedupeFrom = reader?.registry.keptFolder('dedupeFrom');
  const cache = reader?.registry.keptFolder('cache');
  const mark = reader?.registry.keptMark();
  reader?.close();
  if (id === undefined || !record) throw new NoCrawl(folder);
  return { id, record, folders: { dedupeFrom, cache }, mark };
}

/** Killed before its seeds had reached their hosts: merging them twice changes nothing. */
async function sendLostSeeds({ id, config, engine }: LocalSession, record: CrawlRecord): Promise<void> {
  if ((await engine.registry.totals(id)).hosts > 0) return;
  const seeds = await allSeeds(engine.registry, id, record);
  await sendSeeds(engine.exchange, id, seeds, canonicalSitemaps(config.sitemapUrls));
}
