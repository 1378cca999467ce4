/** Counts the answers of a turn as a part of the pass over the pages of a site, and notices its end. */
import { type Cause, isRefusal } from '../../core/causes/cause.ts';
import { causeText } from '../../core/causes/cause-text.ts';
import {
  beginPass,
  isOver,
  outcomeOf,
  type SiteAnswer,
  type SiteOutcome,
  type SitePass,
} from '../../core/frontier/site-pass.ts';
import type { SiteVisit } from '../../core/frontier/site-visit.ts';
import type { UrlState } from '../../core/frontier/url-record.ts';
import { hostKey } from '../../core/url/host-key.ts';
import type { FetchTimes } from './recrawl/fetch-times.ts';
import type { TurnCrawl } from './turn-crawl.ts';

export interface SiteWatchOptions {
  readonly crawl: Pick<TurnCrawl, 'host' | 'site' | 'sites'>;
  readonly recrawl: { readonly times: Pick<FetchTimes, 'nextPassAt'> };
  /** As it stands in the host's head. */
  readonly pass: SitePass | undefined;
}

/** A final response of the host in this pass, or why no request was sent. `state`: by this response. */
export interface HostAnswer {
  readonly isPage: boolean;
  readonly state: UrlState;
  readonly httpStatus?: number | undefined;
  readonly cause?: Cause | undefined;
  /** When the request began. */
  readonly at: number;
}

export interface PassEnd {
  readonly now: number;
  /** When the next URL of the host is due; Infinity: none is. */
  readonly urlDueAt: number;
  /** Why this turn has given up the host. */
  readonly givenUp: Cause | undefined;
}

const MAX_CAUSE_CHARS = 200;
/** Unauthorized, forbidden, too many requests, unavailable for legal reasons. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403, 429, 451]);
/** The host does not exist: its name is unknown, or reserved. */
const NO_HOST: ReadonlySet<string | undefined> = new Set(['noSuchHost', 'reservedName']);
/** A pass is not kept open for a page that has failed and is tried again after a day. */
const SOON_MS = 12 * 3_600_000;

export class SiteWatch {
  readonly #options: SiteWatchOptions;
  readonly #visits: SiteVisit[] = [];
  #pass: SitePass | undefined;

  constructor(options: SiteWatchOptions) {
    this.#options = options;
    this.#pass = options.pass;
  }

  /** The pass as it is to be stored; undefined for a host of no site. */
  get pass(): SitePass | undefined {
    return this.#pass;
  }

  /** The ends of passes that this turn has seen. */
  get visits(): readonly SiteVisit[] {
    return this.#visits;
  }

  count({ isPage, state, httpStatus, cause, at }: HostAnswer): void {
    if (!this.#isWatched) return;
    const pass = this.#passAt(at);
    const answer = isPage ? answerOf(state, httpStatus, cause) : undefined;
    const to = isPage && cause?.code === 'redirect' ? hostKey(cause.to) : undefined;
    const isMoved = to !== undefined && to !== this.#options.crawl.host && pass.to === undefined;
    this.#pass = {
      ...pass,
      ...(answer && { [answer]: (pass[answer] ?? 0) + 1 }),
      ...(answer === 'pages' && { seenAt: Math.max(pass.seenAt ?? 0, at) }),
      ...(isMoved && { to }),
      ...(answer && answer !== 'pages' && pass.cause === undefined && { cause: textOf(cause, httpStatus) }),
    };
  }

  /** Ends the pass if nothing more comes of it soon. */
  end({ now, urlDueAt, givenUp }: PassEnd): void {
    if (!this.#isWatched) return;
    const pass = givenUp ? this.#passAt(now) : this.#pass;
    if (!pass) return;
    const isLate = isOver(pass, now);
    const isDone = givenUp !== undefined || urlDueAt >= Math.min(pass.until ?? Infinity, now + SOON_MS);
    this.#pass = isDone || isLate ? this.#reported(pass, now, isDone, givenUp) : pass;
  }

  get #isWatched(): boolean {
    const { site } = this.#options.crawl;
    return site !== undefined && !site.isRemoved;
  }

  /** The pass to which a response of that time belongs. A pass that it ends is reported. */
  #passAt(at: number): SitePass {
    const last = this.#pass;
    if (last && !isOver(last, at)) return last;
    const { at: until, isPartial } = this.#options.recrawl.times.nextPassAt(at);
    const begun = beginPass(last && this.#reported(last, at, false, undefined), at, until);
    return { ...begun, ...(isPartial && { isPartial }) };
  }

  /** The pass after its outcome is reported, if it has one that was not reported before. */
  #reported(pass: SitePass, now: number, isWhole: boolean, givenUp: Cause | undefined): SitePass {
    const isCut = !isWhole && pass.said === undefined;
    const seen: SitePass = isCut ? { ...pass, isPartial: true } : pass;
    const outcome = outcomeOf(seen) ?? (givenUp && outcomeOfHost(givenUp));
    if (outcome === undefined || outcome === pass.said) return pass;
    const cause = seen.cause ?? (givenUp && textOf(givenUp, undefined));
    const said = { ...seen, said: outcome, saidAt: now, ...(cause !== undefined && { cause }) };
    this.#report(said, outcome);
    return said;
  }

  /** Not for a host that redirects to another one of its own site: that one speaks for it. */
  #report(pass: SitePass, outcome: SiteOutcome): void {
    const { host, site, sites } = this.#options.crawl;
    const { since, saidAt = since, pages, gone, blocked, failed, before, cause, to, isPartial } = pass;
    if (site === undefined || (outcome === 'moved' && to !== undefined && sites?.of(to) === site)) return;
    this.#visits.push({
      id: `${new Date(since).toISOString()} ${outcome} ${host}`,
      site: site.url,
      host,
      ...(site.group !== undefined && { group: site.group }),
      outcome,
      at: new Date(saidAt).toISOString(),
      pages,
      ...(before !== undefined && { pagesBefore: before }),
      ...(gone !== undefined && { gone }),
      ...(blocked !== undefined && { blocked }),
      ...(failed !== undefined && { failed }),
      ...(outcome === 'moved' && to !== undefined && { movedTo: to }),
      ...(outcome !== 'done' && cause !== undefined && { cause }),
      ...(isPartial && { isPartial }),
    });
  }
}

function answerOf(
  state: UrlState,
  httpStatus: number | undefined,
  cause: Cause | undefined,
): SiteAnswer | undefined {
  switch (state) {
    case 'fetched':
      return 'pages';
    case 'gone':
      return 'gone';
    case 'deniedByRobots':
      return 'blocked';
    case 'failed':
      return REFUSALS.has(httpStatus) || isRefusal(cause) ? 'blocked' : 'failed';
    default:
      return undefined;
  }
}

/** The host was given up, and none of its pages was answered. */
function outcomeOfHost(cause: Cause): SiteOutcome {
  if (cause.code === 'fetchFailed' && NO_HOST.has(cause.failure)) return 'gone';
  const { httpStatus } = cause as { readonly httpStatus?: number };
  return REFUSALS.has(httpStatus) || isRefusal(cause) ? 'blocked' : 'failed';
}

function textOf(cause: Cause | undefined, httpStatus: number | undefined): string {
  const text = cause ? causeText(cause) : `HTTP ${httpStatus}`;
  return text.length <= MAX_CAUSE_CHARS ? text : `${text.slice(0, MAX_CAUSE_CHARS)}...`;
}
