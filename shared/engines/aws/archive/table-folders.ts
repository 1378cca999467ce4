/** Where the tables of captures and of items are within the bucket. Without the SDK, as the construct needs it too. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Subset } from '../../../services/outputs/parquet/capture-table.ts';

/** The tables of all crawls. Hive's names of folders: Athena, Spark and DuckDB take them for columns. */
export const TABLES_FOLDER = 'index';

/** The folder of a crawl's tables, with its slash. */
export const tablesPrefix = (crawl: CrawlId): string => `${TABLES_FOLDER}/crawl=${crawl}/`;

/** The key of the table with the captures of a joined file that belong to the subset. */
export const tableKey = (crawl: CrawlId, subset: Subset, joinedFile: string): string =>
  `${tablesPrefix(crawl)}subset=${subset}/${joinedFile.replace(/\.warc\.gz$/, '.zstd.parquet')}`;

/** The tables of the items of all crawls. */
export const ITEM_TABLES_FOLDER = 'item-tables';

/** The folder of a crawl's tables of items, with its slash. */
export const itemTablesPrefix = (crawl: CrawlId): string => `${ITEM_TABLES_FOLDER}/crawl=${crawl}/`;

/** The key of the table of that number, from 0. Keys sort like the numbers. */
export const itemTableKey = (crawl: CrawlId, number: number): string =>
  `${itemTablesPrefix(crawl)}items-${String(number).padStart(6, '0')}.zstd.parquet`;
