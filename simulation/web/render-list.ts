/** How lists of pages are written. */
import type { List, ListKind } from './lists.ts';

/** The type by which a list is served, and a feed is named. */
export const LIST_TYPES: Readonly<Record<ListKind, string>> = {
  sitemap: 'application/xml',
  index: 'application/xml',
  broken: 'text/xml',
  text: 'text/plain',
  moved: 'text/plain',
  missing: 'text/html',
  failing: 'text/html',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
};

const SITEMAP_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const inXml = (url: string): string => url.replaceAll('&', '&amp;');

/** Each list names itself, so that no two are alike. */
export function renderList({ url, kind, entries }: List): string {
  const parts = entries.map(({ url: entry, priority, modifiedAt }) => {
    const place = inXml(entry);
    const worth = priority === undefined ? '' : `<priority>${priority.toFixed(1)}</priority>`;
    if (kind === 'text') return `${entry}\n`;
    if (kind === 'index') return `<sitemap><loc>${place}</loc></sitemap>\n`;
    if (kind === 'rss')
      return `<item><title>News</title><link>${place}</link><guid isPermaLink="false">${place}#1</guid></item>\n`;
    if (kind === 'atom')
      return `<entry><title>News</title><link rel="self" href="/feeds/none"/><link href="${place}"/></entry>\n`;
    const time = modifiedAt === undefined ? '' : `<lastmod>${lastmodOf(modifiedAt)}</lastmod>`;
    return `<url><loc>\n${place}</loc>${worth}${time}</url>\n`;
  });
  const body = parts.join('');
  if (kind === 'text') return body;
  const start = `<?xml version="1.0"?>\n<!-- ${inXml(url)} -->\n`;
  if (kind === 'index') return `${start}<sitemapindex ${SITEMAP_SPACE}>\n${body}</sitemapindex>\n`;
  if (kind === 'rss') return `${start}<rss version="2.0"><channel>\n${body}</channel></rss>\n`;
  if (kind === 'atom') return `${start}<feed xmlns="http://www.w3.org/2005/Atom">\n${body}</feed>\n`;
  const end = kind === 'broken' ? `<url><loc>${inXml(url)}` : '</urlset>\n';
  return `${start}<urlset ${SITEMAP_SPACE}>\n${body}${end}`;
}

/** As a day, or with a time. */
const lastmodOf = (at: number): string => {
  const text = new Date(at).toISOString();
  return at % (2 * 86_400_000) === 0 ? text.slice(0, 10) : text;
};
