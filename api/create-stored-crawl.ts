/** The functions of a stored crawl, for a crawl in a folder and for a crawl on a stack. */
import { withCodingWarnings } from '../shared/core/archive/replay-codings.ts';
import { surt } from '../shared/core/archive/surt.ts';
import { historyOf } from '../shared/core/archive/url-history.ts';
import { explainErrors } from '../shared/core/base/explain-errors.ts';
import { parseConfig } from '../shared/core/crawl/config.ts';
import { mayHaveRendered } from '../shared/core/crawl/renders-pages.ts';
import { withoutSecretKeys } from '../shared/core/crawl/secret-keys.ts';
import { sitesOf } from '../shared/crawler/crawl-state/crawls.ts';
import { ControlError } from '../shared/services/control/control.ts';
import { createFinder } from '../shared/services/control/find-crawl.ts';
import type { Item } from '../shared/services/project/project.ts';
import { hasAccounts } from '../shared/services/report/crawl-outcome.ts';
import { skippedUrls } from '../shared/services/report/skipped-urls.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import { createUnreadableHosts } from '../shared/services/report/unreadable-hosts.ts';
import { changesOf } from '../shared/services/report/url-change.ts';
import { flat, reportedHosts, urlRows } from '../shared/services/report/url-rows.ts';
import type { CrawlPlace, OpenedCrawl } from './crawl-place.ts';
import { exportsOf } from './exports/exports-of.ts';
import { detailWithClusters, reportWithClusters } from './exports/known-clusters.ts';
import type { SearchedCrawl } from './exports/search.ts';
import type { OpenCrawlOptions } from './stored-crawl.ts';
import { readOpened } from './stored-record.ts';

