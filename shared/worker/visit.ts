/** One URL within a turn: fetched, archived, parsed, recorded, and its links taken in. */
import { encodeCapture } from '../archive/capture.ts';
import type { Link } from '../frontier/message.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import { judge, type Verdict } from '../frontier/verdict.ts';
import { createDocumentParser, type DocumentFacts } from '../parser/document.ts';
import type { FetchedResponse, FetchOutcome, RecordLocation, ResponseHead } from '../ports.ts';
import { canonicalize, createResolver } from '../url/canonical.ts';
import { hostKey } from '../url/host-key.ts';
import { registrableDomain } from '../url/registrable-domain.ts';
import { ask } from './ask.ts';
import type { Crawl } from './crawls.ts';
import { addOutLink, countOne, countRequest, type HostState, reading } from './host-state.ts';
import { headersOf, retryAfterOf } from './response-headers.ts';
import type { Services } from './services.ts';

/**
 * Fetches `record`, which was taken from the ledger, and settles it. The host's moment must have come, robots.txt
 * must allow it, and a page of the budget must be reserved: it is settled here, too.
 */
export async function visit(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  crawlDelayMs: number | undefined,
): Promise<void> {
  const { config } = crawl;
  const { clock } = services.engine;
  let isPage = false;
  try {
    let parser: ReturnType<typeof createDocumentParser> | undefined;
    const onHead = (head: ResponseHead) => {
      if (head.httpStatus < 200 || head.httpStatus >= 300) return undefined;
      parser = createDocumentParser({
        url: record.url,
        headers: head.headers,
        maxDecodedBytes: config.maxDecodedBytes,
        maxLinks: config.maxLinksPerPage,
        resolve: resolver(),
      });
      return parser.write;
    };
    const outcome = await ask(services, crawl, state, state.host, { url: record.url, onHead }, crawlDelayMs);
    const verdict = judge(outcome, record.attempts, config, retryAfterOf(outcome, clock.now()));
    services.stats.requests++;
    if (verdict.hostFailure) services.stats.errors++;
    if (outcome.status === 'failed') countOne(services.stats.failures, outcome.reason);
    countRequest(state, outcome, verdict.hostFailure, { config, crawlDelayMs, random: clock.random() });
    if (outcome.status === 'response') {
      services.stats.bytes += outcome.body.size;
      crawl.budget.receive(outcome.body.size);
    }
    isPage = verdict.isFinal && outcome.status === 'response' && verdict.state !== 'redirect';
    const facts = verdict.isFinal ? await reading(state, async () => parser?.end()) : undefined;
    await settle(services, crawl, state, record, outcome, verdict, facts);
    // By the scope as it is now: a seed's redirect may have widened it since the turn began.
    const latest = (await services.crawls.get(crawl.id)) ?? crawl;
    if (facts) takeLinks(latest, state, record, facts, clock.now());
  } finally {
    crawl.budget.settle(isPage);
    if (isPage) {
      state.totals.pages++;
      services.stats.pages++;
    }
  }
}

async function settle(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  outcome: FetchOutcome,
  verdict: Verdict,
  facts: DocumentFacts | undefined,
): Promise<void> {
  const { clock } = services.engine;
  if (!verdict.isAttempt) {
    state.ledger.settle(record);
    return;
  }
  let location: RecordLocation | undefined;
  if (outcome.status === 'response') {
    if (verdict.isFinal) {
      const { members } = await reading(state, () => encodeCapture(outcome));
      [location] = await services.engine.archiveOf(crawl.id).append(members);
      state.hasArchived = true;
    }
    await outcome.body.dispose();
  }
  let cause = verdict.cause;
  if (verdict.state === 'redirect' && outcome.status === 'response')
    cause = await followRedirect(services, crawl, state, record, outcome);
  const response = outcome.status === 'response' ? outcome : undefined;
  const contentType = facts?.mimeType ?? (response && mediaType(headersOf(response, 'content-type')[0]));
  state.ledger.settle({
    ...record,
    state: verdict.state,
    attempts: record.attempts + 1,
    dueAt: dueAtOf(verdict, state, clock.now()),
    result: {
      fetchedAt: outcome.startedAt,
      ...(response && { httpStatus: response.httpStatus }),
      ...(verdict.isFinal && response && { digest: response.body.sha1 }),
      ...(contentType !== undefined && { contentType }),
      ...(location && { location }),
      ...(cause !== undefined && { cause }),
    },
  });
}

/** When a URL that is to be tried again may be: 0, at the host's pace, if nothing else speaks against it. */
function dueAtOf({ state, retryMs }: Verdict, { clock }: HostState, now: number): number {
  return state === 'waiting' && retryMs > 0 ? Math.max(now, clock.nextFetchAt) + retryMs : 0;
}

/** Takes the target in as a link of the same depth. Returns where it leads, in words. */
async function followRedirect(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  response: FetchedResponse,
): Promise<string> {
  const location = headersOf(response, 'location')[0];
  if (location === undefined) return 'a redirect without Location';
  // Fields come as Latin-1; a Location that is not ASCII was meant as UTF-8.
  const target = canonicalize(Buffer.from(location, 'latin1').toString('utf8').trim(), record.url);
  if (target === undefined) {
    countOne(state.totals.skipped, 'badUrl');
    return `to ${location.slice(0, 200)}, which is no http(s) URL`;
  }
  const redirects = record.redirects + 1;
  if (redirects > crawl.config.maxRedirects) {
    countOne(state.totals.skipped, 'redirects');
    return `to ${target}, not followed: ${redirects} redirects in a row`;
  }
  const isSeed = record.depth === 0;
  const isOurs = crawl.scope.check(target, record.depth) === undefined;
  if (isSeed && !isOurs && isSameSite(target, record.url) && crawl.config.scope !== 'page') {
    // `http://example.org/` that leads to `https://www.example.org/`: the operator means that site.
    await services.engine.registry.addScopeSeeds(crawl.id, [target]);
    services.crawls.refresh(crawl.id);
  }
  const isWanted = isSeed && isSameSite(target, record.url);
  takeLink(
    crawl,
    state,
    { url: target, depth: record.depth, via: record.url, redirects, isSeed: isWanted },
    services.engine.clock.now(),
  );
  return `to ${target}`;
}

function isSameSite(a: string, b: string): boolean {
  const [hostA, hostB] = [hostKey(a), hostKey(b)];
  const domain = registrableDomain(hostA);
  return hostA === hostB || (domain !== undefined && domain === registrableDomain(hostB));
}

function takeLinks(
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  facts: DocumentFacts,
  now: number,
): void {
  const { skipped } = state.totals;
  if (facts.droppedLinks > 0) skipped.linksPerPage = (skipped.linksPerPage ?? 0) + facts.droppedLinks;
  for (const { url } of facts.links)
    takeLink(crawl, state, { url, depth: record.depth + 1, via: record.url }, now);
}

/** Merges a link of this host; keeps one to another host for the exchange; counts one that is not ours. */
function takeLink(crawl: Crawl, state: HostState, link: Link, now: number): void {
  const reason = crawl.scope.check(link.url, link.depth, link.isSeed);
  if (reason !== undefined) countOne(state.totals.skipped, reason);
  else if (hostKey(link.url) === state.host) state.ledger.merge(link, now);
  else addOutLink(state, link);
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

function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase().slice(0, 100) || undefined;
}
