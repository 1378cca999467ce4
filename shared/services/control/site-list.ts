/** The list of sites of a crawl as an operator gives it, and as it is shown with the visits of each. */
import { orExplained } from '../../core/base/explain-errors.ts';
import { checkSites } from '../../core/crawl/check-sites.ts';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import {
  type Site,
  type SiteChanges,
  type SiteOptions,
  Sites,
  type SitesRef,
} from '../../core/crawl/sites.ts';
import type { CrawlRecord, CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { planSiteChanges, storeSiteChanges } from '../begin/change-sites.ts';
import { isWanted, type SiteEntries, siteEntries } from '../report/site-entries.ts';
import { asRefusal, orRefused } from './as-refusal.ts';
import { checkBounds } from './check-bounds.ts';
import { checkPatterns } from './check-patterns.ts';
import { configOf } from './config-of.ts';
import { ControlError, type SitePage, type SitePageRequest } from './control.ts';
import { type DeployerLimits, limitedOptions } from './deployer-limits.ts';
import { checkedLimit } from './host-queries.ts';

/** The limits for the crawls of an engine, as far as they concern sites. */
export interface SitePolicy {
  readonly defaults: CrawlOptions;
  readonly limits?: DeployerLimits;
}

/** Throws {@link ControlError} that names the first site at fault. */
export function planSites(
  given: readonly SiteOptions[],
  config: CrawlConfig,
  { defaults, limits = {} }: SitePolicy,
): Site[] {
  const plan = () => {
    const sites = checkSites(given, (index) => `sites.${index}`, config);
    const ofDeployment = parseConfig(defaults);
    for (const [index, site] of sites.entries()) {
      const {
        url: _,
        group: __,
        isRemoved: ___,
        recrawlEveryMs,
        recrawlSchedule,
        recrawlTimeZone,
        ...own
      } = site;
      const override = { ...own, hosts: ['*'] };
      checkEach(index, () => {
        checkBounds({ overrides: [override] }, ofDeployment);
        checkPatterns({ include: own.include ?? [], exclude: own.exclude ?? [] }, config.maxUrlLength);
        limitedOptions({ overrides: [override] }, defaults, limits);
      });
    }
    return sites;
  };
  return orExplained(plan, (error) => asRefusal(error, 'sites'));
}

export interface SiteChange extends SitePolicy {
  readonly registry: Pick<CrawlRegistry, 'readSites' | 'setSites' | 'storeSites'>;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  /** Resolves when the processes that work on the crawl know the new list. */
  readonly untilHeard: () => Promise<void>;
  /** Sends seeds to the crawl, and sets it running if it was finished. */
  readonly bring: (urls: readonly string[]) => Promise<void>;
}

/**
 * Replaces the list of sites of a crawl. In this order, so that a crash loses nothing: the list, the status, the seeds. Throws
 * {@link ControlError}.
 */
export async function changeSites(
  { registry, crawl, record, untilHeard, bring, ...policy }: SiteChange,
  given: readonly SiteOptions[],
): Promise<SiteChanges> {
  const config = configOf(crawl, record);
  const next = planSites(given, config, policy);
  const before = record.sites ? await registry.readSites(crawl, record.sites) : [];
  const { changes, seeds, ...planned } = orRefused(() => planSiteChanges(before, next, config));
  await storeSiteChanges(registry, crawl, planned);
  if (seeds.length > 0) {
    await untilHeard();
    await bring(seeds);
  }
  return changes;
}

/** Names the site instead of the override that it is checked as. */
function checkEach(index: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const message = error.message.replaceAll(/config\.(overrides\.0\.)?/g, `sites.${index}.`);
    throw new ControlError(error.code, message, 'sites');
  }
}

export interface SiteListEngine {
  readonly registry: Pick<CrawlRegistry, 'readSites'>;
  readonly ledgers: Pick<LedgerStore, 'sitePasses'>;
  readonly clock: { readonly now: () => number };
}

/** The numbers of a crawl's sites, as its summary has them. */
export const siteCounts = async (
  engine: SiteListEngine,
  crawl: CrawlId,
  { sites }: Pick<CrawlRecord, 'sites'>,
): Promise<SiteEntries['counts']> => (await entriesOf(engine, crawl, sites)).counts;

async function entriesOf(
  { registry, ledgers, clock }: SiteListEngine,
  crawl: CrawlId,
  ref: SitesRef | undefined,
): Promise<SiteEntries> {
  if (ref === undefined) return { entries: [], counts: {} };
  const sites = new Sites(await registry.readSites(crawl, ref));
  return siteEntries(sites, ledgers.sitePasses(crawl), clock.now());
}

/** The cursor is the number of sites before the page: a list that is replaced meanwhile may repeat some. */
export async function pageOfSites(
  engine: SiteListEngine,
  crawl: CrawlId,
  { sites: ref }: Pick<CrawlRecord, 'sites'>,
  { cursor, limit, ...filter }: SitePageRequest,
): Promise<SitePage> {
  const most = checkedLimit(limit);
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from) || from < 0)
    throw new ControlError('invalid', `Expected a cursor that an earlier page gave, got ${cursor}`, 'cursor');
  const { entries, counts } = await entriesOf(engine, crawl, ref);
  const wanted = entries.filter((entry) => isWanted(entry, filter));
  const next = from + most < wanted.length ? { cursor: String(from + most) } : {};
  return { counts, sites: wanted.slice(from, from + most), ...next };
}
