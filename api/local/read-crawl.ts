/** A crawl's folder as a {@link StoredCrawl}. */

import { parseConfig } from '../../shared/core/crawl/config.ts';
import { withoutSecretKeys } from '../../shared/core/crawl/network-schema.ts';
import { canonicalize, urlAsWritten } from '../../shared/core/url/canonical.ts';
import { createUrlRules } from '../../shared/core/url/url-rules.ts';
import { sitesOf } from '../../shared/crawler/crawl-state/crawls.ts';
import { openWarcFiles } from '../../shared/engines/local/archive/warc-files.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { readSkips, skipsBeyond } from '../../shared/engines/local/items/skip-log.ts';
import { openStateFile } from '../../shared/engines/local/items/state-store.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { pageOfDomains } from '../../shared/services/control/domain-queries.ts';
import { type HostPageRequest, oneHost, pageOfHosts } from '../../shared/services/control/host-queries.ts';
import { pageOfSites } from '../../shared/services/control/site-list.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { createCrawlState } from '../../shared/services/hooks/crawl-state.ts';
import { itemsCsv } from '../../shared/services/outputs/items-csv.ts';
import type { Item } from '../../shared/services/project/project.ts';
import { lookUpUrl } from '../../shared/services/report/look-up-url.ts';
import { nearCopiesOf } from '../../shared/services/report/near-copies.ts';
import { buildReport, type CrawlReport } from '../../shared/services/report/report.ts';
import { seedDetail } from '../../shared/services/report/seed-detail.ts';
import { skippedUrls } from '../../shared/services/report/skipped-urls.ts';
import { changesOf } from '../../shared/services/report/url-change.ts';
import { urlDetail } from '../../shared/services/report/url-detail.ts';
import { locatedNow, reportedHosts, urlRows } from '../../shared/services/report/url-rows.ts';
import { explainIn } from '../explain-in.ts';
import { exportsOf } from '../exports/exports-of.ts';
import { detailWithClusters, reportWithClusters } from '../exports/known-clusters.ts';
import type { SearchedCrawl } from '../exports/search.ts';
import type { OpenCrawlOptions, OutputOptions, StoredCrawl, UpdatedOutputs } from '../stored-crawl.ts';
import { addSeeds } from './add-seeds.ts';
import { archiveOf, type CrawlArchive } from './crawl-archive.ts';
import { type OpenedFolder, openFolder, stateOf } from './open-folder.ts';
import { pauseFolder, stopFolder } from './operate.ts';
import { goodItemBytes, storedItems } from './stored-items.ts';
import { summarize } from './summarize.ts';

/** Throws `NoCrawl`. */
export async function openStoredCrawl(
  folder: string,
  { modules }: OpenCrawlOptions = {},
): Promise<StoredCrawl> {
  const opened = await openFolder(folder);
  const { reader, crawl, record } = opened;
  const archive = archiveOf(folder);
  const exported = {
    ...{ crawl, record, rows: reader, archive, ...filesOf(folder, archive) },
    openModules: async () =>
      modules &&
      (await import('../../shared/services/exports/module-reading.ts')).moduleReading(
        modules,
        record,
        systemClock,
      ),
  };
  let isOpen = true;

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    reader.close();
    await archive.close();
  }

  const stored: StoredCrawl = {
    name: crawl,
    folder,
    options: withoutSecretKeys(record.config),
    summary: () => summarize(folder),
    report: () => reportOf(folder, opened),
    ...urlQueries(folder, opened),
    ...skippedQueries(folder, opened),
    ...itemQueries(folder),
    captures: archive.captures,
    history: archive.history,
    async diff(url, times) {
      const { differenceBetween } = await import('../url-difference.ts');
      return differenceBetween(url, await archive.history(url), archive, times);
    },
    cdxj: archive.cdxj,
    readRecord: archive.readRecord,
    ...documentExports(folder, opened, modules),
    ...exportsOf(exported, () => stored),
    async search(words, options) {
      return (await import('../exports/search.ts')).search(searchedIn(folder, stored), words, options);
    },
    updateOutputs: (options) => updateOutputs(folder, stored, options),
    async sendDocuments(to, options) {
      const { sendDocuments } = await import('../sinks/send-documents.ts');
      const { documents, url } = stored;
      return sendDocuments({ name: crawl, documents, url, sent: foldersOf(folder).sinks }, to, options);
    },
    async duplicates(options) {
      const { findDuplicates } = await import('../exports/find-duplicates.ts');
      return findDuplicates(exported, foldersOf(folder).sketches, options);
    },
    wacz: archive.wacz,
    addSeeds: (seeds) => addSeeds(folder, seeds, systemClock),
    hosts: (page = {}) => pageOfHosts(reader, crawl, page),
    host: (host) => oneHost(reader.ledgers, crawl, host),
    domains: (page = {}) => domainsOf(opened, page),
    sites: (page = {}) => pageOfSites({ ...reader, clock: systemClock }, crawl, record, page),
    pause: () => pauseFolder(folder, systemClock),
    stop: () => stopFolder(folder, systemClock),
    close,
    [Symbol.asyncDispose]: close,
  };
  return stored;
}

