import { boundedText, shownCodeOf } from '../../../shared/core/causes/cause.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import { createScope, type Scope } from '../../../shared/core/crawl/scope.ts';
import { type HtmlLink, isRequisite } from '../../../shared/core/parser/link-set.ts';
import { absoluteLoc } from '../../../shared/core/url/absolute-loc.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { fingerprint } from '../../../shared/core/url/fingerprint.ts';
import { type HostKey, hostKey, origin as originOf } from '../../../shared/core/url/host-key.ts';
import { isSameSite } from '../../../shared/core/url/same-site.ts';
import { createUrlRules } from '../../../shared/core/url/url-rules.ts';
import { MAX_NAMED_SITEMAPS, MAX_SITEMAP_NESTING } from '../../../shared/crawler/turn/links/sitemap-links.ts';
import type { MappedUrl, MapSkip, MapSource } from '../../map-options.ts';
import { PageNotRead } from '../page-not-read.ts';
import type { FileKind, ReadFile, SiteFiles } from './site-files.ts';
import type { SiteRules } from './site-rules.ts';

/** Sitemaps of one map. */
const MAX_SITEMAPS = 1000;
const MAX_FEEDS = 10;
/** Entries that are looked at. A site may name any number that are left out. */
const MAX_ENTRIES = 5_000_000;

const TOO_DEEP = `indexes of sitemaps more than ${MAX_SITEMAP_NESTING} deep`;

export interface SiteWalkOptions {
  readonly config: CrawlConfig;
  /** Canonical. */
  readonly start: string;
  /** Sitemaps that the operator names, canonical. */
  readonly sitemaps: readonly string[];
  readonly sources: ReadonlySet<MapSource>;
  readonly limit: number;
  /** Whether the URL is one that was searched for. */
  readonly matches: (url: string) => boolean;
  readonly rules: SiteRules;
  readonly files: SiteFiles;
  readonly skip: (skipped: MapSkip) => void;
}

interface WaitingSitemap {
  readonly url: string;
  readonly via: string;
  readonly nesting: number;
  /** Nobody says that it is there. */
  readonly isGuess?: boolean;
}

/** Reads the files of a site that name its URLs, one after the other. */
export class SiteWalk {
  readonly #options: SiteWalkOptions;
  readonly #nameOf: (url: string) => string;
  readonly #modifiedSince: number;
  readonly #seen = new Set<number>();
  readonly #print = new Uint32Array(2);
  readonly #scopeSeeds: string[];
  #scope: Scope;
  #hasRead = false;
  /** The first one. */
  #fault: string | undefined;
  #entries = 0;
  #count = 0;
  /** Hosts of the URLs that were found. */
  readonly hosts = new Set<HostKey>();
  /** The walk ended at a limit. */
  hasMore = false;

  constructor(options: SiteWalkOptions) {
    const { config, start } = options;
    this.#options = options;
    this.#nameOf = createUrlRules(config.urlRules);
    this.#modifiedSince = config.modifiedSince === undefined ? 0 : Date.parse(config.modifiedSince);
    this.#scopeSeeds = [start];
    this.#scope = createScope(config, this.#scopeSeeds);
  }

  /** Throws {@link PageNotRead} if no file of the site can be read. */
  async *urls(): AsyncGenerator<MappedUrl, void> {
    const { sources, rules, start } = this.#options;
    this.#join((await rules.of(start)).from);
    const wantsPage = sources.has('links') || (sources.has('feeds') && this.#options.config.feeds);
    const page = wantsPage ? await this.#startPage() : undefined;
    if (page && sources.has('links')) yield* this.#ofPage(page);
    const home = page?.url ?? start;
    if (sources.has('sitemaps')) yield* this.#ofSitemaps(home);
    if (page && sources.has('feeds')) yield* this.#ofFeeds(page);
    if (sources.has('llms') && !this.hasMore) yield* this.#ofLlms(home);
    if (!this.#hasRead) throw new PageNotRead(this.#fault ?? `${start} names no URLs`);
  }

  /** A host of the site to which the start leads belongs to the crawl, too. */
  #join(url: string): void {
    if (this.#scope.hasHost(hostKey(url)) || !isSameSite(url, this.#options.start)) return;
    this.#widen(`${originOf(url)}/`);
  }

  #widen(seed: string): void {
    this.#scopeSeeds.push(seed);
    this.#scope = createScope(this.#options.config, this.#scopeSeeds);
  }

  /** A start that leads to another site takes that one in, as a seed of a crawl does. */
  async #startPage(): Promise<ReadFile | undefined> {
    const { start } = this.#options;
    const page = await this.#read({ url: start, via: start }, 'page', () => true);
    if (page && !this.#scope.hasHost(hostKey(page.url))) this.#widen(page.url);
    return page;
  }

  *#ofPage({ url, facts }: ReadFile): Generator<MappedUrl> {
    const { obeyNofollow } = this.#options.config;
    yield* this.#take({ url, kind: 'a' }, url, 'links', 0);
    if (obeyNofollow && facts.robots.nofollow) return;
    for (const link of facts.links) {
      if (isRequisite(link.kind) || link.kind === 'feed' || link.kind === 'sitemap') continue;
      if (obeyNofollow && link.nofollow) this.#skip(link.url, url, 'nofollow', 'the link says nofollow');
      else yield* this.#take(link, url, 'links', 1);
    }
  }

