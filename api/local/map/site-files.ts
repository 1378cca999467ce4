/** Reads the files of a site that name URLs: each is parsed while it arrives. */
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { boundedText } from '../../../shared/core/causes/cause.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import { causeOfFailure } from '../../../shared/core/frontier/verdict.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import { fieldValues, type ResponseHead } from '../../../shared/core/outcome/response-head.ts';
import {
  createDocumentParser,
  type DocumentFacts,
  type DocumentParser,
} from '../../../shared/core/parser/document.ts';
import { essenceOf } from '../../../shared/core/parser/media-type.ts';
import { MAX_SITEMAP_BYTES, MAX_SITEMAP_LINKS } from '../../../shared/core/parser/xml-links.ts';
import { robotName } from '../../../shared/core/robots/parse-robots.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { fieldReference } from '../../../shared/core/url/field-reference.ts';
import type { SiteRequests } from './site-requests.ts';
import type { SiteRules } from './site-rules.ts';

/** `page`: by its type. `list`: Markdown, whatever its type says, unless it is HTML. */
export type FileKind = 'page' | 'sitemap' | 'list';

export interface ReadFile {
  /** After redirects. */
  readonly url: string;
  readonly facts: DocumentFacts;
}

/** Why a file could not be read. */
export interface UnreadFile {
  readonly url: string;
  readonly cause: Cause;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export class SiteFiles {
  readonly #config: CrawlConfig;
  readonly #requests: SiteRequests;
  readonly #rules: SiteRules;

  constructor(config: CrawlConfig, requests: SiteRequests, rules: SiteRules) {
    this.#config = config;
    this.#requests = requests;
    this.#rules = rules;
  }

  /** Follows redirects to URLs that `mayFollow`. Throws `PageNotRead` if a host on the way cannot be requested. */
  async read(
    first: string,
    kind: FileKind,
    mayFollow: (url: string) => boolean,
  ): Promise<ReadFile | UnreadFile> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      await this.#rules.of(url);
      const refusal = this.#rules.refusalOf(url, kind === 'sitemap');
      if (refusal) return { url, cause: refusal };
      const { outcome, facts } = await this.#fetch(url, kind);
      if (outcome.status === 'failed') return { url, cause: causeOfFailure(outcome) };
      if (facts) return { url, facts };
      const to = locationOf(url, outcome);
      if (to === undefined) return { url, cause: { code: 'httpStatus', httpStatus: outcome.httpStatus } };
      if (redirects >= this.#config.maxRedirects)
        return { url, cause: { code: 'redirect', to, notFollowed: 'redirects', redirects } };
      if (!mayFollow(to)) return { url, cause: { code: 'redirect', to, notFollowed: 'otherSite' } };
      url = to;
    }
  }

  async #fetch(url: string, kind: FileKind): Promise<{ outcome: FetchOutcome; facts?: DocumentFacts }> {
    let parser: DocumentParser | undefined;
    const onHead = (head: ResponseHead) => {
      parser = head.httpStatus >= 200 && head.httpStatus < 300 ? this.#parserOf(url, kind, head) : undefined;
      return parser?.write;
    };
    const maxBodyBytes = kind === 'sitemap' ? MAX_SITEMAP_BYTES : this.#config.maxBodyBytes;
    const outcome = await this.#requests.exchange({ url, onHead, maxBodyBytes });
    if (outcome.status === 'response') await outcome.body.dispose();
    const facts = await parser?.end();
    return { outcome, ...(facts && outcome.status === 'response' && { facts: cutIn(outcome, facts) }) };
  }

  #parserOf(url: string, kind: FileKind, { headers }: ResponseHead): DocumentParser {
    const { feeds, maxDecodedBytes, maxLinksPerPage, userAgent } = this.#config;
    const isSitemap = kind === 'sitemap';
    return createDocumentParser({
      url,
      headers: kind === 'list' ? asMarkdown(headers) : headers,
      maxDecodedBytes: isSitemap ? MAX_SITEMAP_BYTES : maxDecodedBytes,
      maxLinks: isSitemap ? MAX_SITEMAP_LINKS : maxLinksPerPage,
      ...(isSitemap && { kind: 'sitemap' as const }),
      wantsFeeds: feeds,
      robotName: robotName(userAgent).toLowerCase(),
    });
  }
}

/** A body that broke off is one with a fault. */
function cutIn({ truncated }: FetchOutcome & { status: 'response' }, facts: DocumentFacts): DocumentFacts {
  if (truncated !== 'time' && truncated !== 'disconnect') return facts;
  return { ...facts, isWhole: false, fault: facts.fault ?? causeText({ code: 'bodyBrokeOff', truncated }) };
}

/** Many sites answer any URL with a page. */
function asMarkdown(headers: ResponseHead['headers']): ResponseHead['headers'] {
  const type = essenceOf(fieldValues(headers, 'content-type').at(-1));
  if (type === 'text/html' || type === 'application/xhtml+xml')
    return [['content-type', 'application/octet-stream']];
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return [...others, ['content-type', 'text/markdown; charset=utf-8']];
}

function locationOf(
  url: string,
  { httpStatus, headers }: { readonly httpStatus: number; readonly headers: ResponseHead['headers'] },
): string | undefined {
  const field = REDIRECTS.has(httpStatus) ? fieldValues(headers, 'location')[0] : undefined;
  return field === undefined ? undefined : canonicalize(fieldReference(boundedText(field)), url);
}
