/** Where exports are within the bucket. Without the SDK, as the construct needs it too. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';

/** The results. */
export const EXPORTS_FOLDER = 'exports';
/** Objects that an export keeps until it is done. */
export const EXPORT_WORK_FOLDER = 'export-work';

/** The folders of a crawl's exports, with their slashes. */
export const exportsPrefix = (crawl: CrawlId): string => `${EXPORTS_FOLDER}/${crawl}/`;
export const exportWorkPrefix = (crawl: CrawlId): string => `${EXPORT_WORK_FOLDER}/${crawl}/`;
