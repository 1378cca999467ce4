import { isChangeUrl } from '../../../core/access/change-urls.ts';
import { isSignOutUrl } from '../../../core/access/sign-in-urls.ts';
import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import type { TrapWatch } from '../../../core/frontier/trap-watch.ts';
import {
  isRefetch,
  isRestoredDuplicate,
  type UrlRecord,
  type UrlState,
} from '../../../core/frontier/url-record.ts';
import { robotsUrl } from '../../../core/robots/policy.ts';
import type { RobotsRules } from '../../../core/robots/robots-rules.ts';
import { isAllowed } from '../../../core/robots/rules.ts';
import { isRoute } from '../../../core/url/hash-route.ts';
import { pathOf } from '../../../core/url/host-key.ts';
import { fetchedUrl, isOwnRequest } from '../../../core/url/request-url.ts';
import { forbiddenUse } from '../../../core/usage/purpose.ts';
import type { UsageStatement } from '../../../core/usage/usage-statement.ts';
import { isDraining } from '../../crawl-state/drain.ts';
import { createOwnHeaders, type OwnHeaders } from '../../fetcher/own-headers.ts';
import type { TurnAccess } from '../access/turn-access.ts';
import type { TurnCounters } from '../counters.ts';
import type { HostPace } from '../pace/host-pace.ts';
import { watchKills } from '../page/kill-watch.ts';
import type { PageAllowance } from '../page/page-allowance.ts';
import { causeOfDeath, type Quarantine } from '../quarantine.ts';
import type { TurnRendering } from '../render/turn-rendering.ts';
import type { RobotsAccess, RobotsKeeper } from '../robots/robots-keeper.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { UsageKeeper } from '../usage-keeper.ts';
import type { TemplateQuota } from './template-quota.ts';

/** The decision about a URL that was taken from the ledger. `record`: as it is to be settled. */
export type Admission =
  /** It is fetched now. Unless it is a requisite, a page is reserved for it and begun. */
  | { readonly outcome: 'fetch' }
  /** It is settled without a request to its own URL, and the turn continues. */
  | { readonly outcome: 'unasked'; readonly record: UrlRecord }
  /** It waits again, and the turn continues. */
  | { readonly outcome: 'putBack'; readonly record: UrlRecord }
  /**
   * It is settled, and the turn takes no further URL. `seedCause`: the cause that is reported to the operator
   * if it is a seed.
   */
  | { readonly outcome: 'turnEnds'; readonly record: UrlRecord; readonly seedCause?: Cause };

const FETCH: Admission = { outcome: 'fetch' };

/** Parts of the names of headers by which a site knows who asks: `Authorization`, `X-Api-Key`, `Private-Token`. */
const CREDENTIAL = /auth|cookie|credential|key|password|secret|session|token/i;

/** Whether a page of the budget is used for it. */
const isNewPage = (record: UrlRecord): boolean =>
  record.kind !== 'requisite' && !isRefetch(record) && !isRestoredDuplicate(record);

export interface UrlAdmissionOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly quarantine: Quarantine;
  readonly traps: TrapWatch;
  readonly templates: TemplateQuota;
  readonly robots: RobotsKeeper;
  readonly usage: Pick<UsageKeeper, 'ofRobots' | 'ofFiles' | 'missing' | 'fetch'>;
  readonly pace: HostPace;
  readonly access: Pick<TurnAccess, 'accounts' | 'mayRequest'>;
  readonly allowance: PageAllowance;
  /** Undefined: the crawl does not render pages. */
  readonly rendering?: Pick<TurnRendering, 'admits'> | undefined;
}

/** Decides whether a URL is fetched. Each check returns why it is not, or undefined for the next check. */
export class UrlAdmission {
  readonly #services: Pick<TurnServices, 'engine' | 'crawls' | 'work' | 'stopping'>;
  readonly #options: UrlAdmissionOptions;
  /** The operator may be known to the site by them. */
  readonly #ownHeaders: OwnHeaders;

