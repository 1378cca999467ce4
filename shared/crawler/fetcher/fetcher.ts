import QuickLRU from 'quick-lru';
import type { Dispatcher } from 'undici';
import type { CrawlConfig } from '../../core/crawl/config.ts';
import { type FailureCode, isCertificateFailure } from '../../core/outcome/failure-codes.ts';
import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import { type HostKey, hostName } from '../../core/url/host-key.ts';
import { boundMethods } from '../ports/bound-methods.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { createAddressGuard } from './address-guard.ts';
import { type Agent, createAgent } from './agent.ts';
import { type ConnectorOptions, resolved } from './connector.ts';
import { Exchange, type ExchangeContext, isRepeatable } from './exchange.ts';
import { type DescribedFailure, described } from './failure.ts';
import { createFetcherParts, type FetcherParts, type FetcherPartsOptions } from './fetcher-parts.ts';
import { createHostPins } from './host-pins.ts';
import { MissingIssuers } from './missing-issuers.ts';
import { createOwnHeaders } from './own-headers.ts';
import {
  createProxyChooser,
  isForwarding,
  type ProxyServer,
  proxyAuthorization,
} from './proxy/choose-proxy.ts';
import { denied } from './proxy/open-tunnel.ts';
import { commonHeaders, mergeHeaders, type OwnHeaderValues, withOwnCookies } from './request-headers.ts';
import type { RequestSigner } from './request-signer.ts';
import { faultOf, requestTarget } from './request-target.ts';
import { SentHeads } from './sent-heads.ts';
import { LONGEST_TIMER_MS } from './wait-for-socket.ts';
import { wholeIfCoded } from './whole-if-coded.ts';
import { isOpenName } from './without-secrets.ts';

/** With parts that are shared with other fetchers, or with its own. */
export type FetcherOptions = FetcherSettings & (FetcherPartsOptions | { readonly parts: FetcherParts });

/** A time-out of 0 means no limit. */
interface FetcherSettings
  extends Pick<
      CrawlConfig,
      | 'userAgent'
      | 'contact'
      | 'from'
      | 'allowPrivateAddresses'
      | 'resolve'
      | 'allowPorts'
      | 'connectTimeoutMs'
      | 'headersTimeoutMs'
      | 'idleTimeoutMs'
      | 'totalTimeoutMs'
      | 'maxBodyBytes'
      | 'maxHeaderBytes'
      | 'perHost'
    >,
    Partial<
      Pick<
        CrawlConfig,
        'headers' | 'cookies' | 'auth' | 'tls' | 'certificateAuthorities' | 'clientCertificates' | 'proxies'
      >
    > {
  /** The upper bound for each request. Default: no bound. */
  readonly mostBodyBytes?: number;
  /** Stamps the outcomes; the time-outs of real sockets run on real time. */
  readonly clock: Pick<Clock, 'now'>;
  /**
   * The address guard judges the addresses of proxies, too: where the configuration is not the operator's
   * own.
   */
  readonly guardsProxies?: boolean;
  /** Signs each request just before it is sent. Default: none is signed. */
  readonly sign?: RequestSigner | undefined;
}

/** The time for all certificates that one host lacks. */
const ISSUERS_MS = 10_000;
const MAX_CERTIFICATE_BYTES = 64 * 1024;
/** Origins remembered whose certificate is bad. */
const MAX_BAD_CERTIFICATES = 10_000;

/**
 * Fetches by HTTP/1.1 over undici, its low-level API: raw headers, bodies with their content coding, not copied.
 * Connections are kept alive, `perHost` to an origin, one request at a time on each. Throws `InvalidConfig`.
 */
export const createFetcher = (options: FetcherOptions): Fetcher =>
  boundMethods<Fetcher>(new UndiciFetcher(options));

class UndiciFetcher implements Fetcher {
  readonly #options: FetcherSettings;
  readonly #missingIssuers: MissingIssuers;
  readonly #connecting: ConnectorOptions;
  readonly #agent: Agent;
  /** For hosts whose certificate is bad, if that is to be recorded. */
  #unverifying: Agent | undefined;
  readonly #badCertificates = new QuickLRU<string, FailureCode>({ maxSize: MAX_BAD_CERTIFICATES });
  readonly #sentHeads: SentHeads;
  readonly #common: ReturnType<typeof commonHeaders>;
  readonly #ownHeadersOf: ReturnType<typeof createOwnHeaders>;
  readonly #context: Omit<ExchangeContext, 'dispatch' | 'totalTimeoutMs'>;

