/** Causes as sentences, for the command line, reports, exports and events. */
import type {
  Cause,
  CauseCode,
  DroppedLinksCause,
  NotRendered,
  PageStep,
  Price,
  RedirectCause,
  RefusalCause,
  TrapKind,
} from './cause.ts';

type CauseOf<Code extends CauseCode> = Extract<Cause, { readonly code: Code }>;

/** Describes a page that blocked its thread, and the action taken. */
const STEP_WORDS: Readonly<Record<PageStep, string>> = {
  parse: 'when it was parsed',
  robots: 'when its robots.txt was read',
  links: 'when its links were taken in',
  hook: 'in a hook of the project',
};

const NOT_FOLLOWED: Readonly<
  Record<Exclude<NonNullable<RedirectCause['notFollowed']>, 'redirects'>, string>
> = {
  scopeFull: 'the record of the crawl cannot hold another URL of its scope',
  otherSite: 'a sitemap of another site',
  otherHost: 'a request of the project that is not a plain GET is not sent to another host',
  urlLength: 'longer than maxUrlLength',
};

const JOINS_WORDS = ' (another site, which joins the crawl like a seed)';
const SOFT_WORDS = ' (meta refresh)';
const COOKIE_WORDS = ', with a cookie, which was not sent back (--host-cookies turn sends it)';
const NOT_FOUND_WORDS = ', as for a page that does not exist (soft 404)';
const JAVASCRIPT_WORDS =
  'it has scripts, but hardly any text or no links: probably it needs JavaScript (--render needed runs it)';
const NOT_RENDERED: Readonly<Record<NotRendered, string>> = {
  timedOut: 'it took too long',
  crashed: 'its browser process has ended',
  tooLarge: 'it is too large',
  noBrowser: 'the browser does not work',
};
const LOGIN_WORDS = 'it is a login page, to which a seed redirected';
/** The maximal number of characters shown of a target. */
const MAX_SHOWN_URL = 200;

/** The sentence of each cause. */
const WORDS: { readonly [Code in CauseCode]: (cause: CauseOf<Code>) => string } = {
  httpStatus: ({ httpStatus }) => `HTTP ${httpStatus}`,
  bodyBrokeOff: (cause) => breakText(cause),
  fetchFailed: ({ detail }) => detail,
  challenged: (cause) => refusalText(cause, `challenged by ${cause.vendor}`),
  blocked: (cause) => refusalText(cause, 'blocked', cause.detail),
  priced: (cause) => refusalText(cause, 'priced', cause.price && priceText(cause.price)),
  redirect: redirectText,
  redirectWithoutLocation: () => 'a redirect without Location',
  redirectToNoUrl: ({ location }) => `to ${location}, which is not an http(s) URL`,
  noindex: () => 'noindex',
  usageForbidden: ({ use, by }) =>
    `${by === 'license' ? 'the licence in robots.txt' : (by ?? 'it')} forbids its use (${use})`,
  otherLanguage: ({ language }) => `it is in another language (${language})`,
  nearDuplicate: ({ of, similarity, isSkipped, besides }) =>
    `its text is nearly the same as that of ${of} (${similarity.toFixed(2)})${isSkipped ? ', so it was skipped' : ''}${besides ? `; ${causeText(besides)}` : ''}`,
  softNotFound: ({ probe }) => `the same answer as for a page that does not exist (soft 404, by ${probe})`,
  needsJavaScript: () => JAVASCRIPT_WORDS,
  notRendered: ({ reason, detail }) =>
    `it was not rendered: ${NOT_RENDERED[reason]}${detail === undefined ? '' : ` (${detail})`}`,
  loginPage: () => LOGIN_WORDS,
  signOutLink: () => 'it would sign the account out',
  changeLink: () => 'signed in, it may change something at the site',
  badDocument: ({ detail }) => detail,
  bodyUndecoded: ({ detail, isAll }) => `the body cannot be decoded${isAll ? '' : ' to its end'} (${detail})`,
  documentUnread: ({ detail }) => `its text and links were not read: ${detail}`,
  documentCut: ({ detail }) => `it was not read to its end: ${detail}`,
  linksDropped: ({ besides, ...dropped }) =>
    besides === undefined ? droppedText(dropped) : `${droppedText(dropped)}; ${causeText(besides)}`,
  robotsDenied: ({ line, pattern }) =>
    line === undefined ? 'robots.txt' : `robots.txt, line ${line}: Disallow: ${pattern}`,
  robotsFailed: ({ detail }) => `robots.txt: ${detail}`,
  robotsStatus: ({ httpStatus }) => `robots.txt: the server answered HTTP ${httpStatus}`,
  robotsBrokeOff: (cause) => `robots.txt: ${breakText(cause)}`,
  robotsUndecoded: ({ detail }) => `robots.txt: the body cannot be decoded (${detail})`,
  robotsRedirectsTooSlow: () => 'robots.txt: its redirects take longer than a turn',
  robotsMoved: ({ to }) => `robots.txt: it redirects to ${to.slice(0, MAX_SHOWN_URL)}, which cannot be had`,
  crawlNotRunning: () => 'robots.txt: the crawl does not run',
  pagesPerTemplate: ({ template }) =>
    `enough pages with URLs like ${template} were fetched (--max-pages-per-template)`,
  trap: (trap) => `a trap: ${trapText(trap)}`,
  workerDied: ({ times, at }) =>
    `the worker died ${times} times when it fetched ${at === 'robots' ? 'its robots.txt' : 'this'}`,
  threadBlocked: blockText,
  robotsBlockedThread: (blocked) => `it ${blockText(blocked)}`,
  pagesBlockedThread: ({ pages, ...last }) =>
    `${pages} of its pages blocked their thread; the last one ${blockText(last)}`,
  ledgerUnreadable: ({ detail }) => `its stored state cannot be read: ${detail}`,
  hashRoute: () => 'a route behind #, which is not rendered, or shows nothing of its own',
  siteRemoved: () => 'the site is not in the list of sites any more',
  accountsLocked: ({ accounts, detail }) => `its accounts are locked (${accounts}): ${detail}`,
  hostFailed: () => 'it failed again and again',
  awaitsFirstVisit: () => "a seed that waits for its host's first visit",
  hookFailed: ({ detail }) => detail,
  ownRequest: ({ label }) =>
    `requested by the project${label === undefined ? '' : ` with the label ${JSON.stringify(label)}`}`,
  other: ({ text }) => text,
};

