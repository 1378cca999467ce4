/** Where items, and links that were left out, are within the bucket. Without the SDK, as the construct needs it too. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';

/** Where the items of all crawls are within the bucket. */
export const ITEMS_FOLDER = 'items';
export const STAGED_ITEMS_FOLDER = 'staged-items';
/** The links that the crawls left out. */
export const SKIPS_FOLDER = 'skips';

/** The folder of a crawl's published items, with its slash. */
export const itemsPrefix = (crawl: CrawlId): string => `${ITEMS_FOLDER}/${crawl}/`;

/** The folder of what a crawl's turns have staged, with its slash. */
export const stagedItemsPrefix = (crawl: CrawlId): string => `${STAGED_ITEMS_FOLDER}/${crawl}/`;

/** Changes that are to be sent to the operator's programs. */
export const CHANGES_FOLDER = 'changes';
export const STAGED_CHANGES_FOLDER = 'staged-changes';

/** The folder of a crawl's changes that are to be sent, with its slash. */
export const changesPrefix = (crawl: CrawlId): string => `${CHANGES_FOLDER}/${crawl}/`;

/** The folder of the changes that a crawl's turns have staged, with its slash. */
export const stagedChangesPrefix = (crawl: CrawlId): string => `${STAGED_CHANGES_FOLDER}/${crawl}/`;

/** The folder of the links that a crawl left out, with its slash. */
export const skipsPrefix = (crawl: CrawlId): string => `${SKIPS_FOLDER}/${crawl}/`;