  constructor(options: FetcherOptions) {
    const parts = 'parts' in options ? options.parts : createFetcherParts(options);
    this.#options = options;
    this.#missingIssuers = new MissingIssuers(options.certificateAuthorities ?? []);
    this.#connecting = { ...connectorOptions(options, parts), missingIssuers: this.#missingIssuers };
    this.#agent = createAgent(options, this.#connecting);
    this.#common = commonHeaders(options);
    this.#ownHeadersOf = createOwnHeaders(options);
    this.#context = {
      onStart: (exchange) => this.#sentHeads.expectFor(exchange),
      now: () => this.#now(),
      budget: parts.sockets,
      bodies: parts.bodies,
      headersTimeoutMs: options.headersTimeoutMs,
      idleTimeoutMs: options.idleTimeoutMs,
      maxBodyBytes: options.maxBodyBytes,
      mostBodyBytes: options.mostBodyBytes,
      maxHeaderBytes: options.maxHeaderBytes,
    };
    // Last: nobody would close it if anything before fails.
    this.#sentHeads = new SentHeads();
  }

  async fetch(request: FetchRequest): Promise<FetchOutcome> {
    const { url } = request;
    const { allowPorts, tls } = this.#options;
    const totalTimeoutMs = this.#timeoutOf(request);
    const fault = faultOf(url, allowPorts);
    if (fault !== undefined) return failed(url, fault, this.#now());
    if (tls === 'record' && !this.#connecting.acceptsAny && url.startsWith('https:'))
      return this.#fetchRecording(request);
    const outcome = await this.#fetchVerified(request, totalTimeoutMs);
    const proxy = this.#connecting.proxyOf(url);
    return isForwarding(proxy, url) ? ofForwarded(outcome, proxy as ProxyServer) : outcome;
  }

  /** Requests by http and https to the host go to the same addresses, unless a proxy is chosen for one of them. */
  async addressesOf(host: HostKey): Promise<readonly string[]> {
    const { connectTimeoutMs, proxyOf } = this.#connecting;
    if (proxyOf(`http://${host}/`) !== undefined || proxyOf(`https://${host}/`) !== undefined) return [];
    const ms = connectTimeoutMs > 0 ? connectTimeoutMs : LONGEST_TIMER_MS;
    return resolved(hostName(host), this.#connecting, ms, ms).catch(() => []);
  }

  /** Waits for the exchanges in progress. */
  async close(): Promise<void> {
    if (this.#agent.closed) return;
    await Promise.all([this.#agent.close(), this.#unverifying?.close()]);
    this.#sentHeads.close();
  }

  /** A bad certificate is recorded, and the page fetched anyway. */
  async #fetchRecording(request: FetchRequest): Promise<FetchOutcome> {
    const totalTimeoutMs = this.#timeoutOf(request);
    const origin = new URL(request.url).origin;
    const known = this.#badCertificates.get(origin);
    if (known !== undefined && request.body === undefined)
      return this.#fetchUnverified(request, known, totalTimeoutMs);
    const startedAt = performance.now();
    const outcome = await this.#fetchVerified(request, totalTimeoutMs);
    if (outcome.status === 'response' || !isCertificateFailure(outcome.code)) return outcome;
    if (request.body !== undefined) return outcome;
    this.#badCertificates.set(origin, outcome.code);
    const left = totalTimeoutMs - (performance.now() - startedAt);
    return this.#fetchUnverified(request, outcome.code, totalTimeoutMs === 0 ? 0 : Math.max(left, 1));
  }

  #fetchVerified(request: FetchRequest, ms: number): Promise<FetchOutcome> {
    const own = this.#ownHeadersOf(request.url, () => this.#now());
    return this.#exchange(request, this.#agent, own, ms);
  }

  /**
   * Without cookies, passwords and headers that may be secret, and not for a request with a body: the receiver is
   * unknown.
   */
  async #fetchUnverified(request: FetchRequest, tlsError: FailureCode, ms: number): Promise<FetchOutcome> {
    this.#unverifying ??= createAgent(this.#options, {
      ...this.#connecting,
      clientCertificates: [],
      acceptsAny: true,
    });
    const headers = Object.entries(request.headers ?? {}).filter(([name]) => isOpenName(name));
    const open = { ...request, headers: headers.length > 0 ? Object.fromEntries(headers) : undefined };
    const outcome = await this.#exchange(open, this.#unverifying, undefined, ms);
    return outcome.status === 'response' ? { ...outcome, tlsError } : outcome;
  }

  /**
   * Makes the exchange. What a server closed a kept connection for, before any byte of a response, is sent again on another
   * one, as browsers do, if that is safe (RFC 9110, section 9.2.2; RFC 9112, section 9.3.1): at most once for each
   * connection that can be kept. If the server did not send the certificates of its issuers, they are fetched first.
   */
  async #exchange(
    request: FetchRequest,
    through: Agent,
    own: OwnHeaderValues,
    totalTimeoutMs: number,
  ): Promise<FetchOutcome> {
    const startedAt = performance.now();
    const leftMs = () =>
      totalTimeoutMs === 0 ? 0 : Math.max(totalTimeoutMs - (performance.now() - startedAt), 1);
    let outcome = await this.#exchangeOnce(request, through, own, totalTimeoutMs);
    if (hasUnknownIssuer(outcome) && (await this.#findIssuers(request.url, leftMs())))
      outcome = await this.#exchangeOnce(request, through, own, leftMs());
    const most = isRepeatable(request) && request.repeatsStale ? this.#options.perHost : 0;
    for (let tries = 0; tries < most && isStale(outcome); tries++)
      outcome = await this.#exchangeOnce(request, through, own, leftMs());
    return outcome.status === 'response' && outcome.bodyFailure ? wholeIfCoded(outcome) : outcome;
  }

  async #findIssuers(url: string, leftMs: number): Promise<boolean> {
    const until = performance.now() + Math.min(leftMs || ISSUERS_MS, ISSUERS_MS);
    const { hostname, port } = new URL(url);
    const origin = `${hostname.replace(/^\[(.*)\]$/, '$1')}:${port || 443}`;
    return this.#missingIssuers.find(origin, async (from) => {
      const left = until - performance.now();
      if (left <= 0 || faultOf(from, this.#options.allowPorts) !== undefined) return undefined;
      const request = { url: from, maxBodyBytes: MAX_CERTIFICATE_BYTES };
      const outcome = await this.#exchangeOnce(request, this.#agent, undefined, left);
      if (outcome.status !== 'response') return undefined;
      const { httpStatus, truncated, body } = outcome;
      const bytes =
        httpStatus === 200 && truncated === undefined ? Uint8Array.from(await body.bytes()) : undefined;
      await body.dispose();
      return bytes;
    });
  }

  #exchangeOnce(
    request: FetchRequest,
    through: Agent,
    own: OwnHeaderValues,
    totalTimeoutMs: number,
  ): Promise<FetchOutcome> {
    const dispatch = (started: Exchange) => {
      const { url, method = 'GET', headers, body } = request;
      const sent = {
        ...requestTarget(url, this.#connecting.proxyOf(url)),
        method: method as Dispatcher.HttpMethod,
        headers: mergeHeaders(
          mergeHeaders(this.#common, own),
          this.#forwarded(url),
          withOwnCookies(own, headers),
          this.#options.sign?.({ url, method }),
        ),
      };
      through.dispatch(body === undefined ? sent : { ...sent, body }, started);
    };
    const { promise, ...settle } = Promise.withResolvers<FetchOutcome>();
    new Exchange({ ...this.#context, dispatch, totalTimeoutMs }, request, settle, own).begin();
    return promise;
  }

  #forwarded(url: string): OwnHeaderValues {
    const proxy = this.#connecting.proxyOf(url);
    const authorization = isForwarding(proxy, url) ? proxyAuthorization(proxy as ProxyServer) : undefined;
    return authorization === undefined ? undefined : { 'Proxy-Authorization': authorization };
  }

  /** 0: there is no limit. */
  #timeoutOf({ totalTimeoutMs: own }: FetchRequest): number {
    const { totalTimeoutMs } = this.#options;
    if (own === undefined) return totalTimeoutMs;
    return totalTimeoutMs === 0 ? own : Math.min(own, totalTimeoutMs);
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

const connectorOptions = (
  options: FetcherSettings,
  { sockets, resolve, sessions }: FetcherParts,
): ConnectorOptions => ({
  connectTimeoutMs: options.connectTimeoutMs,
  budget: sockets,
  proxyOf: createProxyChooser(options.proxies ?? []),
  guardsProxies: options.guardsProxies ?? false,
  guard: createAddressGuard(options.allowPrivateAddresses),
  pin: createHostPins(options.resolve),
  resolve,
  sessions,
  trustedCertificates: options.certificateAuthorities,
  clientCertificates: options.clientCertificates,
  acceptsAny: options.tls === 'any',
});

const failed = (url: string, fault: DescribedFailure, at: number): FetchOutcome => ({
  status: 'failed',
  url,
  startedAt: at,
  endedAt: at,
  ...fault,
});

const hasUnknownIssuer = (outcome: FetchOutcome): boolean =>
  outcome.status === 'failed' && outcome.code === 'certificateUnknownIssuer';

const isStale = (outcome: FetchOutcome): boolean =>
  outcome.status === 'failed' && outcome.isStaleConnection === true;

/** A response that a proxy gives itself is not a response of the host. */
async function ofForwarded(outcome: FetchOutcome, proxy: ProxyServer): Promise<FetchOutcome> {
  if (outcome.status !== 'response') return outcome;
  if (outcome.httpStatus !== 407) {
    proxy.answeredAt = performance.now();
    return outcome;
  }
  await outcome.body.dispose();
  const { code, message } = denied(proxy);
  return { ...failed(outcome.url, described(code, message), outcome.startedAt), endedAt: outcome.endedAt };
}