  constructor(
    services: Pick<TurnServices, 'engine' | 'crawls' | 'work' | 'stopping'>,
    options: UrlAdmissionOptions,
  ) {
    this.#services = services;
    this.#options = options;
    this.#ownHeaders = createOwnHeaders(options.crawl.config);
  }

  /** `origin`: of the URL. */
  async decide(record: UrlRecord, origin: string): Promise<Admission> {
    const { pace, quarantine, robots } = this.#options;
    const cause = quarantine.causeOf(record.url);
    if (cause !== undefined) return this.#giveUpBlocked(record, cause);
    const rules = robots.knownInHead(origin);
    const refusal =
      this.#checkRoute(record) ??
      this.#checkAccount(record) ??
      this.#checkTraps(record) ??
      this.#checkTemplate(record) ??
      (rules ? this.#checkRules(record, rules) : await this.#checkRobots(record, origin)) ??
      (this.#heedsUsage(record) ? await this.#checkUsage(record) : undefined);
    if (refusal) return refusal;
    const { access } = this.#options;
    if (access.accounts) {
      const crawlDelayMs = robots.crawlDelayMs(origin);
      if (!(await access.mayRequest(pace, { origin, crawlDelayMs }))) return { outcome: 'turnEnds', record };
      // A login may have found that the URL has ended the sessions before.
      const signsOut = this.#checkAccount(record);
      if (signsOut) return signsOut;
    }
    // robots.txt may have taken the host's moment.
    if (!pace.isMoment() && !(await pace.waitForMoment())) return { outcome: 'turnEnds', record };
    if (!quarantine.isAnnouncing && this.#beginsAtOnce(record)) return FETCH;
    const suspicion = quarantine.isAnnouncing ? await this.#checkIntent(record) : undefined;
    return suspicion ?? (await this.#checkBudget(record)) ?? FETCH;
  }

  /** A route behind `#` that is not rendered would be its page once more. */
  #checkRoute(record: UrlRecord): Admission | undefined {
    const { rendering } = this.#options;
    if (!isRoute(record.url) || rendering?.admits(record.url) === true) return undefined;
    return this.#unasked(record, 'skipped', { code: 'hashRoute' });
  }

  /** A page that blocked its thread is not fetched again. */
  async #giveUpBlocked(record: UrlRecord, cause: Cause): Promise<Admission> {
    const given = this.#unasked(record, 'failed', cause);
    await this.#countHarm('blocked', record.url);
    return given;
  }

  /** Nobody who is signed in signs out, or changes something unless the operator has named the URL. */
  #checkAccount(record: UrlRecord): Admission | undefined {
    const { accounts } = this.#options.access;
    const url = fetchedUrl(record.url);
    const isNamed = record.depth === 0 || isOwnRequest(record.url);
    if (accounts === undefined && (isNamed || !this.#hasCredentials(url))) return undefined;
    if (accounts ? accounts.isSignOut(url) : isSignOutUrl(url))
      return this.#unasked(record, 'skipped', { code: 'signOutLink' });
    if (isNamed || !isChangeUrl(url)) return undefined;
    this.#options.counters.count('hints', 'changeLink');
    return this.#unasked(record, 'skipped', { code: 'changeLink' });
  }

  /** Whether a cookie, a password or a key of the operator's settings goes with it. */
  #hasCredentials(url: string): boolean {
    const sent = this.#ownHeaders(url, () => this.#services.engine.clock.now());
    return sent !== undefined && Object.keys(sent).some((name) => CREDENTIAL.test(name));
  }

  #checkTraps(record: UrlRecord): Admission | undefined {
    // A page that was fetched has brought what it could.
    if (isRefetch(record) || isRestoredDuplicate(record)) return undefined;
    if (record.depth === 0 || record.kind !== undefined || isOwnRequest(record.url)) return undefined;
    const trap = this.#options.traps.closedBy(record.url);
    if (trap === undefined) return undefined;
    this.#options.counters.count('hints', 'trap');
    return this.#unasked(record, 'skipped', { code: 'trap', ...trap, group: boundedText(trap.group) });
  }

  /** A page that was fetched has counted. */
  #checkTemplate(record: UrlRecord): Admission | undefined {
    const template =
      isRefetch(record) || isRestoredDuplicate(record)
        ? undefined
        : this.#options.templates.fullTemplateOf(record);
    return template === undefined
      ? undefined
      : this.#unasked(record, 'skipped', { code: 'pagesPerTemplate', template });
  }

