/** The scope, the politeness and the end of a crawl: settings that most crawls leave as they are. */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { between, pick, type Random } from '../models/random.ts';

/** Patterns that leave some pages of most hosts (`web/places.ts`), and all their roots. */
const INCLUDES = [
  '/$|\\.html$',
  '^https?://[^/]+/(?:[a-p]|$)',
  '\\d/?$|/$',
  'sim(?:-\\d)?\\.test(?::\\d+)?/[^?]*$',
];
const EXCLUDES = ['/private/', '\\.php', '[?&]sort=', '/deep/', '/news/', '[13579]\\.html$'];

/**
 * In a hundred crawls: 8 begin below a folder, 3 are of pages alone, 8 include, 12 exclude, 5 ignore
 * robots.txt.
 */
export function planScope(random: Random): CrawlOptions {
  const scope = pick(random, ['any', 'any', 'any', 'any', 'domain', 'host'] as const);
  const way = random();
  return {
    scope: way < 0.08 ? 'prefix' : way < 0.11 ? 'page' : scope,
    ...(random() < 0.08 && { include: [pick(random, INCLUDES)] }),
    ...(random() < 0.12 && { exclude: [pick(random, EXCLUDES)] }),
    ...(random() < 0.05 && { robots: 'ignore' as const }),
    ...(random() < 0.06 && { perHost: between(random, 2, 3) }),
  };
}

/**
 * In a hundred crawls of a web with requisites, 70 fetch those; and of these, half have a limit of pages, at
 * which they make their pages whole. The draws are their own, so that the other settings of a seed stay what
 * they are.
 */
export function planRequisites(random: Random): CrawlOptions {
  if (random() >= 0.7) return {};
  return { requisites: true, ...(random() < 0.5 && { maxPages: between(random, 1, 20) }) };
}

/**
 * In a hundred crawls: 40 look for traps among their first pages, 5 never do, 10 write no metadata records.
 * `hasSmallTraps`: a trap is one after a few pages; then all look early but those that never do.
 */
export function planPages(random: Random, hasSmallTraps: boolean): CrawlOptions {
  const way = random();
  const trapAfterPages = way < 0.05 ? 0 : way < 0.45 || hasSmallTraps ? between(random, 1, 6) : undefined;
  return {
    ...(trapAfterPages !== undefined && { trapAfterPages }),
    ...(random() < 0.3 && { trapMinNew: pick(random, [0.02, 0.3, 0.6]) }),
    ...(random() < 0.1 && { metadata: false }),
  };
}

/**
 * In a hundred crawls: 15 have a limit of pages, 20 one for each host, and 6 each one of bytes, time or
 * money.
 */
export function planLimits(random: Random): CrawlOptions {
  return {
    ...(random() < 0.15 && { maxPages: between(random, 3, 30) }),
    ...(random() < 0.2 && { maxPagesPerHost: between(random, 2, 12) }),
    ...(random() < 0.06 && { maxBytes: between(random, 1000, 40_000) }),
    ...(random() < 0.06 && { maxTimeMs: between(random, 5, 600) * 1000 }),
    ...(random() < 0.06 && { maxCost: between(random, 1, 40) / 100_000 }),
  };
}

/**
 * In a hundred crawls: 8 have a budget of a few pages for each registrable domain in a period of seconds to minutes, and
 * half of these, and 3 others, a limit of hosts. All hosts of a web are of one domain. The other crawls have none, or
 * where they go anywhere the default, which is more than a world has. Where hosts are of several `domains`, half of the
 * crawls have budgets, and most of these grow by links.
 */
export function planDomainLimits(random: Random, domains: number): CrawlOptions {
  const way = random();
  const hasBudget = way < (domains > 1 ? 0.5 : 0.08);
  return {
    ...(hasBudget && {
      ...(domains > 1 && random() < 0.7
        ? { domainBudget: `links:${between(random, 1, 4)}` as const }
        : random() < 0.3
          ? { domainBudget: 'off' as const, domainBudgets: { 'sim.test': between(random, 2, 12) } }
          : { domainBudget: between(random, 2, 12) }),
      domainBudgetEveryMs: pick(random, [30, 60, 300, 900]) * 1000,
    }),
    ...((way < 0.04 || (way >= 0.08 && way < 0.11)) && { maxHostsPerDomain: between(random, 1, 3) }),
  };
}

/** In a hundred crawls 15 have a quota of pages for each URL template of a host. */
export function planTemplateQuota(random: Random): CrawlOptions {
  return random() < 0.15 ? { maxPagesPerTemplate: between(random, 1, 6) } : {};
}

/**
 * Where hosts share IP addresses, 70 of 100 crawls give these a pace; 10 others, whose hosts are alone at theirs, do so, too.
 * `hasShared`: hosts share addresses.
 */
export function planAddressPace(random: Random, hasShared: boolean): CrawlOptions {
  if (random() >= (hasShared ? 0.7 : 0.1)) return {};
  return { ipDelayMs: pick(random, [50, 250, 1000, 3000]) };
}

