import type { Tool } from './tool.ts';
import { changes } from './tools/changes.ts';
import { crawlStatus } from './tools/crawl-status.ts';
import { diffPage } from './tools/diff-page.ts';
import { explainUrl } from './tools/explain-url.ts';
import { getPage } from './tools/get-page.ts';
import { listCrawls } from './tools/list-crawls.ts';
import { mapSite } from './tools/map-site.ts';
import { readPage } from './tools/read-page.ts';
import { searchCrawl } from './tools/search-crawl.ts';
import { startCrawl, stopCrawl } from './tools/start-stop.ts';

/** All tools, in the order in which clients show them. */
export const TOOLS: readonly Tool[] = [
  readPage,
  mapSite,
  listCrawls,
  searchCrawl,
  getPage,
  changes,
  diffPage,
  crawlStatus,
  explainUrl,
  startCrawl,
  stopCrawl,
];
