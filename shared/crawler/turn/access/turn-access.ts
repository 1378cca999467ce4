import type { StoredJar } from '../../../core/access/stored-jar.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import { domainOf } from '../../../core/url/registrable-domain.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import { withoutSetCookie } from '../../fetcher/without-secrets.ts';
import type { JarKey } from '../../ports/jar-store.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/**
 * The cookies that a turn's host sets, and sends back with the turn's requests. Where they are off, it does nothing: not even a
 * promise is made.
 */
export class TurnAccess {
  readonly #services: Pick<TurnServices, 'engine'>;
  readonly #crawl: Pick<TurnCrawl, 'id' | 'host'>;
  readonly #mode: 'off' | 'turn' | 'keep';
  #cookies: HostCookies | undefined;
  #stored: StoredJar | undefined;
  /** The news of the jar when a URL was last requested again, by URL. */
  readonly #repeated = new Map<string, number>();

  constructor(services: Pick<TurnServices, 'engine'>, crawl: Pick<TurnCrawl, 'id' | 'host' | 'config'>) {
    this.#services = services;
    this.#crawl = crawl;
    this.#mode = crawl.config.hostCookies;
  }

  get isOn(): boolean {
    return this.#mode !== 'off';
  }

  /** Whether cookies outlive the turn, so that nobody else may read them. */
  get #isKept(): boolean {
    return this.#mode === 'keep';
  }

  get #key(): JarKey {
    return { domain: domainOf(this.#crawl.host) };
  }

  /** Reads the cookies that earlier turns have kept. To be called before the first request, if it {@link isOn}. */
  async open(): Promise<void> {
    const { jars } = this.#services.engine;
    const { createHostCookies } = await import('../../access/host-cookies.ts');
    if (this.#isKept) this.#stored = await jars?.load(this.#crawl.id, this.#key);
    this.#cookies = createHostCookies(this.#stored?.cookies);
  }

  /** The request with the cookies for its URL. */
  withCookies<R extends Pick<FetchRequest, 'url' | 'headers'>>(request: R): R {
    const Cookie = this.#cookies?.headerFor(request.url);
    if (Cookie === undefined) return request;
    const own = Object.entries(request.headers ?? {});
    const given = own.find(([name]) => name.toLowerCase() === 'cookie')?.[1];
    const others = own.filter(([name]) => name.toLowerCase() !== 'cookie');
    const sent = given === undefined ? Cookie : `${Cookie}; ${given}`;
    return { ...request, headers: { ...Object.fromEntries(others), Cookie: sent } };
  }

  /** Takes in the cookies that a response sets. Returns the outcome, without them if they are kept. */
  take(outcome: FetchOutcome): FetchOutcome {
    if (this.#cookies === undefined || outcome.status !== 'response') return outcome;
    const fields = fieldValues(outcome.headers, 'set-cookie');
    if (fields.length === 0) return outcome;
    this.#cookies.take(outcome.url, fields);
    return this.#isKept ? { ...outcome, headers: withoutSetCookie(outcome.headers) } : outcome;
  }

  /**
   * Whether a URL whose redirect has led back to it is to be requested again: cookies with new names have come since it was
   * requested last.
   */
  mayRepeat(url: string): boolean {
    const { news = 0 } = this.#cookies ?? {};
    if (news <= (this.#repeated.get(url) ?? 0)) return false;
    this.#repeated.set(url, news);
    return true;
  }

  /** Keeps the cookies if they have changed, after the turn's head is committed. A lost write drops the changes. */
  async save(): Promise<void> {
    const { jars } = this.#services.engine;
    if (!this.#isKept || !this.#cookies || this.#cookies.changes === 0) return;
    const { version = 0, generation = 0 } = this.#stored ?? {};
    const next = { version: version + 1, generation, cookies: this.#cookies.toText() };
    await jars?.replace(this.#crawl.id, this.#key, next);
  }
}
