import type { AccountLimits, AccountUse } from '../../../core/access/account-state.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import type { JarStore } from '../../ports/jar-store.ts';
import type { TurnCounters } from '../counters.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { AccountSession } from './account-session.ts';
import type { Account } from './accounts.ts';
import type { LoginPace } from './login-pace.ts';
import { holds, LoginStopped, type SignInOptions, signIn } from './sign-in.ts';

/** The request for which an account is needed. */
export interface AccessNeeds {
  /** The origin of its URL. */
  readonly origin: string;
  readonly crawlDelayMs: number | undefined;
}

/** The page for which an account is needed. */
interface PageNeeds extends AccessNeeds {
  readonly url: string;
}

/** A session as a request was made in it. */
export interface UsedSession {
  readonly session: AccountSession;
  readonly generation: number;
}

type Services = Pick<TurnServices, 'engine' | 'stopping'>;

export interface TurnAccountsOptions extends Pick<SignInOptions, 'bind'> {
  readonly jars: JarStore;
  readonly counters: Pick<TurnCounters, 'count'>;
}

/**
 * The accounts of a turn's host: the first one that may be used makes all requests. When it is used up, the next one follows; when
 * none may be used, the host rests.
 */
export class TurnAccounts {
  readonly #services: Services;
  readonly #crawl: TurnCrawl;
  readonly #accounts: readonly Account[];
  readonly #jars: JarStore;
  readonly #bind: SignInOptions['bind'];
  readonly #counters: TurnAccountsOptions['counters'];
  readonly #sessions: AccountSession[] = [];
  #current: AccountSession | undefined;
  /** A turn ends with its session: if the process dies in a login, what came before it is committed. */
  #hasRequested = false;
  /** The last call that signs in or checks: they must not overlap. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    services: Services,
    crawl: TurnCrawl,
    accounts: readonly Account[],
    { jars, counters, bind }: TurnAccountsOptions,
  ) {
    this.#services = services;
    this.#crawl = crawl;
    this.#accounts = accounts;
    this.#jars = jars;
    this.#bind = bind;
    this.#counters = counters;
  }

  get cookies(): HostCookies | undefined {
    return this.#current?.cookies;
  }

  /** Whether a link of the host ends the session of one of the accounts. */
  isSignOut(url: string): boolean {
    return (
      this.#accounts.some((account) => account.isSignOut(url)) ||
      this.#sessions.some((session) => session?.endsBy(url))
    );
  }

  /** Reads the state of the accounts, up to the first one that may be used. */
  async open(): Promise<void> {
    await this.#choose();
  }

  /** Takes the first account that may be used. Returns why none may be, if none may. */
  async #choose(): Promise<AccountUse> {
    let soonest: AccountUse = { kind: 'locked' };
    for (const [index, account] of this.#accounts.entries()) {
      const session = await this.#sessionOf(index, account);
      const use = session.use(this.#now());
      this.#current = session;
      if (use.kind === 'use' || use.kind === 'login') return use;
      if (use.kind === 'wait' && (soonest.kind !== 'wait' || use.until < soonest.until)) soonest = use;
    }
    return soonest;
  }

  async #sessionOf(index: number, account: Account): Promise<AccountSession> {
    const known = this.#sessions[index];
    if (known) return known;
    const { id: crawl, host } = this.#crawl;
    const place = { jars: this.#jars, crawl, host, clock: this.#services.engine.clock };
    const loaded = await AccountSession.load(account, place);
    this.#sessions[index] = loaded;
    return loaded;
  }

  /** The session in which a request would be made now. */
  used(): UsedSession | undefined {
    const session = this.#current;
    return session && { session, generation: session.generation };
  }

  /** Counts a request of a page. */
  countPage(): void {
    this.#current?.countPage(this.#now());
    this.#counters.count('accounts', 'requests');
    this.#hasRequested = true;
  }

