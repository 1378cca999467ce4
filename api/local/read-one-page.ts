import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { openCrawl } from '../open-crawl.ts';
import { startCrawl } from '../start-crawl.ts';
import type { ReadPageOptions } from '../start-options.ts';
import type { StoredCrawl } from '../stored-crawl.ts';
import { PageNotRead } from './page-not-read.ts';

/** Settings that turn off all that does not serve a single page. */
const ONE_PAGE = {
  scope: 'page',
  maxPages: 1,
  sitemaps: 'off',
  feeds: false,
  requisites: false,
  metadata: false,
  // The page that was requested, though it names another page as canonical or is marked `noindex`.
  obeyCanonical: false,
} as const;

/** A crawl of one page in a folder of its own, which is removed again. */
export async function readOnePage(url: string, options: ReadPageOptions): Promise<DocumentRow> {
  const folder = await mkdtemp(join(tmpdir(), 'strand-read-'));
  try {
    const out = join(folder, 'crawl');
    const running = await startCrawl({ preferMarkdown: true, ...options, ...ONE_PAGE, seeds: [url], out });
    await running.done;
    options.signal?.throwIfAborted();
    await using crawl = await openCrawl(out);
    return await firstDocument(crawl, url);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstDocument(crawl: StoredCrawl, url: string): Promise<DocumentRow> {
  let reason: string | undefined;
  const skip = (_: string, why: string) => {
    reason = why;
  };
  for await (const document of crawl.documents({ skip })) return document;
  throw new PageNotRead(`${url} was not read: ${reason ?? (await outcomeOf(crawl))}`);
}

/** The outcome of the last URL of the chain of redirects. */
async function outcomeOf(crawl: StoredCrawl): Promise<string> {
  const { failedSeeds = [] } = await crawl.summary();
  const [failed] = failedSeeds;
  if (failed) return failed.cause;
  for await (const { status, contentType, cause, causeCode, httpStatus } of crawl.urls()) {
    if (status === 'redirect') continue;
    if (status === 'fetched' && causeCode === 'usageForbidden') return `${cause}`;
    if (status === 'fetched') return `its type is ${contentType ?? 'unknown'}, which has no text for Strand`;
    return cause ?? (httpStatus === undefined ? status : `HTTP ${httpStatus}`);
  }
  return 'it redirects to a URL outside of the crawl';
}