function refusalText({ at, httpStatus, asks }: RefusalCause, kind: string, detail?: string): string {
  const facts = detail === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}, ${detail}`;
  const need = asks ? 'waits for your cookies (resume --cookies): ' : '';
  return `${need}${at === undefined ? '' : 'robots.txt: '}${kind} (${facts})`;
}

/** A price in words: `USD 0.01`. */
export function priceText(price: Price): string {
  if (price.scheme === 'rsl') return `terms at ${price.license}`;
  if (price.scheme === 'cloudflare') return `${price.currency} ${price.amount}`;
  const on = price.network === undefined ? '' : ` on ${price.network}`;
  return `${price.amount} units of ${price.currency}${on}, x402`;
}

const breakText = ({ truncated, detail }: CauseOf<'bodyBrokeOff' | 'robotsBrokeOff'>): string =>
  `the body broke off (${detail ?? truncated})`;

/** All codes. */
export const CAUSE_CODES = Object.keys(WORDS) as readonly CauseCode[];

/** The cause as a sentence without a full stop. Not cut: the caller shortens the text for a line. */
export function causeText(cause: Cause): string {
  return (WORDS[cause.code] as (cause: Cause) => string)(cause);
}

/** As {@link causeText}, for a cause that may be undefined. */
export const optionalText = (cause: Cause | undefined): string | undefined => cause && causeText(cause);

/** The sentence about a URL, from its cause and the page that it is a duplicate of. */
export function resultText({
  cause,
  duplicateOf,
}: {
  readonly cause?: Cause | undefined;
  readonly duplicateOf?: string | undefined;
}): string | undefined {
  const words = optionalText(cause);
  if (duplicateOf === undefined) return words;
  return [words, `${DUPLICATE_WORDS}${duplicateOf}`].filter(Boolean).join('; ');
}

const DUPLICATE_WORDS = 'its canonical URL is ';

/** Why a URL of a closed group is left out. */
export function trapText({
  kind,
  group,
  isUnused = false,
}: {
  readonly kind: TrapKind;
  readonly group: string;
  readonly isUnused?: boolean;
}): string {
  const why = {
    template: `the last pages with URLs like ${group} ${isUnused ? 'said noindex and nofollow' : 'brought nothing new'}`,
    combinations: `combinations of parameters at ${group} brought no new pages`,
    folder: `the folder ${group} gives the same pages under ever new paths`,
  }[kind];
  return `${why} (--trap-after-pages 0 fetches them)`;
}

function blockText({ ms, step }: { readonly ms: number; readonly step: PageStep }): string {
  return `blocked its thread for ${Math.round(ms / 1000)} s ${STEP_WORDS[step]}`;
}

/** `23958 links left out: more than 100000 links`. */
const droppedText = ({ links, detail }: Pick<DroppedLinksCause, 'links' | 'detail'>): string =>
  `${links} ${links === 1 ? 'link' : 'links'} left out: ${detail}`;

function redirectText(cause: RedirectCause): string {
  const { to, isSoft, isNotFound, wantsCookie, joins, notFollowed, redirects } = cause;
  const why = notFollowed === 'redirects' ? `${redirects} redirects in a row` : NOT_FOLLOWED[notFollowed!];
  const rest = notFollowed === undefined ? '' : `, not followed: ${why}`;
  const kind = `${isSoft ? SOFT_WORDS : ''}${isNotFound ? NOT_FOUND_WORDS : ''}${wantsCookie ? COOKIE_WORDS : ''}`;
  return `to ${to}${joins ? JOINS_WORDS : ''}${rest}${kind}`;
}
