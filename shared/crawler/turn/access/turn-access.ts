import type { StoredJar } from '../../../core/access/stored-jar.ts';
import { cookiesOfSites } from '../../../core/crawl/netscape-cookies.ts';
import type { CookieOptions } from '../../../core/crawl/network-options.ts';
import type { Head } from '../../../core/frontier/head.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import { domainOf } from '../../../core/url/registrable-domain.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import { withoutSetCookie } from '../../fetcher/without-secrets.ts';
import type { JarKey } from '../../ports/jar-store.ts';
import type { TurnCounters } from '../counters.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { LoginPace } from './login-pace.ts';
import { type AccessNeeds, TurnAccounts } from './turn-accounts.ts';

type Services = Pick<TurnServices, 'engine' | 'stopping' | 'accounts'>;

/**
 * The cookies and the accounts by which a turn requests pages. Where a host needs neither, it does nothing: not even a promise is
 * made.
 */
export class TurnAccess {
  readonly #services: Services;
  readonly #crawl: TurnCrawl;
  #isGiven: Head['hasCookies'];
  readonly #accounts: TurnAccounts | undefined;
  #cookies: HostCookies | undefined;
  #stored: StoredJar | undefined;
  /** The cookies with which each request in flight was made. */
  readonly #sent = new WeakMap<object, HostCookies>();
  /** The news of the jar when a URL was last requested again, by URL. */
  readonly #repeated = new Map<string, number>();

  constructor(
    services: Services,
    crawl: TurnCrawl,
    counters: Pick<TurnCounters, 'count'>,
    { hasCookies }: Pick<Head, 'hasCookies'>,
  ) {
    this.#services = services;
    this.#crawl = crawl;
    this.#isGiven = hasCookies;
    const accounts = services.accounts?.of(crawl.host) ?? [];
    const { jars } = services.engine;
    if (accounts.length > 0 && jars)
      this.#accounts = new TurnAccounts(services, crawl, accounts, {
        jars,
        counters,
        bind: (request, cookies) => this.#sent.set(request, cookies),
      });
  }

  get #mode(): 'off' | 'turn' | 'keep' {
    return this.#isGiven ? 'keep' : this.#crawl.config.hostCookies;
  }

  get isOn(): boolean {
    return this.#mode !== 'off' || this.#accounts !== undefined;
  }

  /** The accounts of the host, if it has any. */
  get accounts(): TurnAccounts | undefined {
    return this.#accounts;
  }

  /** Whether cookies outlive the turn, so that nobody else may read them. */
  get #isKept(): boolean {
    return this.#mode === 'keep' || this.#accounts !== undefined;
  }

  get #key(): JarKey {
    return { domain: domainOf(this.#crawl.host) };
  }

  /** Reads the cookies that earlier turns have kept. To be called before the first request, if it {@link isOn}. */
  async open(): Promise<void> {
    if (this.#accounts) return this.#accounts.open();
    const { jars, clock } = this.#services.engine;
    const { createHostCookies } = await import('../../access/host-cookies.ts');
    if (this.#isKept) this.#stored = await jars?.load(this.#crawl.id, this.#key);
    this.#cookies = createHostCookies(() => clock.now(), this.#stored?.cookies);
  }

  /** The cookies with which a request would be made now. */
  get cookies(): HostCookies | undefined {
    return this.#accounts ? this.#accounts.cookies : this.#cookies;
  }

  /** The request with the cookies for its URL. Its own ones, such as those that scripts of a page have changed, replace others. */
  withCookies<R extends Pick<FetchRequest, 'url' | 'headers'>>(request: R): R {
    const cookies = this.#sent.get(request) ?? this.cookies;
    if (cookies) this.#sent.set(request, cookies);
    const Cookie = cookies?.headerFor(request.url);
    if (Cookie === undefined) return request;
    const own = Object.entries(request.headers ?? {});
    const given = own.find(([name]) => name.toLowerCase() === 'cookie')?.[1];
    const others = own.filter(([name]) => name.toLowerCase() !== 'cookie');
    const sent = given === undefined ? Cookie : withOthers(Cookie, given);
    return { ...request, headers: { ...Object.fromEntries(others), Cookie: sent } };
  }

  /** Takes in the cookies that the response to `request` sets. Returns the outcome, without them if they are kept. */
  take(outcome: FetchOutcome, request: object): FetchOutcome {
    if (outcome.status !== 'response') return outcome;
    const fields = fieldValues(outcome.headers, 'set-cookie');
    if (fields.length === 0) return outcome;
    this.#sent.get(request)?.take(outcome.url, fields);
    return this.#isKept ? { ...outcome, headers: withoutSetCookie(outcome.headers) } : outcome;
  }

  /**
   * Whether a URL whose redirect has led back to it is to be requested again: cookies with new names have come since it was
   * requested last.
   */
  mayRepeat(url: string): boolean {
    const { news = 0 } = this.cookies ?? {};
    if (news <= (this.#repeated.get(url) ?? 0)) return false;
    this.#repeated.set(url, news);
    return true;
  }

  /** Before a page is requested: signs in if need be. False: the host has to wait, and rests. */
  mayRequest(pace: LoginPace, needs: AccessNeeds): Promise<boolean> | true {
    return this.#accounts ? this.#accounts.mayRequest(pace, needs) : true;
  }

  /** Sends cookies of the operator to the host from now on. They are kept, as well as those that the host sets. */
  async give(cookies: readonly CookieOptions[]): Promise<void> {
    if (!this.#isKept) {
      this.#isGiven = true;
      await this.open();
    }
    this.cookies?.give(cookiesOfSites(cookies, [this.#crawl.host]));
  }

  /** As the head keeps it. */
  get isGiven(): Head['hasCookies'] {
    return this.#isGiven;
  }

  /** Keeps the cookies if they have changed, after the turn's head is committed. A lost write drops the changes. */
  async save(): Promise<void> {
    if (this.#accounts) return this.#accounts.save();
    const { jars } = this.#services.engine;
    if (!this.#isKept || !this.#cookies || this.#cookies.changes === 0) return;
    const { version = 0, generation = 0 } = this.#stored ?? {};
    const next = { version: version + 1, generation, cookies: this.#cookies.toText() };
    await jars?.replace(this.#crawl.id, this.#key, next);
  }
}

/** Cookies that a request has of its own replace those of the jar. */
function withOthers(jar: string, own: string): string {
  const nameOf = (pair: string) => pair.split('=', 1)[0];
  const given = own.split(';').map((pair) => pair.trim());
  const names = new Set(given.map(nameOf));
  return [...jar.split('; ').filter((pair) => !names.has(nameOf(pair))), ...given].join('; ');
}
