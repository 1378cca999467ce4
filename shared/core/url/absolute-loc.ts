/** URLs as people write them where only absolute ones may stand: in sitemaps, and in the `Sitemap` lines of robots.txt. */

/** Characters that nobody sees, copied with a URL. */
const UNSEEN = /[\s\u200b-\u200f\u2060\ufeff]/;
const PLAIN = /^https?:\/\/[!-~]+$/;
const WITHOUT_SLASH = /^(https?:)\/?(?=[^/\\])/i;

/**
 * `text` without such characters at its ends, with both slashes behind its scheme, and with the scheme of `base` if it begins with
 * that one's host, or with `www.`. All else stays as it is: a URL or a reference.
 */
export function absoluteLoc(text: string, base: string): string {
  if (PLAIN.test(text)) return text;
  const loc = withoutUnseen(text).replace(WITHOUT_SLASH, '$1//');
  if (!/^[a-z\d-]+\./i.test(loc)) return loc;
  const url = URL.parse(base);
  const host = /^[^/?#]+/.exec(loc)?.[0].toLowerCase();
  const own = url?.host.replace(/^www\./, '');
  return url && host?.replace(/^www\./, '') === own ? `${url.protocol}//${loc}` : loc;
}

function withoutUnseen(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && UNSEEN.test(text[start]!)) start++;
  while (end > start && UNSEEN.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}
