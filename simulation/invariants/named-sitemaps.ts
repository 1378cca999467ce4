/** The sitemaps that a crawl must have met, and those that it may have: by the files that the web served. */
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { hostKey, origin } from '../../shared/core/url/host-key.ts';
import { domainOf } from '../../shared/core/url/registrable-domain.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import type { RobotsAnswer, RobotsLog } from './robots-answers.ts';
import { scopeOf } from './scope.ts';

/** A robots.txt, an index or a redirect that leads to a sitemap. */
export interface SitemapSource {
  /** The URL of the list; of robots.txt, on the host that it was asked for. */
  readonly from: string;
  /** How many indexes led to the sitemap. */
  readonly depth: number;
  readonly redirects: number;
  /** Whether a turn that has read the source was surely committed. */
  readonly isRead: boolean;
}

/** An index of this depth may name no further sitemap (`turn/links/sitemap-links.ts`). */
const MAX_NESTING = 3;

/**
 * Returns the sources of each sitemap that the crawl's settings let it take; those that it is given are their own. `seeds`: what
 * its scope is drawn around.
 * A sitemap of another site than its source is one only where the scope contains its host.
 */
export function sitemapsOf(
  crawl: CrawlFacts,
  web: Facts['web'],
  robots: RobotsLog,
  seeds: readonly string[] = crawl.seeds,
): Map<string, SitemapSource[]> {
  const sources = new Map<string, SitemapSource[]>();
  const { config, known } = crawl;
  const scope = scopeOf(config, seeds);
  const add = (url: string, source: SitemapSource) => {
    const isOwn = domainOf(hostKey(url)) === domainOf(hostKey(source.from)) || scope.hasHost(url);
    if (!isOwn || !scope.acceptsSeed(url)) return;
    const some = sources.get(url);
    if (some) some.push(source);
    else sources.set(url, [source]);
  };
  for (const url of config.sitemapUrls) add(url, { from: url, depth: 0, redirects: 0, isRead: true });
  const takesNamed = config.sitemaps !== 'off' && config.scope !== 'page' && config.maxDepth !== 0;
  for (const [from, records] of Map.groupBy(takesNamed ? known.values() : [], ({ url }) => origin(url))) {
    if (!scope.hasHost(`${from}/`)) continue;
    const answers = heardBy(crawl, robots.answersOf(from));
    const files = answers.map((answer) => namedIn(answer, from, crawl, web));
    // A host that is visited for another one's robots.txt takes in what that names, too.
    for (const { request } of answers)
      if (origin(request.url) !== from)
        for (const url of web.sitemapsNamedIn(request.url))
          add(url, { from: `${origin(request.url)}/robots.txt`, depth: 0, redirects: 0, isRead: false });
    // Those of another host's file are that host's to take in, if it is of the crawl.
    const isByOther = answers.some(
      ({ request: { url } }) => hostKey(url) !== hostKey(`${from}/`) && scope.hasHost(url),
    );
    const isRead = records.some(isSettled) && !isByOther;
    const wellKnown = isByOther && config.sitemaps === 'find' ? [`${from}/sitemap.xml`] : [];
    for (const url of new Set([...files.flat(), ...wellKnown]))
      add(url, {
        from: `${from}/robots.txt`,
        depth: 0,
        redirects: 0,
        isRead: isRead && files.every((named) => named.includes(url)),
      });
  }
  for (const { url, kind, state, depth, redirects } of known.values()) {
    const target = kind === 'sitemap' && state === 'redirect' ? web.redirectOf(url) : undefined;
    if (target !== undefined && redirects < config.maxRedirects)
      add(target, { from: url, depth, redirects: redirects + 1, isRead: true });
    if (state !== 'fetched' || !web.isIndex(url)) continue;
    const nesting = kind === 'sitemap' ? depth + 1 : 1;
    if (nesting > MAX_NESTING) continue;
    for (const entry of web.linksOf(url))
      add(entry, { from: url, depth: nesting, redirects: 0, isRead: isWholeIndex(url, web) });
  }
  return sources;
}

/** Whether the sitemap says that the page was modified too long ago for the crawl. */
export function isTooOld(
  { config }: Pick<CrawlFacts, 'config'>,
  sitemap: string,
  url: string,
  web: Pick<Facts['web'], 'modifiedIn'>,
): boolean {
  const modifiedAt = config.modifiedSince === undefined ? undefined : web.modifiedIn(sitemap, url);
  return modifiedAt !== undefined && modifiedAt < Date.parse(config.modifiedSince as string);
}

/** Robots rules that the crawl has heard: of another crawl's requests it learns nothing. */
const heardBy = ({ config }: CrawlFacts, answers: readonly RobotsAnswer[]): RobotsAnswer[] =>
  answers.filter(
    ({ kind, request: { contact } }) =>
      kind !== 'nothing' && (contact === undefined || contact === config.contact),
  );

function namedIn(
  { kind, request }: RobotsAnswer,
  from: string,
  { config }: CrawlFacts,
  web: Facts['web'],
): readonly string[] {
  const named = kind === 'rules' ? web.sitemapsNamedIn(request.url) : [];
  return named.length === 0 && config.sitemaps === 'find' ? [`${from}/sitemap.xml`] : named;
}

/** The rules of its origin were known to the turn that settled it, and were committed with it or before. */
const isSettled = ({ kind, state, result }: UrlRecord): boolean =>
  kind !== 'requisite' &&
  (state === 'deniedByRobots' || (state !== 'waiting' && result?.httpStatus !== undefined));

/** An index that broke off when it was served is not judged. */
const isWholeIndex = (url: string, { log }: Facts['web']): boolean =>
  log.every((request) => request.url !== url || request.isCut !== true);
