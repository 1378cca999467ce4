import {
  type AccountState,
  type AccountUse,
  endedAt,
  endedWhileRendered,
  NEW_ACCOUNT,
  shownAt,
  signedOut,
  useOf,
  withoutLogins,
  withPage,
} from '../../../core/access/account-state.ts';
import type { StoredJar } from '../../../core/access/stored-jar.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { domainOf } from '../../../core/url/registrable-domain.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JarKey, JarStore } from '../../ports/jar-store.ts';
import type { Account } from './accounts.ts';

export interface AccountPlace {
  readonly jars: JarStore;
  readonly crawl: CrawlId;
  readonly host: HostKey;
  readonly clock: Pick<Clock, 'now'>;
}

/** An account as a turn uses it: its cookies, and its state. */
export class AccountSession {
  readonly account: Account;
  readonly #place: AccountPlace;
  #stored: StoredJar | undefined;
  #state: AccountState;
  #cookies: HostCookies;
  #isChanged = false;

  private constructor(
    account: Account,
    place: AccountPlace,
    stored: StoredJar | undefined,
    cookies: HostCookies,
  ) {
    this.account = account;
    this.#place = place;
    this.#stored = stored;
    this.#state = stateOf(account, stored);
    this.#cookies = cookies;
  }

  static async load(account: Account, place: AccountPlace): Promise<AccountSession> {
    const stored = await place.jars.load(place.crawl, keyOf(account, place));
    return new AccountSession(account, place, stored, await cookiesOf(account, place, stored));
  }

  get cookies(): HostCookies {
    return this.#cookies;
  }

  get state(): AccountState {
    return this.#state;
  }

  /** Counts logins. */
  get generation(): number {
    return this.#stored?.generation ?? 0;
  }

  use(now: number): AccountUse {
    return useOf(this.#state, this.account.limits, now);
  }

  countPage(now: number): void {
    this.#state = withPage(this.#state, now);
    this.#isChanged = true;
  }

  /** If it has no login left for this hour, keeps that, for the operator. */
  noteWait(now: number): void {
    const next = withoutLogins(this.#state, this.account.limits, now);
    if (next === this.#state) return;
    this.#state = next;
    this.#isChanged = true;
  }

  /** Keeps how many accounts would do. */
  noteWanted(wanted: number): void {
    if (this.#state.wanted === wanted) return;
    this.#state = { ...this.#state, wanted };
    this.#isChanged = true;
  }

  /** Whether sessions have ended by a request of the URL. */
  endsBy(url: string): boolean {
    return this.#state.signOuts?.includes(url) === true;
  }

  /** A page has shown that its session holds. */
  noteShown(url: string): void {
    this.#state = shownAt(this.#state, url);
    this.#isChanged = true;
  }

  /** Whether a page at which a session has ended while it was rendered may be requested again: once. */
  mayRenderAgain(url: string): boolean {
    if (this.#state.rendered?.includes(url)) return false;
    this.#state = endedWhileRendered(this.#state, url);
    this.#isChanged = true;
    return true;
  }

  /** Its session has ended, as a request of the URL has shown: what this turn has changed of its cookies is dropped. */
  async signOut(url: string): Promise<void> {
    this.#state = endedAt(this.#state, url);
    this.#cookies = await cookiesOf(this.account, this.#place, this.#stored);
    this.#isChanged = true;
  }

  /** Takes over what others have stored since. Returns whether another worker has signed in. */
  async reload(): Promise<boolean> {
    const { generation } = this;
    const stored = await this.#place.jars.load(this.#place.crawl, keyOf(this.account, this.#place));
    if (stored?.version === this.#stored?.version) return false;
    this.#stored = stored;
    const isNew = this.generation > generation;
    this.#state = isNew ? stateOf(this.account, stored) : signedOut(stateOf(this.account, stored));
    this.#cookies = await cookiesOf(this.account, this.#place, stored);
    this.#isChanged = false;
    return isNew;
  }

  /**
   * Stores a state at once, with the cookies of a login if one has ended. False: another worker has written meanwhile, and nothing
   * was stored.
   */
  async store(state: AccountState, login?: HostCookies): Promise<boolean> {
    const { jars, crawl } = this.#place;
    login?.keepNew(false);
    const { version = 0, generation = 0, cookies = '[]' } = this.#stored ?? {};
    const next: StoredJar = {
      version: version + 1,
      generation: login ? generation + 1 : generation,
      cookies: login?.toText() ?? cookies,
      account: state,
    };
    if (!(await jars.replace(crawl, keyOf(this.account, this.#place), next))) return false;
    this.#stored = next;
    this.#state = state;
    if (login) this.#cookies = login;
    this.#isChanged = false;
    return true;
  }

  /** At the end of a turn: stores what it has changed, unless another worker has written meanwhile. */
  async save(): Promise<void> {
    if (!this.#isChanged && this.#cookies.changes === 0) return;
    const { jars, crawl } = this.#place;
    const { version = 0, generation = 0 } = this.#stored ?? {};
    const cookies = this.#cookies.toText();
    const next = { version: version + 1, generation, cookies, account: this.#state };
    await jars.replace(crawl, keyOf(this.account, this.#place), next);
  }
}

const keyOf = ({ name }: Account, { host }: AccountPlace): JarKey => ({
  domain: domainOf(host),
  account: name,
});

/** An account that never signs in has nothing but its cookies: it is signed in until it is found that it is not. */
const stateOf = ({ login }: Account, stored: StoredJar | undefined): AccountState =>
  stored?.account ?? (login ? NEW_ACCOUNT : { ...NEW_ACCOUNT, isSignedIn: true });

async function cookiesOf(
  account: Account,
  { host, clock }: AccountPlace,
  stored: StoredJar | undefined,
): Promise<HostCookies> {
  const { createHostCookies } = await import('../../access/host-cookies.ts');
  const given = stored ? [] : await account.cookies(host);
  return createHostCookies(() => clock.now(), stored?.cookies, given);
}
