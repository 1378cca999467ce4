/** The parts of a crawl that exports of its archive read, in a folder or on a stack. */
import type { IndexedCapture } from '../../core/archive/parse-cdxj-line.ts';
import type { PayloadSource } from '../../core/archive/payload-reader.ts';
import type { ReadAt } from '../../core/archive/scan-members.ts';
import { isWithheld } from '../../core/causes/cause.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import type { ModuleReading } from '../outputs/page-document.ts';
import type { Item } from '../project/project.ts';
import { allRecords, type RowSource } from '../report/url-rows.ts';

export interface ExportSource {
  readonly crawl: CrawlId;
  readonly record: Pick<CrawlRecord, 'config'>;
  readonly rows: RowSource;
  readonly archive: PayloadSource;
  /** Opens the WARC files as they are now. What comes later is not read. */
  openWarcs(): Promise<OpenedWarcs>;
  /** The modules of the project, if it has any. */
  openModules?(): Promise<ModuleReading | undefined>;
  /** Returns the same items each time that what it returned is iterated. */
  openItems(): () => AsyncIterable<Item>;
}

/** The WARC files of a crawl at one time. */
export interface OpenedWarcs {
  /** Their names. */
  readonly files: readonly string[];
  reader(file: string): ReadAt;
  /**
   * Their responses, sorted by URL. `warn` is called for a damaged file; the captures before the damage are yielded.
   */
  captures(warn: (message: string) => void): AsyncIterable<IndexedCapture>;
  close(): Promise<void>;
}

/** The URLs whose content is kept from exports, for the purpose that the crawl states. */
export async function withheldUrls({
  rows,
  crawl,
}: Pick<ExportSource, 'rows' | 'crawl'>): Promise<ReadonlySet<string>> {
  const urls = new Set<string>();
  for await (const { url, result } of allRecords(rows, crawl)) if (isWithheld(result?.cause)) urls.add(url);
  return urls;
}
