/** Crawls and batches that were begun by Firecrawl's calls: each is a crawl in a folder, with its options in a file beside it. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrawlId } from '../../../../shared/core/crawl/crawl-id.ts';
import { isUpToDate } from '../../../../shared/services/report/crawl-outcome.ts';
import type { CrawlSummary } from '../../../../shared/services/report/summary.ts';
import type { UrlDetail } from '../../../../shared/services/report/url-detail.ts';
import { openPages } from '../../../open-pages.ts';
import type { StoredCrawl } from '../../../stored-crawl.ts';
import type { FolderControl } from '../folder-control.ts';
import type { JobRequest } from './crawl-request.ts';
import { type FirecrawlDocument, firecrawlDocument } from './page-document.ts';
import { RequestRefused } from './refused-fields.ts';
import type { ScrapeOptions } from './scrape-options.ts';

interface StoredJob {
  readonly options: ScrapeOptions;
}

export interface JobStatus {
  readonly status: 'scraping' | 'completed' | 'failed' | 'cancelled';
  readonly total: number;
  readonly completed: number;
  readonly data: readonly FirecrawlDocument[];
  /** How many documents precede those of the next page; undefined: there is none. */
  readonly next?: number;
}

export interface JobErrors {
  readonly errors: readonly Readonly<Record<string, string>>[];
  readonly robotsBlocked: readonly string[];
}

/** Documents of one answer, and about its size. */
const MAX_DOCUMENTS = 100;
const MAX_CHARS = 10_000_000;
const MAX_ERRORS = 1000;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FILE = 'firecrawl.json';

export class Jobs {
  readonly #control: FolderControl;
  readonly #folder: string;

  constructor(control: FolderControl, folder: string) {
    this.#control = control;
    this.#folder = folder;
  }

  async begin({ seeds, config, options }: JobRequest): Promise<CrawlId> {
    const id = randomUUID();
    await this.#control.create({ crawl: id, seeds, config });
    await writeFile(join(this.#folder, id, FILE), JSON.stringify({ options } satisfies StoredJob));
    return id;
  }

  /** Without the first `skip` documents, and without those in `given`, to which the URLs of the answer are added. */
  async status(id: string, skip: number, given = new Set<string>()): Promise<JobStatus> {
    const { options } = await this.#load(id);
    return this.#control.opened(id, async (stored) => {
      const summary = await stored.summary();
      const { documents, count, next } = await documentsOf(stored, options, skip, given);
      const status = statusOf(summary);
      const { waiting = 0 } = summary.byStatus;
      return {
        status,
        // A limit may leave out some of those that wait.
        total: count + (status === 'scraping' ? waiting : 0),
        completed: count,
        data: documents,
        ...(next !== undefined && { next }),
      };
    });
  }

  async errors(id: string): Promise<JobErrors> {
    await this.#load(id);
    return this.#control.opened(id, async (stored) => {
      const errors: Record<string, string>[] = [];
      const robotsBlocked: string[] = [];
      for await (const row of stored.urls()) {
        const { url, status, fetchedAt = '', cause = status } = row;
        if (status === 'deniedByRobots' && robotsBlocked.length < MAX_ERRORS) robotsBlocked.push(url);
        if ((status === 'failed' || status === 'gone') && errors.length < MAX_ERRORS)
          errors.push({
            id: url,
            timestamp: fetchedAt,
            url,
            code: row.causeCode ?? status,
            error: `${row.httpStatus ?? cause}`,
          });
      }
      return { errors, robotsBlocked };
    });
  }

  async cancel(id: string): Promise<void> {
    await this.#load(id);
    await this.#control.stop(id);
  }

  async #load(id: string): Promise<StoredJob> {
    const unknown = new RequestRefused('id', 'Job not found', 404);
    if (!ID.test(id)) throw unknown;
    const text = await readFile(join(this.#folder, id, FILE), 'utf8').catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw unknown;
        throw error;
      },
    );
    return JSON.parse(text) as StoredJob;
  }
}

/** A crawl without a process was interrupted, unless nothing is due: hosts that refuse it are asked hours later. */
function statusOf(summary: CrawlSummary): JobStatus['status'] {
  const { state } = summary;
  if (state === 'running' || state === 'paused') return 'scraping';
  if (state === 'stopped') return 'cancelled';
  return state === 'interrupted' && !isUpToDate(summary) ? 'failed' : 'completed';
}

/** `count`: of all pages. */
async function documentsOf(
  stored: StoredCrawl,
  options: ScrapeOptions,
  skip: number,
  given: Set<string>,
): Promise<{ documents: FirecrawlDocument[]; count: number; next?: number }> {
  await using pages = await openPages(stored.folder);
  const documents: FirecrawlDocument[] = [];
  let [count, chars] = [0, 0];
  let next: number | undefined;
  for await (const row of stored.urls()) {
    if (!isDocument(row)) continue;
    const at = count++;
    if (at < skip || next !== undefined || given.has(row.url)) continue;
    if (documents.length >= MAX_DOCUMENTS || chars >= MAX_CHARS) {
      next = at;
      continue;
    }
    given.add(row.url);
    const page = await pages.fetch(row.url).catch((error: Error) => {
      // Its use is forbidden, or it has no text.
      if (error.name === 'PageNotRead') return undefined;
      throw error;
    });
    if (page === undefined) continue;
    const document = firecrawlDocument(page, row.url, options);
    chars +=
      (document.markdown?.length ?? 0) + (document.html?.length ?? 0) + (document.rawHtml?.length ?? 0);
    documents.push(document);
  }
  return { documents, count, ...(next !== undefined && { next }) };
}

const isDocument = ({ status, kind, warcFile, duplicateOf }: UrlDetail): boolean =>
  status === 'fetched' && kind === undefined && warcFile !== undefined && duplicateOf === undefined;
