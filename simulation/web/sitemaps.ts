/** The sitemaps of hosts whose pages change, with times of changes that are true, or worth nothing. */
import { type Chance, DRAW } from './chance.ts';
import { versionAt } from './changes.ts';
import type { WebHost } from './hosts.ts';

/** `build`: all times are that of the last build of the site. `frozen`: they are those of the pages' creation. */
export type LastmodKind = 'true' | 'frozen' | 'build';

export const SITEMAP_PATH = '/sitemap.xml';
/** Shares of hosts; the others have no sitemap. */
const SHARES: readonly (readonly [kind: LastmodKind, share: number])[] = [
  ['true', 0.35],
  ['frozen', 0.2],
  ['build', 0.2],
];
/** Pages of a host that are listed at most. */
const MAX_LISTED = 40;
const BUILD_MS = 900_000;
const CREATED_AT = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Which times the host's sitemap has; undefined: it has no sitemap. */
export function lastmodKind(chance: Chance, { number }: WebHost): LastmodKind | undefined {
  let at = chance.at(DRAW.sitemap, number);
  for (const [kind, share] of SHARES) {
    at -= share;
    if (at < 0) return kind;
  }
  return undefined;
}

/** The pages that the sitemap lists, by number. The root has a link to it, and needs none. */
export const listedPages = ({ pages }: WebHost): number[] =>
  Array.from({ length: Math.min(pages - 1, MAX_LISTED) }, (_, i) => i + 1);

/** `at`: the time of the request, ms since 1970. */
export function renderSitemap(
  chance: Chance,
  host: WebHost,
  at: number,
  urlOf: (page: number) => string,
): Uint8Array {
  const kind = lastmodKind(chance, host);
  const timeOf = (page: number): number => {
    if (kind === 'build') return at - (at % BUILD_MS);
    if (kind === 'frozen') return CREATED_AT + page * DAY_MS;
    return versionAt(chance, host.number, page, at).changedAt;
  };
  const entries = listedPages(host).map(
    (page) =>
      `<url><loc>${urlOf(page).replaceAll('&', '&amp;')}</loc><lastmod>${new Date(timeOf(page)).toISOString()}</lastmod></url>\n`,
  );
  const head = '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  return Buffer.from(`${head}${entries.join('')}</urlset>\n`);
}
