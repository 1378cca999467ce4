/**
 * Strand as a library: `import { startCrawl, openCrawl } from 'strand-crawler'`. Importing it loads little:
 * what a function needs is loaded when it is called.
 */

export { StorageFailed } from '../shared/core/base/storage-failed.ts';
export { CrawlExists, FolderInUse, NoContact, NoCrawl } from '../shared/core/crawl/crawl-errors.ts';
export { InvalidConfig } from '../shared/core/crawl/invalid-config.ts';
export type { SiteChanges, SiteOptions } from '../shared/core/crawl/sites.ts';
export type { SiteVisit } from '../shared/core/frontier/site-visit.ts';
export type { LogEntry, LogLevel } from '../shared/core/text/log-entry.ts';
export {
  type AddedSeeds,
  ControlError,
  type CrawlEntry,
  type DomainPage,
  type HostDetail,
  type HostPage,
  type SitePage,
  type SitePageRequest,
} from '../shared/services/control/control.ts';
export type { CrawlDeletion, DeleteOptions } from '../shared/services/control/deletion.ts';
export type { DocumentRow } from '../shared/services/outputs/document-row.ts';
export type { PageDocument } from '../shared/services/outputs/page-document.ts';
export * from '../shared/services/project/project.ts';
export type { SiteEntry, SiteFilter, SiteState } from '../shared/services/report/site-entries.ts';
export { type VerifyOptions, verifyWebhook } from '../shared/services/webhook/signature.ts';
export type { WebhookEvent, WebhookTarget } from '../shared/services/webhook/webhook.ts';
export type * from './archive-types.ts';
export type { BrokenLink, BrokenLinks, LinkingPage } from './broken-links.ts';
export { pullCrawl, pushCrawl } from './copy-crawl.ts';
export type * from './copy-options.ts';
export type * from './crawl-events.ts';
export type { CrawlServer, ServeOptions } from './crawl-server.ts';
export { deleteCrawl } from './delete-crawl.ts';
export type { DuplicateCluster, DuplicateOptions, DuplicatePages } from './duplicates.ts';
export type * from './folder-types.ts';
export { type Anchor, anchorsOf, type Inlink } from './inlinks.ts';
export type { MapOptions, MappedUrl, MapSkip, MapSource, SiteEstimate } from './map-options.ts';
export { estimateSite, mapSite } from './map-site.ts';
export { listCrawls, openCrawl } from './open-crawl.ts';
export { openPages } from './open-pages.ts';
export type { PageSession, PageSessionOptions } from './page-session.ts';
export type { PageVersion, VersionOptions } from './page-version.ts';
export { processCrawl } from './process-crawl.ts';
export type { ProcessedPage, ProcessOptions } from './process-options.ts';
export { readPage } from './read-page.ts';
export { checkWarc, readCdxj, readItems, readWarc } from './readers.ts';
export type { EventOptions, RunningCrawl } from './running-crawl.ts';
export { serveCrawl } from './serve-crawl.ts';
export { NotOnStack, StackRefused, StackUnavailable } from './stack/stack-errors.ts';
export type * from './stack-address.ts';
export type * from './stack-crawl.ts';
export { resumeCrawl, startCrawl } from './start-crawl.ts';
export type {
  CrawlHooks,
  RaisedLimits,
  ReadPageOptions,
  ResumeCrawlOptions,
  StartCrawlOptions,
  StartStackCrawlOptions,
} from './start-options.ts';
export type {
  DocumentOptions,
  ExportedDocuments,
  LocallyAdded,
  OpenCrawlOptions,
  RecordPlace,
  SkippedUrl,
  StoredCrawl,
} from './stored-crawl.ts';
