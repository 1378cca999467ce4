/** The parts of a crawl of which exports are made, in a folder or on a stack. */
import type { PayloadSource } from '../../core/archive/payload-reader.ts';
import { isWithheld } from '../../core/causes/cause.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import type { SkipLine } from '../../crawler/ports/skip-log.ts';
import type { ControlEngine } from '../control/control-engine.ts';
import type { ModuleReading } from '../outputs/page-document.ts';
import type { Item } from '../project/project.ts';
import { allRecords, type RowSource } from '../report/url-rows.ts';
import type { ExportArchive } from './export-archive.ts';
import type { Placed } from './placed.ts';

/** The known URLs, and the hosts a page at a time. */
export interface ExportRows extends RowSource {
  readonly ledgers: RowSource['ledgers'] & Pick<ControlEngine['ledgers'], 'hostPage'>;
}

/** A crawl that others may be working on. */
export interface ExportSource {
  readonly crawl: CrawlId;
  readonly record: Pick<CrawlRecord, 'config' | 'scopeSeeds'>;
  readonly rows: ExportRows;
  readonly payloads: PayloadSource;
  /** Opens its files as they are now. What comes later is not read. */
  open(): Promise<OpenedSource & { close(): Promise<void> }>;
}

export interface OpenedSource {
  readonly archive: ExportArchive;
  /** Modules of the project, for documents. */
  readonly modules?: ModuleReading | undefined;
  /** Yields the items after a cursor. */
  items(after: string | undefined): AsyncIterable<Placed<Item, string>>;
  /** Yields the log of links that were left out, after a cursor. */
  skips(after: string | undefined): AsyncIterable<Placed<SkipLine, string>>;
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
