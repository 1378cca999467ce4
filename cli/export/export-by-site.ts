/** `strand export --by-site`: a file for each site. */
import { createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Sites, siteHost } from '../../shared/core/crawl/sites.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import type { SitePage, SitePageRequest } from '../../shared/services/control/control.ts';
import type { UrlDetail } from '../../shared/services/report/url-detail.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import { UsageError } from '../usage-error.ts';
import { intoFolder } from './into-folder.ts';
import { writerTo } from './row-stream.ts';

export interface ExportedSites {
  sites(page: SitePageRequest): Promise<SitePage>;
  urls(): AsyncIterable<UrlDetail>;
}

/** Characters beside these are replaced in names of files. */
const STRANGE = /[^\w.-]/g;

/**
 * Writes the rows of each site, or of those of a group, to a file named after its host. Rows come host by host, so one file
 * is open at a time. Throws {@link UsageError} for a folder that is not empty, and for a crawl without sites.
 */
export async function exportBySite(
  crawl: ExportedSites,
  {
    format,
    out,
    group,
  }: { readonly format: RowFormat; readonly out: string; readonly group?: string | undefined },
): Promise<number> {
  const sites = await sitesOf(crawl);
  await intoFolder(async () => void makeFolders(out));
  if (readdirSync(out).length > 0)
    throw new UsageError(`Expected --out FOLDER to be a new or empty folder, got ${quoted(out)}`);
  const begun = new Set<string>();
  let name: string | undefined;
  let file: SiteFile | undefined;
  for await (const row of crawl.urls()) {
    const site = sites.of(row.host);
    if (!site || (group !== undefined && site.group !== group)) continue;
    const wanted = `${siteHost(site).replaceAll(STRANGE, '_')}.${format}`;
    if (wanted !== name) {
      await file?.end();
      file = openFile(join(out, wanted));
      if (!begun.has(wanted)) await file.write(exportHeader(format));
      begun.add(wanted);
      name = wanted;
    }
    await file?.write(exportRow(row, format));
  }
  await file?.end();
  return begun.size;
}

async function sitesOf(crawl: ExportedSites): Promise<Sites> {
  const all: { url: string; group?: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = await crawl.sites({ limit: 1000, cursor });
    for (const { site, group } of page.sites) all.push({ url: site, ...(group !== undefined && { group }) });
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (all.length === 0)
    throw new UsageError('Expected a crawl with a list of sites (--sites FILE), got one without');
  return new Sites(all);
}

interface SiteFile {
  write(text: string): Promise<void>;
  end(): Promise<void>;
}

function openFile(path: string): SiteFile {
  const stream = createWriteStream(path, { flags: 'a' });
  const done = finished(stream);
  done.catch(() => {});
  const write = writerTo(stream);
  return {
    write,
    end() {
      stream.end();
      return done;
    },
  };
}
