import {
  areAlike,
  decodeNotFoundPage,
  encodeNotFoundPage,
  isNotFoundPage,
  type NotFoundPage,
  notFoundPage,
  wordsOf,
} from '../../../core/alike/not-found-page.ts';
import { probeUrl } from '../../../core/alike/probe-url.ts';
import { mixHash } from '../../../core/base/mix-hash.ts';
import type { Sizes } from '../../../core/base/sizes.ts';
import type { Cause } from '../../../core/causes/cause.ts';
import { isRecrawling } from '../../../core/crawl/config.ts';
import type { HostSoft404 } from '../../../core/frontier/head.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { isSeedRecord } from '../../../core/frontier/rank.ts';
import { countUrls, type UrlRecord } from '../../../core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import type { HashedBlocks } from '../../../core/parser/hashed-blocks.ts';
import { pathOf } from '../../../core/url/host-key.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** Known pages with different texts before the probe. */
const MIN_DIFFERENT = 3;
/** Pages that a turn remembers for that. If most are alike, a page of the host says nothing by its text. */
const MAX_PAGES = 12;
/** A crawl that recrawls probes again after this time. */
const PROBE_AGAIN_MS = 30 * 86_400_000;

/** A page of this turn. */
interface SeenPage {
  readonly record: UrlRecord;
  readonly blocks: HashedBlocks;
  readonly words: ReadonlySet<number>;
}

/** A page of the turns before, by hashes of its URL and of its words. */
type EarlyPage = readonly [url: number, words: number];

/** The host's answer to a URL under which nothing stands. */
export type ProbeAnswer =
  /** Not by 200, or as pages can do that are there: nothing is to be recognized by it. */
  | { readonly kind: 'honest' | 'unknown' }
  /** `to`: canonical. */
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'page'; readonly blocks: HashedBlocks };

export interface Soft404Options {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  /** As it stands in the host's head. */
  readonly stored: HostSoft404 | undefined;
  /** The turn is a quarantine turn. */
  readonly isAnnouncing: boolean;
  readonly now: number;
  readonly sizes: Pick<Sizes, 'minProbeUrls'>;
}

/**
 * Recognizes answers by which a page does not exist though the status says otherwise (soft 404): by the response to a
 * URL that does not exist (the probe). A host is probed when it has enough URLs, and three different pages are known.
 */
export class Soft404 {
  readonly #options: Soft404Options;
  #state: HostSoft404 | undefined;
  #page: NotFoundPage | undefined;
  #isAsked = false;
  /** The pages of this turn before the probe. */
  #pages: SeenPage[] = [];
  /** The number of different ones among these. */
  #different = 0;
  readonly #early: readonly EarlyPage[];

