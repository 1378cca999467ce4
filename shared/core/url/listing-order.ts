/**
 * Links of a folder's listing to itself in another order: up to eight more URLs for each folder, all with the same links.
 */

/** Apache's mod_autoindex and Tomcat; with `&` Jetty and nginx's fancyindex. */
const BY_COLUMN = /^C=[NMSD][;&]O=[AD]$/;
/** Caddy's `file_server browse`. */
const BY_NAMED_ORDER = /^sort=(?:namedirfirst|name|size|time)&order=(?:asc|desc)$/;
/** Caddy's own word, on each of its listings. Without it, the page may be a list that shows other entries in each order. */
const OF_CADDY = 'sort=namedirfirst&order=';

const MAX_QUERY = 'sort=namedirfirst&order=desc'.length;

/**
 * Returns whether a link of the page leads to the page itself in another order. The URLs are canonical. A link from
 * another page is none: it may be the only one to the folder.
 */
export function createListingOrders(
  pageUrl: string,
  links: readonly { readonly url: string }[],
): (url: string) => boolean {
  const mark = pageUrl.indexOf('?');
  const folder = mark < 0 ? pageUrl : pageUrl.slice(0, mark);
  if (!folder.endsWith('/')) return () => false;
  const self = `${folder}?`;
  const queryOf = (url: string) =>
    url.length <= self.length + MAX_QUERY && url.startsWith(self) ? url.slice(self.length) : '';
  let isCaddy: boolean | undefined;

  return (url) => {
    const query = queryOf(url);
    if (query === '') return false;
    if (BY_COLUMN.test(query)) return true;
    if (!BY_NAMED_ORDER.test(query)) return false;
    isCaddy ??= links.some((link) => queryOf(link.url).startsWith(OF_CADDY));
    return isCaddy;
  };
}
