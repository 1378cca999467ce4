/** The header fields of a request. */
import type { CrawlConfig } from '../../core/crawl/config.ts';

export type OwnHeaderValues = Readonly<Record<string, string>> | undefined;

/**
 * Few, since each one distinguishes the crawler from a browser. Content codings are those that replay tools decode: pages
 * are archived as they come. The parser decodes others too. Names and values in turn.
 */
export function commonHeaders({
  userAgent,
  contact,
  from,
}: Pick<CrawlConfig, 'userAgent' | 'contact' | 'from'>): readonly string[] {
  return [
    'User-Agent',
    contact === undefined ? userAgent : `${userAgent} (+${contact})`,
    'Accept',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding',
    'gzip, br',
    // Some hosts answer 406 without it. English first, where a host has several languages and no URL for
    // each.
    'Accept-Language',
    'en;q=0.8, *;q=0.5',
    ...(from === undefined ? [] : ['From', from]),
  ];
}

/** Names and values in turn; later ones replace earlier ones of that name. */
export function mergeHeaders(ours: readonly string[], ...others: readonly OwnHeaderValues[]): string[] {
  let merged = ours as string[];
  for (const own of others) {
    if (own === undefined) continue;
    const entries = Object.entries(own);
    const taken = new Set(entries.map(([name]) => name.toLowerCase()));
    const before = merged;
    const kept = before.filter((_, i) => !taken.has((before[i - (i % 2)] as string).toLowerCase()));
    merged = [...kept, ...entries.flat()];
  }
  return merged;
}

/**
 * The headers of a request besides `own`, those of the operator. If both have cookies, all are sent; of two of one name, that of
 * the request.
 */
export function withOwnCookies(own: OwnHeaderValues, headers: OwnHeaderValues): OwnHeaderValues {
  const ours = cookieIn(own);
  const given = ours && cookieIn(headers);
  if (!ours || !given || !headers) return headers;
  const names = new Set(given[1].split(';').map(cookieName));
  const kept = ours[1].split(';').filter((one) => !names.has(cookieName(one)));
  return { ...headers, [given[0]]: [...kept, given[1]].map((one) => one.trim()).join('; ') };
}

const cookieIn = (headers: OwnHeaderValues) =>
  headers && Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie');

const cookieName = (pair: string): string => (pair.split('=', 1)[0] as string).trim();