/** The crawl that is stored there. `close` closes the place. */
export function createStoredCrawl(
  stored: CrawlPlace,
  { modules, leaveOut }: OpenCrawlOptions = {},
): OpenedCrawl {
  const { crawl, record, registry, explain = (error) => error } = stored;
  const hasRendered = async () => mayHaveRendered(record.config, await registry.totals(crawl));
  const place: CrawlPlace = {
    ...stored,
    archive: { ...stored.archive, hasRendered },
    ...(leaveOut && { rows: { ...stored.rows, leaveOut } }),
  };
  let isOpen = true;

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await place.close();
  }

  const urls = urlQueries(place);
  const functions = explainErrors(
    {
      ...{
        ...urls,
        ...operations(place),
        ...archiveQueries(place),
        ...hookOutputs(place),
        ...accountsOf(place),
      },
      ...outputs(place, modules),
    },
    explain,
  );
  return {
    name: crawl,
    options: withoutSecretKeys(record.config),
    ...functions,
    // Errors of the destination are not the place's.
    async sendDocuments(to, options) {
      const { sendDocuments } = await import('./sinks/send-documents.ts');
      return sendDocuments({ name: crawl, ...functions, sent: place.files.sinks }, to, options);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Part<Key extends keyof OpenedCrawl> = Pick<OpenedCrawl, Key>;

/** The crawl as its operator sees and changes it. */
function operations({
  crawl,
  queries,
  summary,
  pause,
  stop,
}: CrawlPlace): Part<'summary' | 'hosts' | 'host' | 'domains' | 'sites' | 'pause' | 'stop'> {
  /** A crawl that has ended meanwhile needs neither. */
  async function unlessOver(change: () => Promise<CrawlSummary>): Promise<CrawlSummary> {
    try {
      return await change();
    } catch (error) {
      if (error instanceof ControlError && error.code === 'conflict') return summary();
      throw error;
    }
  }
  return {
    summary,
    hosts: (page = {}) => queries.hosts(crawl, page),
    host: (host) => queries.host(crawl, host),
    domains: (page = {}) => queries.domains(crawl, page),
    sites: (page = {}) => queries.sites(crawl, page),
    pause: () => unlessOver(pause),
    stop: () => unlessOver(stop),
  };
}

function urlQueries(
  place: CrawlPlace,
): Part<'urls' | 'changes' | 'url' | 'explain' | 'report' | 'skipped' | 'skippedBeyond'> {
  const { crawl, rows, registry, queries, skips, files, clock } = place;
  const { recordOf } = createFinder(registry);
  const urls = () => flat(urlRows(rows, crawl));
  return {
    urls,
    changes: (since = new Date(0)) => changesOf(urls(), since.getTime()),
    async url(url) {
      try {
        return detailWithClusters(files.sketches, await queries.url(crawl, url));
      } catch (error) {
        if (error instanceof ControlError && error.code === 'notFound') return undefined;
        throw error;
      }
    },
    async explain(url) {
      const record = await recordOf(crawl);
      const medianLinkers = async () => (await queries.domains(crawl, { limit: 1 })).medianLinkers;
      const { ledgers } = rows;
      const state = place.stateOf(record);
      const { explainIn } = await import('./explain-in.ts');
      return explainIn({ ledgers, registry, crawl, record, state, medianLinkers }, url);
    },
    async report() {
      const record = await recordOf(crawl);
      const settings = { config: parseConfig(record.config), sites: await sitesOf(registry, crawl, record) };
      const summary = await place.summary();
      const { buildReport } = await import('../shared/services/report/report.ts');
      const unreadable = createUnreadableHosts();
      const hosts = reportedHosts(unreadable.of(rows), crawl);
      const report = await buildReport(hosts, summary, clock.now(), settings);
      const accounts = hasAccounts(summary) && { accounts: await accountsOf(place).accounts() };
      return { ...unreadable.found(), ...(await reportWithClusters(files.sketches, report)), ...accounts };
    },
    skipped: () => skippedUrls(skips.read(), rows, crawl),
    skippedBeyond: () => skips.beyond(),
  };
}

function archiveQueries({
  archive,
}: CrawlPlace): Part<'cdxj' | 'captures' | 'history' | 'diff' | 'readRecord'> {
  const history: OpenedCrawl['history'] = (url) => visitsOf(archive, url);
  return {
    cdxj: (warn) => withCodingWarnings(archive.cdxj(warn), warn),
    captures: archive.captures,
    history,
    async diff(url, times) {
      const { differenceBetween } = await import('./url-difference.ts');
      return differenceBetween(url, await history(url), archive, times);
    },
    readRecord: async (start, { maxBytes } = {}) => readOpened(await archive.openRecord(start), maxBytes),
  };
}

const hookOutputs = ({ openItems, hookState }: CrawlPlace): Part<'items' | 'itemsCsv' | 'state'> => ({
  items: <T = Item>() => openItems()() as AsyncIterable<T>,
  async *itemsCsv() {
    yield* (await import('../shared/services/outputs/items-csv.ts')).itemsCsv(openItems());
  },
  async state() {
    const entries = [...(await hookState())].sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(entries.map(([key, json]) => [key, JSON.parse(json)]));
  },
});

function accountsOf({ crawl, clock, openJars }: CrawlPlace): Part<'accounts' | 'unlockAccount'> {
  const load = () => import('../shared/services/report/crawl-accounts.ts');
  async function using<T>(use: (jars: ReturnType<typeof openJars>['jars']) => Promise<T>): Promise<T> {
    const { jars, close } = openJars();
    return use(jars).finally(close);
  }
  return {
    accounts: async () => {
      const { crawlAccounts } = await load();
      return using((jars) => crawlAccounts(jars, crawl, clock.now()));
    },
    unlockAccount: async (name) => {
      const { unlockAccount } = await load();
      return using((jars) => unlockAccount(jars, crawl, name));
    },
  };
}

/** Files and answers that are made of the archive's pages. Each function loads its code when it is called. */
function outputs(
  place: CrawlPlace,
  modules: OpenCrawlOptions['modules'],
): Part<keyof ReturnType<typeof exportsOf> | ('document' | 'documents' | 'search' | 'duplicates')> {
  const { crawl, rows, archive, record, clock, files } = place;
  const openModules = async () =>
    modules &&
    (await import('../shared/services/exports/module-reading.ts')).moduleReading(modules, record, clock);
  const source = {
    ...{ crawl, record, rows, payloads: archive },
    open: async () => ({ ...(await place.openFiles()), modules: await openModules() }),
  };
  const documents: OpenedCrawl['documents'] = async function* (options) {
    const { crawlDocuments } = await import('./crawl-documents.ts');
    yield* crawlDocuments({ crawl, rows, archive }, await openModules(), options);
  };
  return {
    async document(url, options = {}) {
      const { versionOf } = await import('./page-version.ts');
      const visits = await visitsOf(archive, url);
      return versionOf(url, visits, archive, { ...options, modules: await openModules() });
    },
    documents,
    ...exportsOf(source),
    async search(words, options) {
      return (await import('./exports/search.ts')).search(searchedIn(place, documents), words, options);
    },
    async duplicates(options) {
      return (await import('./exports/find-duplicates.ts')).findDuplicates(source, files.sketches, options);
    },
  };
}

/** The visits of a URL. A route behind `#` that the archive does not know counts as its shell. */
async function visitsOf(archive: Pick<CrawlPlace['archive'], 'capturesOf'>, url: string) {
  const visits = historyOf(url, await archive.capturesOf(surt(url)));
  if (visits.length > 0 || !url.includes('#')) return visits;
  const [page = url] = url.split('#', 1);
  return historyOf(page, await archive.capturesOf(surt(page)));
}

export const searchedIn = (
  { files, archive }: Pick<CrawlPlace, 'files' | 'archive'>,
  documents: OpenedCrawl['documents'],
): SearchedCrawl => ({
  index: files.search,
  documents,
  archiveState: async () => JSON.stringify(await archive.sizes()),
});