  async #checkRobots(record: UrlRecord, origin: string): Promise<Admission | undefined> {
    const { robots } = this.#options;
    const known = await robots.known(origin);
    if (known) return this.#checkRules(record, known);
    const url = robotsUrl(origin) as string;
    const refusal = await this.#announceFile(record, url);
    if (refusal) return refusal;
    const access = await robots.fetch(origin);
    this.#options.quarantine.clear(url);
    return access.kind === 'known'
      ? this.#checkFetchedRules(record, access.rules)
      : this.#withoutRules(record, access);
  }

  /**
   * Announces a robots.txt, or a file beside it. A file that has killed too many workers is not fetched: the host is
   * given up.
   */
  async #announceFile(record: UrlRecord, url: string): Promise<Admission | undefined> {
    const { quarantine, pace } = this.#options;
    const answer = await quarantine.announce(url);
    if (answer === 'allowed') return undefined;
    if (answer === 'quarantined') {
      pace.giveUp(causeOfDeath('robots'));
      await this.#countHarm('killed', url);
    }
    quarantine.clear(url);
    return { outcome: 'turnEnds', record };
  }

  /** Decides about a URL when the rules of its origin cannot be fetched now. */
  async #withoutRules(
    record: UrlRecord,
    access: Exclude<RobotsAccess, { kind: 'known' }>,
  ): Promise<Admission> {
    const { pace } = this.#options;
    switch (access.kind) {
      case 'blocked':
        return this.#unasked(record, 'skipped', access.cause);
      case 'closed':
        return this.#ofClosedOrigin(record, access);
      case 'awaited':
        return { outcome: 'putBack', record: { ...record, dueAt: pace.nextFetchAt } };
      case 'unreachable': {
        if (this.#services.stopping.aborted) return { outcome: 'turnEnds', record };
        // The next turn begins with another URL, which may belong to the host's other origin, which answers.
        const dueAt = pace.nextFetchAt + 1;
        await pace.giveUpIfHopeless();
        return { outcome: 'turnEnds', record: { ...record, dueAt }, seedCause: access.cause };
      }
    }
  }

  /**
   * Puts off a URL whose origin's robots.txt cannot be fetched, or gives it up after as many tries as any.
   */
  #ofClosedOrigin(
    record: UrlRecord,
    { cause, until }: { readonly cause: Cause; readonly until: number },
  ): Admission {
    const attempts = record.attempts + 1;
    const isLast = attempts >= this.#options.crawl.config.maxAttempts;
    const dueAt = isLast ? 0 : until;
    return this.#unasked({ ...record, attempts, dueAt }, isLast ? 'failed' : 'waiting', cause);
  }

  async #checkFetchedRules(record: UrlRecord, rules: RobotsRules): Promise<Admission | undefined> {
    const { pace } = this.#options;
    // robots.txt may have failed once more, while old rules are still used.
    await pace.giveUpIfHopeless();
    return pace.givenUp ? { outcome: 'turnEnds', record } : this.#checkRules(record, rules);
  }

  #checkRules(record: UrlRecord, rules: RobotsRules): Admission | undefined {
    const { url } = record;
    const { allowed, rule } = this.#services.work.run(this.#options.crawl.id, url, 'robots', () =>
      isAllowed(rules, pathOf(fetchedUrl(url))),
    );
    if (allowed) return undefined;
    const by = rule && { line: rule.line, pattern: boundedText(rule.pattern) };
    return this.#unasked(record, 'deniedByRobots', { code: 'robotsDenied', ...by });
  }

  /** A sitemap only names content. */
  #heedsUsage({ kind }: UrlRecord): boolean {
    return this.#options.crawl.config.purpose !== undefined && kind !== 'sitemap';
  }

  /**
   * Content that robots.txt, or a licence that it names, reserves for other purposes is not fetched. Files of other kinds
   * are fetched first, too: they count unless the page itself says otherwise.
   */
  async #checkUsage(record: UrlRecord): Promise<Admission | undefined> {
    const { pace, quarantine, usage } = this.#options;
    const url = fetchedUrl(record.url);
    const denied = this.#usageRefusal(record, await usage.ofRobots(url), 'robots.txt');
    if (denied) return denied;
    for (const file of await usage.missing(url)) {
      if (!(await pace.waitForMoment())) return { outcome: 'turnEnds', record };
      const refusal = await this.#announceFile(record, file);
      if (refusal) return refusal;
      await usage.fetch(file);
      quarantine.clear(file);
    }
    const licensed = (await usage.ofFiles(url)).filter(({ source }) => source === 'license');
    return this.#usageRefusal(record, licensed, 'license');
  }

  #usageRefusal(
    record: UrlRecord,
    stated: readonly UsageStatement[],
    by: 'robots.txt' | 'license',
  ): Admission | undefined {
    const use = forbiddenUse(this.#options.crawl.config.purpose, stated);
    return use === undefined
      ? undefined
      : this.#unasked(record, 'deniedByRobots', { code: 'usageForbidden', use, by });
  }

  async #checkIntent(record: UrlRecord): Promise<Admission | undefined> {
    const answer = await this.#options.quarantine.announce(record.url);
    if (answer === 'allowed') return undefined;
    if (answer === 'busy') return { outcome: 'turnEnds', record };
    await this.#countHarm('killed', record.url);
    // Must be committed before the next URL is announced, which perhaps kills, too.
    const result = { fetchedAt: this.#now(), cause: causeOfDeath('page') };
    return { outcome: 'turnEnds', record: { ...record, state: 'failed', result } };
  }

  async #countHarm(harm: 'killed' | 'blocked', url: string): Promise<void> {
    const { counters, crawl } = this.#options;
    counters.countError(harm);
    await watchKills(this.#services, crawl, url);
  }

  /** Begins a page if no limit has to be waited for. The host's moment must have come. */
  #beginsAtOnce(record: UrlRecord): boolean {
    const { templates, allowance } = this.#options;
    if (!isNewPage(record) || !templates.tryReserve(record)) return false;
    const isBegun = allowance.tryBegin();
    if (!isBegun) templates.end(record, false);
    return isBegun;
  }

  async #checkBudget(record: UrlRecord): Promise<Admission | undefined> {
    const { templates } = this.#options;
    if (!isNewPage(record)) return this.#checkLimits(record, false);
    if (!(await templates.reserve(record))) return this.#checkTemplate(record);
    let isBegun = false;
    try {
      const refusal = await this.#checkLimits(record, true);
      isBegun = refusal === undefined;
      return refusal;
    } finally {
      // Lanes may wait for it.
      if (!isBegun) templates.end(record, false);
    }
  }

  async #checkLimits(record: UrlRecord, isPage: boolean): Promise<Admission | undefined> {
    const { allowance, crawl, pace, quarantine } = this.#options;
    const isWithin = isPage ? await allowance.reserve() : allowance.allowsRequisites;
    const mayGoOn = !quarantine.isAnnouncing;
    if (!isWithin) {
      const hasMore = isDraining(crawl) || allowance.isDomainOut;
      return { outcome: mayGoOn && hasMore ? 'putBack' : 'turnEnds', record };
    }
    // The announcements and the pages of others may have been waited for.
    const isTooLate = !pace.isMoment() && !(await pace.waitForMoment());
    if (!isTooLate && !(isPage && allowance.isHostFull)) {
      // Not later: another lane may run this code at the same moment.
      if (isPage) allowance.begin();
      return undefined;
    }
    if (isPage) allowance.cancel();
    return { outcome: mayGoOn && !isTooLate ? 'putBack' : 'turnEnds', record };
  }

  #unasked(record: UrlRecord, state: UrlState, cause: Cause): Admission {
    return { outcome: 'unasked', record: { ...record, state, result: { fetchedAt: this.#now(), cause } } };
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}