/**
 * In a hundred crawls, 12 take of some or all hosts a few hundred bytes a second at most: a page, which has mostly 600, is then
 * followed by a rest of seconds, and a large one by one of minutes.
 */
export function planByteRate(random: Random): CrawlOptions {
  if (random() >= 0.12) return {};
  const rate = () => pick(random, [100, 100, 300, 2000]);
  const some = { hosts: pick(random, HOSTS_WITH_HOURS), maxBytesPerSecondPerHost: rate() };
  return {
    ...(random() < 0.6 && { maxBytesPerSecondPerHost: rate() }),
    ...(random() < 0.6 && { overrides: [some] }),
  };
}

/** In a hundred crawls, 12 take of all hosts together some hundred bytes a second at most: about a page in some seconds. */
export function planCrawlRate(random: Random): CrawlOptions {
  return random() < 0.12 ? { maxBytesPerSecond: pick(random, [100, 100, 200, 500, 2000]) } : {};
}

/**
 * Where hosts state what their pages may be used for, 80 of 100 crawls have a purpose; 5 others, whose hosts state nothing, do so,
 * too. `states`: hosts do.
 */
export function planPurpose(random: Random, states: boolean): CrawlOptions {
  if (random() >= (states ? 0.8 : 0.05)) return {};
  return { purpose: pick(random, ['search', 'train-ai', 'train-ai', 'archive'] as const) };
}

/**
 * In a hundred crawls, 5 read no sitemaps that robots.txt names, and 12 ask for the well-known one where it names none.
 */
export function planSitemaps(random: Random): CrawlOptions {
  const way = random();
  if (way < 0.05) return { sitemaps: 'off' };
  return way < 0.17 ? { sitemaps: 'find' } : {};
}

/** The sitemaps of XML of a web have times between these days (`web/lists.ts`). */
const SINCE = ['2023-12-31', '2024-06-15', '2024-11-01T12:30:00Z', '2025-05-01'];

/**
 * In a hundred crawls of a web that names sitemaps, 20 are given one or two of them, wherever these are. Where these have times
 * of changes, half of the crawls leave out what was modified long ago.
 */
export function planGivenSitemaps(
  random: Random,
  { someSitemap, hasDates }: { readonly someSitemap: (random: Random) => string; readonly hasDates: boolean },
): CrawlOptions {
  const given =
    random() < 0.2 ? Array.from({ length: between(random, 1, 2) }, () => someSitemap(random)) : [];
  return {
    ...(given.length > 0 && { sitemapUrls: [...new Set(given)] }),
    ...(hasDates && random() < 0.5 && { modifiedSince: pick(random, SINCE) }),
  };
}

/** In a hundred crawls of a web with feeds, 20 leave out those that pages name as their alternate. */
export const planFeeds = (random: Random, hasFeeds: boolean): CrawlOptions =>
  hasFeeds && random() < 0.2 ? { feeds: false } : {};

/** Where scripts fill pages, 70 of 100 crawls render all pages, the others those that need it. Scripts are no requisites there. */
export const planRendering = (random: Random): CrawlOptions => ({
  render: random() < 0.7 ? 'always' : 'needed',
  requisites: false,
});

/** In a hundred crawls of a web whose pages name canonical URLs, 10 do not go by these. */
export const planCanonicals = (random: Random, hasCanonicals: boolean): CrawlOptions =>
  hasCanonicals && random() < 0.1 ? { obeyCanonical: false } : {};

/** Patterns of hosts: all, and some (`web/hosts.ts`). */
const HOSTS_WITH_HOURS = [['*'], ['h0.*', 'h2.*'], ['h1*'], ['*.sim.test']];
const DAY_MINUTES = 1440;
/** Least of a range, in minutes (`crawl/host-hours.ts`). */
const RANGE_MINUTES = 15;

/**
 * In a hundred crawls, 12 have hosts that may be asked in some quarters of an hour only, with a few minutes between these. A
 * world begins at midnight, UTC: within a quarter that ends soon, or before the first.
 */
export function planHours(random: Random): CrawlOptions {
  if (random() >= 0.12) return {};
  const first = between(random, 0, 4);
  const closed = between(random, 1, 12);
  const { zone, ahead } = pick(random, [
    { zone: undefined, ahead: 0 },
    { zone: 'Asia/Tokyo', ahead: 540 },
    { zone: 'America/New_York', ahead: -300 },
  ]);
  const ranges: string[] = [];
  for (let end = first; end < DAY_MINUTES; end += RANGE_MINUTES + closed)
    ranges.push(`${clockText(end - RANGE_MINUTES + ahead)}-${clockText(end + ahead)}`);
  return {
    overrides: [
      {
        hosts: pick(random, HOSTS_WITH_HOURS),
        hours: ranges.join(),
        ...(zone !== undefined && { timeZone: zone }),
        ...(random() < 0.5 && { days: 'wed-fri' }),
      },
    ],
  };
}

/** `minute`: of the day, or of the one before or after it. */
function clockText(minute: number): string {
  const ofDay = (minute + DAY_MINUTES) % DAY_MINUTES;
  return `${Math.floor(ofDay / 60)}:${String(ofDay % 60).padStart(2, '0')}`;
}
