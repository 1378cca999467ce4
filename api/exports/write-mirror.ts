/** A crawl as a folder of files that browsers read without a server, as wget's mirror. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithheld } from '../../shared/core/causes/cause.ts';
import { causeText } from '../../shared/core/causes/cause-text.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { eachPayload } from '../../shared/services/exports/archived-payloads.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import {
  isMirrored,
  type MirrorRow,
  mirrorRow,
  mirrorSite,
} from '../../shared/services/exports/mirror-site.ts';
import { isHtmlType } from '../../shared/services/outputs/rewrite-payload.ts';
import { allRecords } from '../../shared/services/report/url-rows.ts';
import type { ExportedMirror } from '../stored-crawl.ts';
import { makeEmptyFolder } from '../write-documents.ts';

/**
 * See `StoredCrawl.exportMirror`. Holds the URL and the path of each file in memory: some 300 bytes.
 */
export async function writeMirror(
  { rows, crawl, record: { config }, archive }: ExportSource,
  out: string,
  onSkip: (url: string, reason: string) => void = () => {},
): Promise<ExportedMirror> {
  await makeEmptyFolder(out);
  const counts = { files: 0, pages: 0, skipped: 0 };
  const skip = (url: string, reason: string) => {
    counts.skipped++;
    onSkip(url, reason);
  };
  const records: UrlRecord[] = [];
  const known: MirrorRow[] = [];
  for await (const record of allRecords(rows, crawl)) {
    const row = mirrorRow(record);
    if (row) known.push(row);
    if (!isMirrored(record)) continue;
    const cause = record.result?.cause;
    if (cause && isWithheld(cause)) skip(record.url, causeText(cause));
    else records.push(record);
  }
  const site = mirrorSite(known, config);
  const made = new Set<string>();
  await eachPayload(
    archive,
    records.sort((a, b) => (a.url < b.url ? -1 : 1)),
    async (record, payload) => {
      const file = join(out, site.pathOf(record.url) as string);
      const bytes = site.bytesOf(record, payload);
      if (!made.has(dirname(file))) await mkdir(dirname(file), { recursive: true });
      made.add(dirname(file));
      await writeFile(file, bytes, { flag: 'wx' });
      counts.files++;
      if (record.kind === undefined && isHtmlType(record.result?.contentType)) counts.pages++;
    },
    skip,
  );
  return counts;
}