async function reportOf(folder: string, { reader, crawl, record }: OpenedFolder): Promise<CrawlReport> {
  const config = parseConfig(record.config);
  const sites = await sitesOf(reader.registry, crawl, record);
  const summary = await summarize(folder);
  const report = await buildReport(reportedHosts(reader, crawl), summary, Date.now(), { config, sites });
  return reportWithClusters(foldersOf(folder).sketches, report);
}

async function updateOutputs(
  folder: string,
  stored: StoredCrawl,
  { documents = false, search = false, skip }: OutputOptions,
): Promise<UpdatedOutputs> {
  const kept = documents
    ? await (await import('./kept-outputs.ts')).updateDocuments(stored, folder, { skip })
    : undefined;
  if (!search) return { ...(kept && { documents: kept }) };
  const { updateSearch } = await import('../exports/search.ts');
  const searched = await updateSearch(searchedIn(folder, stored), { skip });
  return { ...(kept && { documents: kept }), search: searched };
}

const domainsOf = ({ reader, crawl, record }: OpenedFolder, page: HostPageRequest) =>
  pageOfDomains(
    {
      ledgers: reader,
      registry: reader.registry,
      crawl,
      config: parseConfig(record.config),
      now: Date.now(),
    },
    page,
  );

const urlQueries = (
  folder: string,
  opened: OpenedFolder,
): Pick<StoredCrawl, 'urls' | 'changes' | 'url' | 'explain'> => {
  const { reader, crawl, record } = opened;
  async function* urls() {
    for await (const rows of urlRows(reader, crawl)) yield* rows;
  }
  return {
    urls,
    changes: (since = new Date(0)) => changesOf(urls(), since.getTime()),
    async url(given) {
      const asked = canonicalize(given) ?? given;
      const config = parseConfig(record.config);
      const { urlRules } = config;
      const written = urlAsWritten(given) ?? given;
      const { host, record: known, head, ledger } = await lookUpUrl(reader.ledgers, crawl, written, urlRules);
      if (known) {
        const marked = await nearCopiesOf(known, () => ledger.records(), config);
        const detail = urlDetail(await locatedNow(reader, crawl, known), head, marked);
        return detailWithClusters(foldersOf(folder).sketches, detail);
      }
      const seed = reader.findSeed(host, [asked, createUrlRules(urlRules)(asked)]);
      return seed && seedDetail(seed);
    },
    explain: (url) =>
      explainIn(
        {
          ledgers: reader.ledgers,
          registry: reader.registry,
          crawl,
          record,
          state: stateOf(opened),
          medianLinkers: async () => (await domainsOf(opened, { limit: 1 })).medianLinkers,
        },
        url,
      ),
  };
};

const skippedQueries = (
  folder: string,
  { reader, crawl }: OpenedFolder,
): Pick<StoredCrawl, 'skipped' | 'skippedBeyond'> => ({
  async *skipped() {
    const database = openDatabase(foldersOf(folder).database, 'read');
    try {
      yield* skippedUrls(readSkips(database, crawl), reader, crawl);
    } finally {
      database.close();
    }
  },
  skippedBeyond() {
    const database = openDatabase(foldersOf(folder).database, 'read');
    try {
      return skipsBeyond(database, crawl);
    } finally {
      database.close();
    }
  },
});

const filesOf = (
  folder: string,
  { captures }: CrawlArchive,
): Pick<ExportSource, 'openWarcs' | 'openItems'> => ({
  async openWarcs() {
    const { list, reader, close } = await openWarcFiles(folder);
    return { files: list.map(({ name }) => name), reader, captures, close };
  },
  openItems() {
    const bytes = goodItemBytes(folder);
    return () => storedItems<Item>(folder, bytes);
  },
});

const searchedIn = (folder: string, { documents }: StoredCrawl): SearchedCrawl => ({
  index: foldersOf(folder).search,
  documents,
  async archiveState() {
    const files = await openWarcFiles(folder);
    await files.close();
    return JSON.stringify(files.list.map(({ name, bytes }) => [name, bytes]));
  },
});

/** Readers of the output of the crawl's hooks. */
const itemQueries = (folder: string): Pick<StoredCrawl, 'items' | 'itemsCsv' | 'state'> => ({
  items: <T = Item>() => storedItems<T>(folder),
  itemsCsv() {
    const bytes = goodItemBytes(folder);
    return itemsCsv(() => storedItems(folder, bytes));
  },
  async state() {
    const store = openStateFile(foldersOf(folder).state);
    try {
      return new Map(createCrawlState(store).entries());
    } finally {
      store.close();
    }
  },
});

/** With the extractor, which takes 100 ms to load. */
function documentExports(
  folder: string,
  opened: OpenedFolder,
  modules: OpenCrawlOptions['modules'],
): Pick<StoredCrawl, 'documents' | 'exportMarkdown' | 'exportLlms'> {
  const shown = async () => (await import('./documents.ts')).documentsOf(opened, folder, modules);
  const writers = () => import('../write-documents.ts');
  return {
    async *documents(options) {
      yield* (await shown()).documents(options);
    },
    exportMarkdown: async (out, options) => (await writers()).writeMarkdown(await shown(), out, options),
    exportLlms: async (out, options) => (await writers()).writeLlms(await shown(), out, options),
  };
}