  /** Signs in if need be. False: no account may be used now, and the host rests or is given up. */
  mayRequest(pace: LoginPace, needs: AccessNeeds): Promise<boolean> | true {
    if (this.#current?.use(this.#now()).kind === 'use') return true;
    return this.#inTurn(() => this.#signIn(pace, needs));
  }

  async #signIn(pace: LoginPace, needs: AccessNeeds): Promise<boolean> {
    // Each account once, and one that another worker has used meanwhile again.
    for (let tries = 0; tries <= this.#accounts.length; tries++) {
      const use = await this.#choose();
      const session = this.#current as AccountSession;
      if (use.kind === 'use') return true;
      if (use.kind !== 'login') return this.#rest(pace, use);
      if (this.#hasRequested) {
        pace.end();
        return false;
      }
      if (await session.reload()) continue;
      if (session.use(this.#now()).kind !== 'login') continue;
      this.#counters.count('accounts', 'logins');
      try {
        await signIn(session, this.#optionsOf(pace, needs));
      } catch (error) {
        if (!(error instanceof LoginStopped)) throw error;
        await pace.giveUpIfHopeless();
        pace.end();
        return false;
      }
    }
    return this.#rest(pace, await this.#choose());
  }

  #rest(pace: LoginPace, use: AccountUse): boolean {
    if (use.kind === 'use') return true;
    if (use.kind === 'locked') {
      const accounts = this.#accounts.map(({ name }) => name).join(', ');
      const detail = this.#sessions.find(({ state }) => state.failure)?.state.failure ?? 'unlock one of them';
      pace.giveUp({ code: 'accountsLocked', accounts, detail });
    } else {
      this.#noteWanted();
      for (const session of this.#sessions) session?.noteWait(this.#now());
      pace.waitForAccount(use.kind === 'wait' ? use.until : this.#now());
    }
    pace.end();
    return false;
  }

  /** If all accounts are used up, says how many would do for the pace of the host. */
  #noteWanted(): void {
    const { delayMs } = this.#crawl.config;
    const perHour = Math.max(1, ...this.#accounts.map(({ limits }) => pagesPerHour(limits)));
    if (!Number.isFinite(perHour) || this.#sessions.some(({ state }) => state.failed > 0)) return;
    const wanted = Math.ceil(HOUR_MS / Math.max(delayMs, MIN_DELAY_MS) / perHour);
    if (wanted > this.#accounts.length) this.#sessions[0]?.noteWanted(wanted);
  }

  /**
   * Whether a response shows that the session had ended, so that it is not the page: it is to be requested again. If the response
   * leaves it open, another page is requested that shows it.
   */
  isSignedOut(
    response: FetchedResponse,
    used: UsedSession,
    pace: LoginPace,
    needs: PageNeeds,
  ): Promise<boolean> {
    return this.#inTurn(async () => {
      const { session, generation } = used;
      const sign = await session.account.signOf(response);
      const isOther = session !== this.#current || session.generation !== generation;
      if (sign === 'in' && !isOther) session.noteShown(response.url);
      if (sign === 'in') return false;
      if (sign === undefined && !isOfPage(response)) return false;
      if (isOther || session.state.isSignedIn === undefined) return true;
      try {
        if (await holds(session, this.#optionsOf(pace, needs))) return false;
      } catch (error) {
        // It is requested again in another turn.
        pace.end();
        if (!(error instanceof LoginStopped)) pace.postponeTo(this.#now() + 1);
        return true;
      }
      await session.signOut(needs.url);
      return true;
    });
  }

  /** As {@link isSignedOut}, by the exchanges that the page has made while it was rendered. */
  async isSignedOutInside(
    exchanges: readonly FetchedResponse[],
    used: UsedSession,
    pace: LoginPace,
    needs: PageNeeds,
  ): Promise<boolean> {
    const { session } = used;
    for (const exchange of exchanges) {
      if (exchange.httpStatus < 300 || hostKey(exchange.url) !== this.#crawl.host) continue;
      if ((await session.account.signOf(exchange)) !== 'out') continue;
      return (await this.isSignedOut(exchange, used, pace, needs)) && session.mayRenderAgain(needs.url);
    }
    return false;
  }

  async save(): Promise<void> {
    for (const session of this.#sessions) await session?.save();
  }

  #optionsOf(pace: LoginPace, needs: AccessNeeds): SignInOptions {
    return { ...needs, services: this.#services, crawl: this.#crawl, pace, bind: this.#bind };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

const HOUR_MS = 3_600_000;
/** A host answers no more than this number of requests one after the other. */
const MIN_DELAY_MS = 100;

const pagesPerHour = ({ pagesPerHour, pagesPerSession, loginsPerHour }: AccountLimits): number =>
  Math.min(pagesPerHour, pagesPerSession * loginsPerHour);

/** Whether it would count as a page: an HTML document. */
const isOfPage = ({ httpStatus, headers }: FetchedResponse): boolean =>
  httpStatus >= 200 &&
  httpStatus < 300 &&
  headers.some(([name, value]) => name.toLowerCase() === 'content-type' && /html/i.test(value));
