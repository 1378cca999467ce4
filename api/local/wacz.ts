import { type ExportWarning, withCodingWarnings } from '../../shared/core/archive/replay-codings.ts';
import type { WaczPage } from '../../shared/core/archive/wacz-pages.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { mergedCdxj } from '../../shared/engines/local/archive/cdxj-files.ts';
import { openWarcFiles, type WarcFiles } from '../../shared/engines/local/archive/warc-files.ts';
import { NothingArchived, pageLocation, waczOf, waczPage } from '../../shared/services/exports/wacz-bytes.ts';
import { allRecords, type RowSource } from '../../shared/services/report/url-rows.ts';
import { openFolder } from './open-folder.ts';

/**
 * The bytes of a WACZ file with the whole archive, also while the crawl runs: of a file that is still written, the
 * bytes that were durable when the export began. A WARC file that is damaged is in it as it is, and its pages and index
 * up to the damage; `warn` is called for it. Throws {@link NothingArchived} before the first byte.
 */
export async function* waczBytes(
  dir: string,
  warn: ExportWarning = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { reader, crawl, record } = await openFolder(dir);
  const files = await openWarcFiles(dir);
  try {
    if (files.list.length === 0) throw new NothingArchived(dir);
    const cdxj = withCodingWarnings(linesWithin(mergedCdxj(dir, warn), files), warn);
    yield* waczOf({ crawl, record, warcs: files.list, cdxj, pages: pagesOf(reader, crawl, files) });
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
  for await (const record of allRecords(source, crawl)) {
    const location = pageLocation(record);
    if (!location || !files.has(location)) continue;
    const page = await waczPage(record, files.reader(location.file), location);
    if (page) yield page;
  }
}