  async *#ofSitemaps(home: string): AsyncGenerator<MappedUrl> {
    const { config, sitemaps: given, rules } = this.#options;
    if (config.sitemaps === 'off') return;
    const { sitemaps: named, from } = await rules.of(home);
    const waiting: WaitingSitemap[] = given.map((url) => ({ url, via: url, nesting: 0 }));
    for (const reference of named.slice(0, MAX_NAMED_SITEMAPS))
      this.#addSitemap(waiting, absoluteLoc(reference, from), from, 0);
    if (named.length === 0 && config.sitemaps === 'find')
      waiting.push({ url: `${originOf(home)}/sitemap.xml`, via: from, nesting: 0, isGuess: true });
    const most = Math.min(MAX_SITEMAPS, config.maxSitemapsPerHost);
    for (let i = 0; i < waiting.length && !this.hasMore; i++) {
      const sitemap = waiting[i]!;
      if (i === most) return this.#endAt(sitemap.url, sitemap.via, `more than ${most} sitemaps`);
      yield* this.#ofSitemap(sitemap, waiting);
    }
  }

  async *#ofSitemap(sitemap: WaitingSitemap, waiting: WaitingSitemap[]): AsyncGenerator<MappedUrl> {
    const file = await this.#read(sitemap, 'sitemap', (to) => this.#isOwn(to, sitemap.url));
    if (file === undefined) return;
    const { url, facts } = file;
    // Many sites answer any URL with a page.
    const isPage = sitemap.isGuess === true && facts.links.length === 0;
    if (facts.fault && !isPage) this.#skip(url, sitemap.via, 'badDocument', facts.fault);
    for (const entry of facts.links) {
      if (entry.kind === 'sitemap') this.#addSitemap(waiting, entry.url, url, sitemap.nesting + 1);
      else yield* this.#take(entry, url, 'sitemaps', 1);
      if (this.hasMore) return;
    }
  }

  /** As a crawl takes them in: of the site, at most some levels of indexes deep, each once. */
  #addSitemap(waiting: WaitingSitemap[], reference: string, via: string, nesting: number): void {
    const url = canonicalize(reference, via);
    if (url === undefined) this.#skip(reference, via, 'badUrl', 'no http or https URL');
    else if (nesting > MAX_SITEMAP_NESTING) this.#skip(url, via, 'sitemapNesting', TOO_DEEP);
    else if (!this.#isOwn(url, via)) this.#skip(url, via, 'scope', 'a sitemap of another site');
    else if (waiting.length <= MAX_SITEMAPS && !waiting.some((one) => one.url === url))
      waiting.push({ url, via, nesting });
  }

  #isOwn(url: string, from: string): boolean {
    return isSameSite(url, from) || this.#scope.hasHost(hostKey(url));
  }

  /** The feeds of the site that the start page names. */
  async *#ofFeeds(page: ReadFile): AsyncGenerator<MappedUrl> {
    const { config } = this.#options;
    const named = page.facts.links.filter(
      ({ kind, nofollow }) => kind === 'feed' && !(config.obeyNofollow && nofollow),
    );
    const urls = new Set(named.map(({ url }) => canonicalize(url)).filter((url) => url !== undefined));
    for (const [i, feed] of [...urls].entries()) {
      if (this.hasMore) return;
      if (i === MAX_FEEDS) return this.#skip(feed, page.url, 'limit', `more than ${MAX_FEEDS} feeds`);
      if (!this.#isOwn(feed, page.url)) this.#skip(feed, page.url, 'scope', 'a feed of another site');
      else yield* this.#ofFeed(feed, page.url);
    }
  }

  async *#ofFeed(feed: string, via: string): AsyncGenerator<MappedUrl> {
    const file = await this.#read({ url: feed, via }, 'page', (to) => this.#isOwn(to, via));
    for (const link of file?.facts.links ?? [])
      if (link.kind === 'item') yield* this.#take(link, file!.url, 'feeds', 1);
  }

  async *#ofLlms(home: string): AsyncGenerator<MappedUrl> {
    const url = `${originOf(home)}/llms.txt`;
    const file = await this.#read({ url, via: home, isGuess: true }, 'list', (to) => this.#isOwn(to, home));
    if (file === undefined) return;
    for (const link of file.facts.links) {
      yield* this.#take(link, file.url, 'llms', 1);
      if (this.hasMore) return;
    }
  }

  /** Undefined if it cannot be read, which is reported, unless it was a guess and is not there. */
  async #read(
    { url, via, isGuess }: Pick<WaitingSitemap, 'url' | 'via' | 'isGuess'>,
    kind: FileKind,
    mayFollow: (url: string) => boolean,
  ): Promise<ReadFile | undefined> {
    try {
      const file = await this.#options.files.read(url, kind, mayFollow);
      if ('facts' in file) {
        this.#hasRead = true;
        return file;
      }
      const { cause } = file;
      this.#fault ??= `${url} was not read: ${causeText(cause)}`;
      const isMissing = cause.code === 'httpStatus' && cause.httpStatus < 500;
      if (!isGuess || !isMissing) this.#skip(url, via, shownCodeOf(cause), causeText(cause));
    } catch (error) {
      if (!(error instanceof PageNotRead)) throw error;
      this.#fault ??= error.message;
      this.#skip(url, via, 'hostFailed', error.message);
    }
    return undefined;
  }

  /** The URL, unless it is known, left out or not searched for. */
  *#take(link: HtmlLink, via: string, source: MapSource, depth: number): Generator<MappedUrl> {
    const { limit, matches } = this.#options;
    const canonical = canonicalize(link.url);
    const url = canonical && this.#nameOf(canonical);
    if (url === undefined || this.hasMore || this.#isKnown(url)) return;
    if (++this.#entries > MAX_ENTRIES) return this.#endAt(url, via, `more than ${MAX_ENTRIES} URLs`);
    const { modifiedAt } = link;
    const refusal = this.#refusalOf(url, depth, modifiedAt);
    if (refusal) this.#skip(url, via, ...refusal);
    if (refusal ?? !matches(url)) return;
    if (this.#count >= limit) return this.#endAt(url, via, `more than ${limit} URLs`);
    this.#count++;
    this.hosts.add(hostKey(url));
    const lastModified = modifiedAt === undefined ? undefined : new Date(modifiedAt).toISOString();
    yield { url, ...(lastModified !== undefined && { lastModified }), source, via };
  }

  #refusalOf(url: string, depth: number, modifiedAt?: number): [reason: string, text: string] | undefined {
    if (modifiedAt !== undefined && modifiedAt < this.#modifiedSince)
      return ['notModified', 'not modified since'];
    const isSeed = depth === 0;
    const reason = this.#scope.check(url, depth, isSeed);
    if (reason) return [reason, this.#scope.explain(url, depth, isSeed).rule];
    const cause = this.#options.rules.refusalOf(url);
    return cause && [cause.code, causeText(cause)];
  }

  #endAt(url: string, via: string, text: string): void {
    this.hasMore = true;
    this.#skip(url, via, 'limit', text);
  }

  /** By 53 bits of its fingerprint: two of a million URLs share them with probability 6e-5. */
  #isKnown(url: string): boolean {
    fingerprint(url, this.#print, 0);
    const key = this.#print[0]! * 2 ** 21 + (this.#print[1]! >>> 11);
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #skip(url: string, via: string, reason: string, text: string): void {
    this.#options.skip({ url: boundedText(url), via, reason, text });
  }
}