  constructor(options: Soft404Options) {
    const { crawl, stored, now, isAnnouncing } = options;
    this.#options = options;
    const isOld = stored !== undefined && isRecrawling(crawl.config) && now - stored.at > PROBE_AGAIN_MS;
    this.#state = isOld ? undefined : stored;
    this.#early = this.#state?.early ?? [];
    this.#page = this.#state?.page === undefined ? undefined : decodeNotFoundPage(this.#state.page);
    // Perhaps the response kills the workers: the host is not probed again.
    if (isAnnouncing && this.#mayAsk) this.#state = { kind: 'unknown', at: now };
  }

  /** The field of the next head. */
  state(): HostSoft404 | undefined {
    if (this.#pages.length === 0) return this.#state;
    const pages = this.#pages.map(
      ({ record, words }) => [hashOfUrl(record.url), hashOfWords(words)] as const,
    );
    return { kind: 'unasked', at: this.#options.now, early: [...this.#early, ...pages].slice(0, MAX_PAGES) };
  }

  /** Whether the text of this page is requested. */
  wantsBlocks({ kind, url }: UrlRecord): boolean {
    if (kind !== undefined || isOwnRequest(url) || !this.#options.crawl.config.soft404) return false;
    return this.#page !== undefined || (this.#mayAsk && this.#pages.length < MAX_PAGES);
  }

  /** Why the page is gone, if it is as the one of the probe. Seeds and front pages are never gone. */
  causeOf(record: UrlRecord, facts: DocumentFacts): Cause | undefined {
    const { blocks, isWhole } = facts;
    if (!this.#page || !this.#state || !blocks || !isWhole || !mayBeGone(record)) return undefined;
    if (!this.wantsBlocks(record) || !isNotFoundPage(blocks, record.url, this.#page)) return undefined;
    return { code: 'softNotFound', probe: this.#state.probe ?? '' };
  }

  /** Whether the redirect leads where the host redirects to from a URL under which nothing stands. */
  isNotFound(record: UrlRecord, to: string): boolean {
    const { crawl } = this.#options;
    return crawl.config.soft404 && this.#state?.to === withoutQuery(to) && !isSeedRecord(record);
  }

  /** Remembers a page that was fetched and settled. */
  remember(record: UrlRecord, { blocks, isWhole }: DocumentFacts): void {
    if (!blocks || !isWhole || record.state !== 'fetched' || this.#page || !this.wantsBlocks(record)) return;
    const words = wordsOf(blocks, record.url);
    if (!this.#pages.some((page) => areAlike(page.words, words))) this.#different++;
    this.#pages.push({ record, blocks, words });
  }

  /** Whether a probe is to be sent now. */
  get hasProbe(): boolean {
    return this.#different >= MIN_DIFFERENT && !this.#isAsked && this.#mayAsk;
  }

  /** The URL of the probe to send now, once; undefined: none. */
  takeProbe(): string | undefined {
    if (!this.hasProbe) return undefined;
    this.#isAsked = true;
    const { crawl } = this.#options;
    const deepest = this.#pages.reduce((a, b) => (depthOf(b.record.url) > depthOf(a.record.url) ? b : a));
    const url = probeUrl(deepest.record.url, `${crawl.id} ${crawl.host}`);
    return crawl.scope.check(url, deepest.record.depth) === undefined ? url : undefined;
  }

  /**
   * Takes the answer to the probe. Returns the pages of this turn that match it, with their cause. Without a response,
   * a later turn probes.
   */
  answer(probe: string, answer: ProbeAnswer, now: number): { record: UrlRecord; cause: Cause }[] {
    const pages = this.#pages;
    this.#pages = [];
    const { kind } = answer;
    if (kind === 'redirect') {
      const name = /[a-z]{14}/.exec(probe.slice(probe.lastIndexOf('/', probe.length - 2)))?.[0] ?? probe;
      // It leads to another form of the same URL, or to a page about it.
      const isOfUrl = withoutQuery(answer.to).includes(name);
      this.#state = isOfUrl
        ? { kind: 'unknown', at: now }
        : { kind, at: now, probe, to: withoutQuery(answer.to) };
      return [];
    }
    this.#state = { kind: kind === 'page' ? 'unknown' : kind, at: now };
    if (kind !== 'page') return [];
    const words = wordsOf(answer.blocks, probe);
    const others = pages.filter((page) => !areAlike(page.words, words));
    const found = notFoundPage(
      answer.blocks,
      probe,
      others.map(({ blocks }) => blocks),
    );
    const isOne = ({ record, blocks }: SeenPage) =>
      found !== undefined && isNotFoundPage(blocks, record.url, found);
    // If one of the others matches, they do not count as evidence.
    if (found === undefined || others.length < MIN_DIFFERENT - 1 || others.some(isOne)) return [];
    this.#state = { kind, at: now, probe, page: encodeNotFoundPage(found) };
    this.#page = found;
    const alike = pages.filter(isOne).map(({ record }) => record);
    return [...alike, ...this.#earlyWith(hashOfWords(words))]
      .filter(mayBeGone)
      .map((record) => ({ record, cause: { code: 'softNotFound', probe } }));
  }

  /** Pages of earlier turns with the same words, as far as they are in memory: the host's newest ones. */
  #earlyWith(words: number): UrlRecord[] {
    const urls = new Set(this.#early.filter(([, own]) => own === words).map(([url]) => url));
    if (urls.size === 0) return [];
    const isOne = ({ state, url }: UrlRecord) => state === 'fetched' && urls.has(hashOfUrl(url));
    return [...this.#options.ledger.inMemory()].filter(isOne);
  }

  /** Whether the host is large enough, and was not probed. A crawl of a few pages does not probe. */
  get #mayAsk(): boolean {
    const { crawl, ledger, sizes } = this.#options;
    const { soft404, scope, maxPages = Infinity, maxPagesPerHost = Infinity } = crawl.config;
    if ((this.#state !== undefined && this.#state.kind !== 'unasked') || !soft404 || scope === 'page')
      return false;
    const { minProbeUrls } = sizes;
    return Math.min(maxPages, maxPagesPerHost) >= minProbeUrls && countUrls(ledger.counts) >= minProbeUrls;
  }
}

const mayBeGone = (record: UrlRecord): boolean =>
  !isSeedRecord(record) && !FRONT_PAGE.test(pathOf(withoutQuery(record.url)));

/** A host that answers with its front page has that, too. */
const FRONT_PAGE = /^\/(?:index|default|home|start)?(?:\.[a-z]{1,8})?\/?$/i;

const hashOfWords = (words: ReadonlySet<number>): number =>
  [...words].sort((a, b) => a - b).reduce((hash, word) => mixHash(Math.imul(hash, 31) + word), words.size);

const withoutQuery = (url: string): string => url.split('?', 1)[0] as string;

const depthOf = (url: string): number => withoutQuery(url).split('/').length;
