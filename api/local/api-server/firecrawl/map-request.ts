import type { MapOptions } from '../../../map-options.ts';
import { MAX_MAP_LIMIT } from '../../../map-options.ts';
import { fieldOf, isCount, isFlag, isText, RequestRefused, refuseOthers } from './refused-fields.ts';

export const MAP_FIELDS: readonly string[] = [
  'url',
  'search',
  'limit',
  'sitemap',
  'ignoreSitemap',
  'sitemapOnly',
  'includeSubdomains',
  'ignoreQueryParameters',
  'timeout',
];
const DEFAULT_LIMIT = 5000;
const DEFAULT_TIMEOUT_MS = 60_000;
/** A timer that is set for longer ends at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface MapRequest {
  readonly options: MapOptions;
  readonly timeout: number;
  /** URLs with a query are left out. */
  readonly dropsQueries: boolean;
}

/** Throws {@link RequestRefused}. */
export function readMapRequest(fields: Readonly<Record<string, unknown>>, version: 1 | 2): MapRequest {
  refuseOthers(fields, MAP_FIELDS);
  const flag = (name: string) => fieldOf(fields, name, isFlag, 'true or false');
  const sitemap =
    fieldOf(fields, 'sitemap', isText, 'skip, include or only') ??
    (flag('sitemapOnly') ? 'only' : flag('ignoreSitemap') ? 'skip' : 'include');
  if (!['skip', 'include', 'only'].includes(sitemap))
    throw new RequestRefused(`sitemap: ${sitemap.slice(0, 50)}`);
  const limit = fieldOf(fields, 'limit', isCount, 'a whole number') ?? DEFAULT_LIMIT;
  const search = fieldOf(fields, 'search', isText, 'a text');
  return {
    timeout: Math.min(
      fieldOf(fields, 'timeout', isCount, 'a number of milliseconds') || DEFAULT_TIMEOUT_MS,
      MAX_TIMEOUT_MS,
    ),
    dropsQueries: flag('ignoreQueryParameters') ?? version === 2,
    options: {
      scope: (flag('includeSubdomains') ?? version === 2) ? 'domain' : 'host',
      limit: Math.min(Math.max(1, limit), MAX_MAP_LIMIT),
      ...(sitemap === 'only' && { source: 'sitemaps' }),
      ...(sitemap === 'skip' && { sitemaps: 'off' }),
      ...(search !== undefined && { search }),
    },
  };
}
