/** One URL within a turn: fetched, archived, parsed, recorded, and its links taken in. */

import type { RecordLocation } from '../archive/record-location.ts';
import type { FetchedResponse, FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import type { ResponseHead } from '../fetcher/outcome/response-head.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import { judge, type Verdict } from '../frontier/verdict.ts';
import { createDocumentParser, type DocumentFacts, type DocumentParser } from '../parser/document.ts';
import { MAX_SITEMAP_BYTES, MAX_SITEMAP_LINKS } from '../parser/xml-links.ts';
import { robotName } from '../robots/parse-robots.ts';
import { unlessStopped } from '../unless-stopped.ts';
import { createResolver } from '../url/canonical.ts';
import { archivePage } from './archive-page.ts';
import { ask } from './ask.ts';
import { atHost } from './at-host.ts';
import { callHooks } from './call-hooks.ts';
import { canonicalOf } from './canonical-of.ts';
import type { Crawl } from './crawls.ts';
import { droppedText } from './dropped-links.ts';
import { followLocation, followTo, softRedirect } from './follow-redirect.ts';
import {
  countIn,
  countOne,
  countRequest,
  type HostState,
  reading,
  settleUrl,
  wasMade,
} from './host-state.ts';
import { HINT_WORDS, hintOf, wantsSigns } from './page-hints.ts';
import { headersOf, retryAfterOf } from './response-headers.ts';
import type { Services } from './services.ts';
import { isOwnDocument, isWatching, takePage } from './take-page.ts';

/**
 * Fetches `record`, which was taken from the ledger, and settles it. The host's moment must have come, robots.txt
 * must allow it, and unless it is a requisite, a page of the budget must be reserved: it is settled here, too. For a
 * requisite that turns out to be a page, `reserve` reserves one if it can. Returns the record as it was settled.
 */
export async function visit(
  services: Services,
  crawl: Crawl,
  state: HostState,
  given: UrlRecord,
  crawlDelayMs: number | undefined,
  reserve: () => boolean,
): Promise<UrlRecord> {
  const { config } = crawl;
  const { clock } = services.engine;
  let record = given;
  let isReserved = record.kind !== 'requisite';
  let isPage = false;
  try {
    let parser: DocumentParser | undefined;
    // Middleware may fetch more than once: the last head counts.
    const onHead = (head: ResponseHead) => {
      parser = undefined;
      if (head.httpStatus < 200 || head.httpStatus >= 300) return undefined;
      parser = openParser(services, crawl, state, record, head);
      return parser.write;
    };
    const maxBodyBytes = record.kind === 'sitemap' ? MAX_SITEMAP_BYTES : config.maxBodyBytes;
    const request = { url: record.url, onHead, maxBodyBytes };
    const outcome = await ask(services, crawl, state, request, crawlDelayMs);
    const verdict = judge(outcome, record.attempts, config, retryAfterOf(outcome, clock.now()));
    if (wasMade(outcome)) services.stats.requests++;
    if (verdict.hostFailure) services.stats.errors++;
    if (outcome.status === 'failed') countOne(services.stats.failures, outcome.reason);
    countRequest(state, outcome, verdict.hostFailure, { config, crawlDelayMs, random: clock.random() });
    if (outcome.status === 'response') {
      services.stats.bytes += outcome.body.size;
      crawl.budget.receive(outcome.body.size);
    }
    const found = verdict.isFinal ? await reading(state, async () => parser?.end()) : undefined;
    // By the scope as it is now: a seed's redirect may have widened it since the turn began.
    const known = await services.crawls.get(crawl.id);
    const latest = known ? atHost(known, state.host) : crawl;
    if (found && isOwnDocument(latest, record, found) && reserve()) {
      record = { ...record, kind: undefined };
      isReserved = true;
    }
    const end = await settle(services, latest, state, record, outcome, verdict, found);
    isPage = end.isPage;
    const { facts } = end;
    if (facts && outcome.status === 'response')
      await takePage(services, latest, state, record, outcome, facts);
    return end.record;
  } finally {
    if (isReserved) crawl.budget.settle(isPage);
    if (isPage) {
      state.totals.pages++;
      services.stats.pages++;
    }
  }
}

function openParser(
  { work }: Pick<Services, 'work'>,
  { id, config }: Crawl,
  state: HostState,
  record: UrlRecord,
  head: ResponseHead,
): DocumentParser {
  const { url, kind } = record;
  const isSitemap = kind === 'sitemap';
  return createDocumentParser({
    url,
    headers: head.headers,
    maxDecodedBytes: isSitemap ? MAX_SITEMAP_BYTES : config.maxDecodedBytes,
    maxLinks: isSitemap ? MAX_SITEMAP_LINKS : config.maxLinksPerPage,
    resolve: resolver(),
    kind,
    wantsRequisites: config.requisites,
    wantsFeeds: config.feeds,
    wantsTextHash: config.trapAfterPages > 0 && state.traps.wantsText(url) && isWatching({ config }, state),
    wantsSigns: wantsSigns(record, state.totals.pages),
    robotName: robotName(config.userAgent).toLowerCase(),
    around: (parse) => work.run(id, url, 'parse', parse),
  });
}

interface Settled {
  readonly record: UrlRecord;
  readonly isPage: boolean;
  /** What its links are taken from; none of a response that is not final, or of no document. */
  readonly facts?: DocumentFacts;
}

async function settle(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  outcome: FetchOutcome,
  verdict: Verdict,
  found: DocumentFacts | undefined,
): Promise<Settled> {
  if (!verdict.isAttempt) {
    settleUrl(state, record);
    return { record, isPage: false };
  }
  const response = outcome.status === 'response' ? outcome : undefined;
  let page: Reading = { facts: found, state: verdict.state, cause: verdict.cause };
  let location: RecordLocation | undefined;
  if (response) {
    if (verdict.isFinal) {
      const reading = await read(services, crawl, state, record, response, page);
      if (reading === undefined) {
        await response.body.dispose();
        settleUrl(state, record);
        return { record, isPage: false };
      }
      page = withDroppedLinks(reading);
      location = await archivePage(services, crawl, state, record, response, page.facts);
    }
    await response.body.dispose();
  }
  if (page.state === 'failed' && services.hooks) {
    const told = services.hooks.onError(record.url, page.cause ?? `HTTP ${response?.httpStatus}`);
    await unlessStopped(told, services.stopping, services.engine.clock);
  }
  const received = verdict.isFinal ? response : undefined;
  const contentType = page.facts?.mimeType?.slice(0, MAX_TYPE_CHARS) ?? (response && mediaType(response));
  const settled: UrlRecord = {
    ...record,
    state: page.state,
    attempts: record.attempts + 1,
    dueAt: dueAtOf(verdict, state, services.engine.clock.now()),
    result: {
      fetchedAt: outcome.startedAt,
      httpStatus: response?.httpStatus,
      contentType,
      digest: received?.body.sha1,
      location,
      bodyBytes: received?.body.size,
      tookMs: received && received.endedAt - received.startedAt,
      cause: page.cause,
      canonical: page.canonical,
    },
  };
  // A login page is not what the operator asked for.
  settleUrl(state, settled, page.cause === HINT_WORDS.login ? 'login' : undefined);
  const isAnswer = verdict.isFinal && response !== undefined && page.state !== 'redirect';
  if (isAnswer && record.kind === 'requisite') countIn(state, 'requisites', 'fetched');
  return { record: settled, isPage: isAnswer && record.kind === undefined, facts: page.facts };
}

/** Says of a page that links of it were left out, before what else there is to say of it. */
function withDroppedLinks(page: Reading): Reading {
  const dropped = page.facts && droppedText(page.facts);
  if (dropped === undefined || page.state !== 'fetched') return page;
  return { ...page, cause: page.cause === undefined ? dropped : `${dropped}; ${page.cause}` };
}

interface Reading {
  readonly facts?: DocumentFacts | undefined;
  readonly state: Verdict['state'];
  readonly cause?: string | undefined;
  /** The page counts as a copy of this one. */
  readonly canonical?: string | undefined;
}

/**
 * What the response says of itself: that it leads elsewhere, is another's duplicate, or is for nobody's index. Undefined
 * if the worker is being stopped and a hook has not ended: the page waits for the next session.
 */
async function read(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  response: FetchedResponse,
  { facts: found, state: verdict, cause }: Reading,
): Promise<Reading | undefined> {
  if (verdict === 'redirect') {
    const to = await followLocation(services, crawl, state, record, response);
    return { facts: found, state: verdict, cause: to };
  }
  if (found === undefined || record.kind === 'sitemap')
    return { facts: found, state: verdict, cause: cause ?? found?.fault };
  const target = softRedirect(crawl, record, found);
  if (target !== undefined) {
    const to = await followTo(services, crawl, state, record, target);
    return { facts: found, state: 'redirect', cause: `${to} (meta refresh)` };
  }
  const canonical = await canonicalOf(services, crawl, state, record, found);
  const isHidden = crawl.config.obeyNoindex && found.robots.noindex;
  const hint = verdict === 'fetched' ? hintOf(record, found) : undefined;
  const told = hint === undefined ? cause : (cause ?? HINT_WORDS[hint]);
  const remark = canonical ? remarkOf(canonical) : isHidden ? 'noindex' : told;
  const forItems = !canonical && !isHidden && record.kind === undefined;
  const hooked = await callHooks(services, crawl, state, record, { response, facts: found, forItems });
  if (hooked === undefined) return undefined;
  if (hint !== undefined) countIn(state, 'hints', hint);
  return { facts: hooked.facts, state: verdict, cause: remark ?? hooked.error, canonical };
}

const remarkOf = (canonical: string): string => `its canonical URL is ${canonical}`;

/** When a URL that is to be tried again may be: 0, at the host's pace, if nothing else speaks against it. */
function dueAtOf({ state, retryMs }: Verdict, { clock }: HostState, now: number): number {
  return state === 'waiting' && retryMs > 0 ? Math.max(now, clock.nextFetchAt) + retryMs : 0;
}

/** Resolves references to canonical URLs, with one resolver for each base. */
function resolver(): (reference: string, base: string) => string | undefined {
  let lastBase: string | undefined;
  let resolve = (_: string): string | undefined => undefined;
  return (reference, base) => {
    if (base !== lastBase) {
      lastBase = base;
      resolve = createResolver(base);
    }
    return resolve(reference);
  };
}

const MAX_TYPE_CHARS = 100;

function mediaType(response: FetchedResponse): string | undefined {
  const type = headersOf(response, 'content-type')[0]?.split(';', 1)[0];
  return type?.trim().toLowerCase().slice(0, MAX_TYPE_CHARS) || undefined;
}
