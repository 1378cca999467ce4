/**
 * The budget of a registrable domain by the domains that link to it (IRLbot's STAR: Lee, Leonard, Wang, Loguinov,
 * "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008). There the largest 10,000 share what a table gives them;
 * here a domain needs no other's rank, only the median of the crawl.
 */
import { countLinkers, type LinkerSketch, NO_LINKERS } from './linker-sketch.ts';

/** At most this many times the budget that each domain has: what a spammer can buy by many domains that link to one. */
export const MAX_GROWTH = 10;

/** Domains by how many link to them: a count for each rounded number of linking domains. */
export type LinkingCounts = Readonly<Record<string, number>>;

/** Domains to which one links that are assumed besides: the first that a crawl meets are not what most are like. */
const ASSUMED = 10;

/** Larger numbers are rounded, by half octaves. */
const EXACT = 12;

/** The rounded number under which a domain is counted to which `count` domains link. */
export function roundedLinkers(count: number): number {
  if (count <= EXACT) return count;
  return Math.round(EXACT * 2 ** (Math.round(2 * Math.log2(count / EXACT)) / 2));
}

/** The median of the domains that have any link, and of {@link ASSUMED}. */
export function medianLinkers(counts: LinkingCounts = {}): number {
  const known = Object.entries(counts)
    .map(([linkers, domains]) => [Number(linkers), domains] as const)
    .filter(([linkers, domains]) => linkers > 0 && domains > 0)
    .sort(([a], [b]) => a - b);
  const half = known.reduce((sum, [, domains]) => sum + domains, ASSUMED) / 2;
  let below = ASSUMED;
  if (below >= half) return 1;
  for (const [linkers, domains] of known) {
    below += domains;
    if (below >= half) return linkers;
  }
  return 1;
}

/**
 * `base` for domains to which no more than `median` link, and more by the square root, up to {@link MAX_GROWTH} times:
 * twice the budget for four times the domains, so that a hundred times the median's are worth the most. In proportion, a
 * farm of 50 domains that link to one another would have the most at once.
 */
export function budgetByLinks(base: number, linkers: LinkerSketch | undefined, median: number): number {
  const growth = Math.sqrt(countLinkers(linkers ?? NO_LINKERS) / Math.max(1, median));
  return Math.round(base * Math.min(MAX_GROWTH, Math.max(1, growth)));
}
