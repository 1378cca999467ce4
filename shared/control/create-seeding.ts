import { parseConfig } from '../crawl/config.ts';
import type { CrawlId } from '../crawl/crawl-id.ts';
import { seedLinks } from '../frontier/seed-links.ts';
import { type CrawlRecord, CrawlTooLarge } from '../ports/crawl-registry.ts';
import { quoted } from '../text/printable.ts';
import { checkRequest } from './check-request.ts';
import { type AddedSeeds, type Control, ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { checkRules, createFinder } from './find-crawl.ts';
import { type ControlPolicy, checkContact, type PlannedCrawl, planCrawl } from './plan-crawl.ts';
import { newSeedsSchema } from './request-schemas.ts';
import { type SortedSeeds, seedsError, sortSeeds } from './sort-seeds.ts';
import { wideningSeeds } from './widening-seeds.ts';

/** Links in one parcel. */
const MAX_PARCEL_LINKS = 2000;
/**
 * URLs that a scope is drawn around: what a registry's record of a crawl holds
 * (`engines/aws/state/registry.ts`).
 */
const MAX_SCOPE_SEEDS = 15_000;
const REMEDY = 'begin another crawl for these seeds, or one of scope `domain` or `any`';
/**
 * Workers know a crawl's scope as it was two seconds ago (`crawl-state/crawls.ts`), and take some time to
 * read it.
 */
const SCOPE_HEARD_MS = 2500;

const tooLarge = (crawl: CrawlId, { message }: CrawlTooLarge): ControlError =>
  new ControlError(
    'conflict',
    `The crawl ${quoted(crawl)} is too large: ${message}. Instead, ${REMEDY}`,
    'seeds',
  );

export interface Seeding extends Pick<Control, 'addSeeds' | 'seed'> {
  /** Begins the crawl that is asked for, and gives its name. */
  create(request: Parameters<Control['create']>[0]): Promise<CrawlId>;
  /** Sends canonical URLs to their hosts as seeds, and as sitemaps. To send them twice changes nothing. */
  sendSeeds(crawl: CrawlId, urls: readonly string[], sitemaps?: readonly string[]): Promise<void>;
}

/** How seeds come into crawls. */
export function createSeeding(engine: ControlEngine, policy: ControlPolicy): Seeding {
  const { registry, exchange, clock } = engine;
  const { find, recordOf } = createFinder(registry);

  const sendSeeds: Seeding['sendSeeds'] = async (crawl, urls, sitemaps = []) => {
    const links = seedLinks(urls, sitemaps);
    for (let from = 0; from < links.length; from += MAX_PARCEL_LINKS)
      await exchange.send({ crawl, links: links.slice(from, from + MAX_PARCEL_LINKS) });
  };

  async function begin({ crawl, record, seeds, sitemaps }: PlannedCrawl): Promise<void> {
    const conflict = () =>
      new ControlError(
        'conflict',
        `There is a crawl ${quoted(crawl)} already: add the seeds to it, or give this one another name`,
        'crawl',
      );
    if (await registry.load(crawl)) throw conflict();
    try {
      await registry.create(crawl, record);
    } catch (error) {
      // Somebody else was a moment faster, or it is the registry that failed.
      if (await registry.load(crawl)) throw conflict();
      throw error instanceof CrawlTooLarge ? tooLarge(crawl, error) : error;
    }
    await sendSeeds(crawl, seeds.accepted, sitemaps);
  }

  async function addSeeds(crawl: CrawlId, urls: readonly string[]): Promise<AddedSeeds> {
    checkRequest(newSeedsSchema, { seeds: urls }, 'the seeds');
    const record = await recordOf(crawl);
    checkRules(crawl, record);
    if (record.status === 'stopped')
      throw new ControlError('conflict', `The crawl ${quoted(crawl)} is stopped: resume it first`);
    const config = parseConfig(record.config);
    const seeds = sortSeeds(urls, config);
    if (seeds.accepted.length === 0) throw seedsError(seeds.refused);
    checkContact(seeds.accepted, config);
    // In this order, so that a crash loses nothing that was promised: the scope, the status, the seeds.
    await widen(crawl, record, wideningSeeds(config, record.scopeSeeds, seeds.accepted));
    // Found finished only after this, it is set running again by the turn that takes the seeds in.
    if (record.status === 'finished')
      await registry.setStatus(crawl, 'running', undefined, { from: ['finished'] });
    await sendSeeds(crawl, seeds.accepted);
    return added(crawl, seeds);
  }

  async function widen(crawl: CrawlId, { scopeSeeds }: CrawlRecord, urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    if (scopeSeeds.length + urls.length > MAX_SCOPE_SEEDS)
      throw new ControlError(
        'conflict',
        `The scope of the crawl ${quoted(crawl)} is drawn around ${scopeSeeds.length} URLs, and can be around ` +
          `${MAX_SCOPE_SEEDS}: ${REMEDY}`,
        'seeds',
      );
    try {
      await registry.addScopeSeeds(crawl, urls);
    } catch (error) {
      throw error instanceof CrawlTooLarge ? tooLarge(crawl, error) : error;
    }
    // Links of a seed that a worker fetched before it has heard would be lost as outside of the scope.
    if (registry.isShared) await clock.sleep(SCOPE_HEARD_MS);
  }

  async function seed(request: Parameters<Control['seed']>[0]): Promise<AddedSeeds> {
    if (await find(request.crawl)) return addSeeds(request.crawl, request.seeds);
    const plan = planCrawl(request, policy);
    try {
      await begin(plan);
    } catch (error) {
      if (!(error instanceof ControlError && error.code === 'conflict')) throw error;
      return addSeeds(request.crawl, request.seeds);
    }
    return added(plan.crawl, plan.seeds);
  }

  return {
    sendSeeds,
    addSeeds,
    seed,
    async create(request) {
      const plan = planCrawl(request, policy);
      const unreadable = plan.seeds.refused.filter(({ isUnreadable }) => isUnreadable);
      if (unreadable.length > 0) throw seedsError(unreadable);
      await begin(plan);
      return plan.crawl;
    },
  };
}

function added(crawl: CrawlId, { accepted, refused }: SortedSeeds): AddedSeeds {
  return { crawl, added: accepted.length, refused: refused.map(({ url, reason }) => ({ url, reason })) };
}
