/** The files of a crawl's mirror: their names, and the links between them. */
import { isWithheld } from '../../core/causes/cause.ts';
import { type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { isRoute } from '../../core/url/hash-route.ts';
import { createUrlRules } from '../../core/url/url-rules.ts';
import { createMirrorPaths } from '../outputs/mirror-paths.ts';
import { relativeReference } from '../outputs/relative-path.ts';
import { rewritePayload } from '../outputs/rewrite-payload.ts';
import type { ArchivedPayload } from './archived-payloads.ts';
import { redirectTarget } from './crawl-links.ts';

/** A URL of the mirror: its media type, or where it redirects to. */
export interface MirrorRow {
  readonly url: string;
  readonly type?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Whether a file is made of the record, unless its use is forbidden for the crawl's purpose. Scripts show a route
 * behind `#` in the file of its shell, so it has no file.
 */
export const isMirrored = ({ url, state, kind, result }: UrlRecord): boolean =>
  state === 'fetched' &&
  kind !== 'sitemap' &&
  result?.location !== undefined &&
  /^https?:/.test(url) &&
  !isRoute(url);

/** The row of a record, if the mirror needs one. */
export function mirrorRow(record: UrlRecord): MirrorRow | undefined {
  const { url, result } = record;
  const to = redirectTarget(record);
  if (to !== undefined) return { url, to };
  return isMirrored(record) && !isWithheld(result?.cause) ? { url, type: result?.contentType } : undefined;
}

export interface MirrorSite {
  /** The path of a URL's file; undefined: it has none. */
  pathOf(url: string): string | undefined;
  /** The bytes of a URL's file, which has one: its links lead to other files. */
  bytesOf(record: UrlRecord, payload: ArchivedPayload): Uint8Array;
}

const MAX_REDIRECTS = 20;

/** Sorts the rows in place, so that a crawl always gives the same names. Holds some 300 bytes for each. */
export function mirrorSite(rows: MirrorRow[], config: CrawlOptions): MirrorSite {
  const nameOf = createUrlRules(parseConfig(config).urlRules);
  const redirects = new Map<string, string>();
  const paths = createMirrorPaths();
  rows.sort((a, b) => (a.url < b.url ? -1 : 1));
  for (const { url, type, to } of rows)
    if (to === undefined) paths.add(url, type);
    else redirects.set(url, nameOf(to));

  function rewrite(target: string, from: string): string {
    const [bare = '', ...fragment] = target.split('#');
    let url = nameOf(bare);
    for (let i = 0; i < MAX_REDIRECTS && paths.pathOf(url) === undefined; i++)
      url = redirects.get(url) ?? url;
    const to = paths.pathOf(url);
    const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
    return to === undefined ? target : relativeReference(from, to) + hash;
  }

  return {
    pathOf: paths.pathOf,
    bytesOf({ url, result }, payload) {
      const path = paths.pathOf(url) as string;
      return rewritePayload(payload, result?.contentType, url, (target) => rewrite(target, path));
    },
  };
}
