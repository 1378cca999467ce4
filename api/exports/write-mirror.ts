/** A crawl as a folder of files that browsers read without a server, as wget's mirror. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cause, isWithheld } from '../../shared/causes/cause.ts';
import { causeText } from '../../shared/causes/cause-text.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { createMirrorPaths, type MirrorPaths } from '../../shared/outputs/mirror-paths.ts';
import { relativeReference } from '../../shared/outputs/relative-path.ts';
import { isHtmlType, rewritePayload } from '../../shared/outputs/rewrite-payload.ts';
import { createUrlRules } from '../../shared/url/url-rules.ts';
import type { ExportedMirror } from '../stored-crawl.ts';
import { allRecords } from '../url-rows.ts';
import { makeEmptyFolder } from '../write-documents.ts';
import { eachPayload } from './archived-payloads.ts';
import type { ExportSource } from './export-source.ts';

const MAX_REDIRECTS = 20;

/**
 * See `StoredCrawl.exportMirror`. Holds the URL and the path of each file in memory: some 300 bytes.
 */
export async function writeMirror(
  source: ExportSource,
  out: string,
  onSkip: (url: string, reason: string) => void = () => {},
): Promise<ExportedMirror> {
  await makeEmptyFolder(out);
  const counts = { files: 0, pages: 0, skipped: 0 };
  const skip = (url: string, reason: string) => {
    counts.skipped++;
    onSkip(url, reason);
  };
  const site = await siteOf(source, (url, cause) => skip(url, causeText(cause)));
  const made = new Set<string>();
  await eachPayload(
    source.archive,
    site.records,
    async ({ url, result, kind }, payload) => {
      const path = site.paths.pathOf(url) as string;
      const bytes = rewritePayload(payload, result?.contentType, url, (target) => site.rewrite(target, path));
      const file = join(out, path);
      if (!made.has(dirname(file))) await mkdir(dirname(file), { recursive: true });
      made.add(dirname(file));
      await writeFile(file, bytes, { flag: 'wx' });
      counts.files++;
      if (kind === undefined && isHtmlType(result?.contentType)) counts.pages++;
    },
    skip,
  );
  return counts;
}

interface Site {
  readonly records: readonly UrlRecord[];
  readonly paths: MirrorPaths;
  /** The reference to write in the file at `from` for an absolute URL. */
  rewrite(target: string, from: string): string;
}

async function siteOf(
  { rows, crawl, record: { config } }: ExportSource,
  onWithheld: (url: string, cause: Cause) => void,
): Promise<Site> {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  const records: UrlRecord[] = [];
  const redirects = new Map<string, string>();
  for await (const record of allRecords(rows, crawl)) {
    const { url, state, kind, result } = record;
    if (state === 'redirect' && result?.cause?.code === 'redirect')
      redirects.set(url, nameOf(result.cause.to));
    if (state !== 'fetched' || kind === 'sitemap' || !result?.location || !/^https?:/.test(url)) continue;
    if (result.cause && isWithheld(result.cause)) onWithheld(url, result.cause);
    else records.push(record);
  }
  const paths = createMirrorPaths();
  // Sorted, so that the same crawl gives the same names.
  records.sort((a, b) => (a.url < b.url ? -1 : 1));
  for (const { url, result } of records) paths.add(url, result?.contentType);

  return {
    records,
    paths,
    rewrite(target, from) {
      const [bare = '', ...fragment] = target.split('#');
      let url = nameOf(bare);
      for (let i = 0; i < MAX_REDIRECTS && paths.pathOf(url) === undefined; i++)
        url = redirects.get(url) ?? url;
      const to = paths.pathOf(url);
      const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
      return to === undefined ? target : relativeReference(from, to) + hash;
    },
  };
}
