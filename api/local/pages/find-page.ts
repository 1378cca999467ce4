/** A page of a crawl's archive, as `onPage` would get it. */
import { resultText } from '../../../shared/core/causes/cause-text.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { DocumentRow } from '../../../shared/services/outputs/document-row.ts';
import { hasDocument, triedDocuments } from '../../../shared/services/outputs/read-documents.ts';
import type { PageContext } from '../../../shared/services/project/project.ts';
import { lookUpUrl } from '../../../shared/services/report/look-up-url.ts';
import type { CrawlHooks } from '../../start-options.ts';
import { archiveOf } from '../crawl-archive.ts';
import { type OpenedFolder, openFolder } from '../open-folder.ts';
import { PageNotRead } from '../page-not-read.ts';
import { createPageProcessor } from '../process/process-page.ts';

const MAX_REDIRECTS = 20;

/** Throws {@link PageNotRead} if the archive has no response for the canonical URL `url`. */
export async function findPage(
  folder: string,
  url: string,
  { extraction }: Pick<CrawlHooks, 'extraction'>,
): Promise<PageContext> {
  const opened = await openFolder(folder);
  const archive = archiveOf(folder);
  try {
    const record = await recordOf(opened, url);
    const { location } = record?.result ?? {};
    if (!record || !location) throw new PageNotRead(`${url} was not read: ${reasonOf(record)}`);
    const { depth, via } = record;
    const page = { url: record.url, depth, ...(via !== undefined && { via }), location };
    let seen: PageContext | undefined;
    const process = createPageProcessor({
      archive,
      config: { ...parseConfig(opened.record.config), obeyNoindex: false },
      hooks: {
        ...(extraction && { extraction }),
        onPage(given) {
          seen = given;
        },
      },
    });
    const { error, isHidden } = await process(page);
    const reason = isHidden ? reasonOf(record) : error?.message;
    if (seen === undefined) throw new PageNotRead(`${url} was not read: ${reason}`);
    return seen;
  } finally {
    opened.reader.close();
    await archive.close();
  }
}

/** The page's document. Throws {@link PageNotRead} if the archive has none for the canonical URL `url`. */
export async function findDocument(folder: string, url: string): Promise<DocumentRow> {
  const opened = await openFolder(folder);
  const archive = archiveOf(folder);
  try {
    const record = await recordOf(opened, url);
    if (!record || !hasDocument(record)) throw new PageNotRead(`${url} was not read: ${reasonOf(record)}`);
    let reason = reasonOf(record);
    const skip = (_: string, why: string) => {
      reason = why;
    };
    for await (const document of triedDocuments(archive, only(record), { skip }))
      if (document) return document;
    throw new PageNotRead(`${url} was not read: ${reason}`);
  } finally {
    opened.reader.close();
    await archive.close();
  }
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** The record at the end of the chain of redirects, as far as the crawl knows it. */
async function recordOf(
  { reader, crawl, record }: OpenedFolder,
  url: string,
): Promise<UrlRecord | undefined> {
  const { urlRules } = parseConfig(record.config);
  let known: UrlRecord | undefined;
  for (let at: string | undefined = url, i = 0; at !== undefined && i <= MAX_REDIRECTS; i++) {
    const next: UrlRecord | undefined = (await lookUpUrl(reader.ledgers, crawl, at, urlRules)).record;
    if (next === undefined) break;
    known = next;
    at = targetOf(next);
  }
  return known;
}

function targetOf({ state, result }: UrlRecord): string | undefined {
  const cause = state === 'redirect' ? result?.cause : undefined;
  return cause?.code === 'redirect' ? cause.to : undefined;
}

function reasonOf(record: UrlRecord | undefined): string {
  if (!record) return 'the crawl does not know the URL';
  if (record.state === 'waiting' && !record.result) return 'it was not fetched yet';
  return resultText(record.result ?? {}) ?? record.state;
}
