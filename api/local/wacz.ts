import { findTitle } from '../../shared/archive/find-title.ts';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import { writeWacz } from '../../shared/archive/wacz.ts';
import type { WaczPage } from '../../shared/archive/wacz-pages.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import { openWarcFiles, type WarcFiles } from '../../shared/engines/local/archive/warc-files.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { fetchedUrl } from '../../shared/url/request-url.ts';
import { version } from '../../shared/version.ts';
import { type RowSource, recordsOf } from '../url-rows.ts';
import { openFolder } from './open-folder.ts';

/** The crawl has no WARC file yet. */
export class NothingArchived extends Error {
  override name = 'NothingArchived';

  constructor(folder: string) {
    super(`Nothing is archived yet in ${folder}`);
  }
}

/**
 * The bytes of a WACZ file of all that is archived, also while the crawl runs: of a file that is still
 * written, what was durable when the export began. A WARC file that is damaged is in it as it is, and its
 * pages and index up to the damage; `warn` is called for it. Throws {@link NothingArchived} before the first
 * byte.
 */
export async function* waczBytes(
  dir: string,
  warn: (message: string) => void = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { reader, crawl, record } = await openFolder(dir);
  const files = await openWarcFiles(dir);
  try {
    if (files.list.length === 0) throw new NothingArchived(dir);
    yield* writeWacz({
      title: crawl,
      createdAt: Date.now(),
      software: `Strand ${version}`,
      warcs: files.list,
      cdxj: linesWithin(mergedCdxj(dir, warn), files),
      pages: pagesOf(reader, crawl, files),
      mainUrl: record.scopeSeeds[0],
    });
  } finally {
    await files.close();
    reader.close();
  }
}

const PLACE = /, "length": "(\d+)", "offset": "(\d+)", "filename": "([^"]*)"\}\n$/;

/** The lines of captures that are in the files as they are taken; more may have come meanwhile. */
async function* linesWithin(lines: AsyncIterable<string>, files: WarcFiles): AsyncGenerator<string> {
  for await (const line of lines) {
    const [, length, offset, file] = PLACE.exec(line) ?? [];
    if (file !== undefined && files.has({ file, offset: Number(offset), length: Number(length) })) yield line;
  }
}

async function* pagesOf(source: RowSource, crawl: CrawlId, files: WarcFiles): AsyncGenerator<WaczPage> {
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    for await (const record of recordsOf(source, crawl, host, head)) {
      const location = pageLocation(record);
      if (!location || !files.has(location)) continue;
      const found = await findTitle(files.reader(location.file), fetchedUrl(record.url), location);
      if (found) yield { url: fetchedUrl(record.url), ...found, isSeed: record.depth === 0 && !record.via };
    }
  }
}

/**
 * Where the page is archived; undefined for what is no page: other types, answers other than 200, parts of
 * pages.
 */
function pageLocation({ state, kind, result }: UrlRecord): RecordLocation | undefined {
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(result?.contentType ?? '');
  return state === 'fetched' && kind === undefined && result?.httpStatus === 200 && isHtml
    ? result.location
    : undefined;
}
