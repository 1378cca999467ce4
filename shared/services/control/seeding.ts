import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { takeSeedCredentials } from '../../core/crawl/seed-credentials.ts';
import type { SiteChanges } from '../../core/crawl/sites.ts';
import { quoted } from '../../core/text/printable.ts';
import { type CrawlRecord, CrawlTooLarge } from '../../crawler/ports/crawl-registry.ts';
import { planSeeds } from '../begin/plan-seeds.ts';
import { sendSeeds } from '../begin/send-seeds.ts';
import { refusedSeeds, type SortedSeeds } from '../begin/sort-seeds.ts';
import { asRefusal, orRefused } from './as-refusal.ts';
import { checkRequest } from './check-request.ts';
import { checkSettings } from './check-settings.ts';
import { configOf } from './config-of.ts';
import { type AddedSeeds, type Control, ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { checkNotDeleted } from './delete-crawl.ts';
import { checkRoom, pauseIfFull } from './deployer-limits.ts';
import { beginReferring, checkArchiveKept } from './earlier-crawls.ts';
import { checkKept, checkNotStopped, checkRules, createFinder } from './find-crawl.ts';
import { type ControlPolicy, type PlannedRequest, planRequest } from './plan-request.ts';
import { newCrawlSchema, newSeedsSchema, newSitesSchema } from './request-schemas.ts';
import { changeSites } from './site-list.ts';

/** An ARN is shorter. */
const MAX_CALLER_LENGTH = 300;
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

const scopeTooLarge = (crawl: CrawlId, urls: number): ControlError =>
  new ControlError(
    'conflict',
    `The scope of the crawl ${quoted(crawl)} is drawn around ${urls} URLs, and can be around ` +
      `${MAX_SCOPE_SEEDS}: ${REMEDY}`,
    'seeds',
  );

const alreadyThere = (crawl: CrawlId): ControlError =>
  new ControlError(
    'conflict',
    `There is a crawl ${quoted(crawl)} already: add the seeds to it, or give this one another name`,
    'crawl',
  );

/** How seeds come into crawls. */
export class Seeding implements Pick<Control, 'addSeeds' | 'seed' | 'setSites'> {
  readonly #engine: ControlEngine;
  readonly #policy: ControlPolicy;
  readonly #finder: ReturnType<typeof createFinder>;

  constructor(engine: ControlEngine, policy: ControlPolicy) {
    this.#engine = engine;
    this.#policy = policy;
    this.#finder = createFinder(engine.registry);
  }

  /** Begins the crawl that is requested. */
  async create(...[request, caller]: Parameters<Control['create']>): Promise<AddedSeeds> {
    const plan = planRequest(request, this.#policy);
    const unreadable = plan.seeds.refused.filter(({ skip }) => skip === undefined);
    if (unreadable.length > 0) throw asRefusal(refusedSeeds(unreadable));
    await checkNotDeleted(this.#engine, plan.crawl);
    await this.#begin(plan, caller);
    return added(plan.crawl, plan.seeds);
  }

  async seed(...[request, caller]: Parameters<Control['seed']>): Promise<AddedSeeds> {
    const found = await this.#finder.find(request.crawl);
    if (found) return this.#addTo(found, request);
    await checkNotDeleted(this.#engine, request.crawl);
    const plan = planRequest(request, this.#policy);
    try {
      await this.#begin(plan, caller);
    } catch (error) {
      const isThere = error instanceof ControlError && error.code === 'conflict' && error.field === 'crawl';
      if (!isThere) throw error;
      return this.#addTo(await this.#finder.recordOf(request.crawl), request);
    }
    return added(plan.crawl, plan.seeds);
  }

  /** To a crawl that is there, if it has the settings of the request. */
  async #addTo(record: CrawlRecord, request: Parameters<Control['seed']>[0]): Promise<AddedSeeds> {
    checkRequest(newCrawlSchema, request, 'the crawl');
    const { crawl, seeds = [], config = {} } = request;
    const auth = { ...takeSeedCredentials({}, seeds).options.auth, ...config.auth };
    checkSettings(crawl, record, { ...config, auth });
    if (request.sites) await this.setSites(crawl, request.sites);
    if (request.sites && seeds.length === 0) return { crawl, added: 0, refused: [] };
    return this.addSeeds(crawl, seeds);
  }

  /** Returns the record of a crawl that may be sent seeds now. */
  async #openForSeeds(crawl: CrawlId): Promise<CrawlRecord> {
    // Before the status is read: a crawl that runs then is not called finished before its seeds show.
    await this.#engine.registry.noteSent?.(crawl);
    const record = await this.#finder.recordOf(crawl);
    checkRules(crawl, record);
    checkKept(crawl, record);
    checkNotStopped(crawl, record);
    return record;
  }

  async addSeeds(crawl: CrawlId, urls: readonly string[]): Promise<AddedSeeds> {
    checkRequest(newSeedsSchema, { seeds: urls }, 'the seeds');
    const record = await this.#openForSeeds(crawl);
    const config = configOf(crawl, record);
    const seeds = orRefused(() => planSeeds(urls, record, config));
    // In this order, so that a crash loses nothing that was promised: the scope, the status, the seeds.
    await this.#widen(crawl, record, seeds.widening);
    await this.#bring(crawl, record, seeds.accepted);
    return added(crawl, seeds);
  }

  async setSites(...[crawl, given]: Parameters<Control['setSites']>): Promise<SiteChanges> {
    checkRequest(newSitesSchema, { sites: given }, 'the sites');
    const { registry, clock } = this.#engine;
    const record = await this.#openForSeeds(crawl);
    const change = {
      ...{ ...this.#policy, registry, crawl, record },
      untilHeard: async () => {
        if (registry.isShared) await clock.sleep(SCOPE_HEARD_MS);
      },
      bring: (urls: readonly string[]) => this.#bring(crawl, record, urls),
    };
    return changeSites(change, given);
  }

  /** Sends seeds to a crawl that is there, and runs again if it was finished. */
  async #bring(crawl: CrawlId, record: CrawlRecord, urls: readonly string[]): Promise<void> {
    const { registry } = this.#engine;
    // Found finished only after this, it is set running again by the turn that takes the seeds in.
    let full: ControlError | undefined;
    if (record.status === 'finished') {
      await checkRoom(this.#engine, crawl, this.#policy.limits ?? {});
      await registry.setStatus(crawl, 'running', undefined, { from: ['finished'] });
      full = await pauseIfFull(this.#engine, crawl, this.#policy.limits ?? {});
    }
    await sendSeeds(this.#engine, crawl, urls);
    await registry.noteSent?.(crawl);
    if (full) throw full;
  }

  async #begin(plan: PlannedRequest, caller?: string): Promise<void> {
    const { crawl, record, seeds, sites, sitemaps, dedupeFrom: earlier } = plan;
    const { registry } = this.#engine;
    if (await registry.load(crawl)) throw alreadyThere(crawl);
    await checkRoom(this.#engine, crawl, this.#policy.limits ?? {});
    if (earlier !== undefined) checkArchiveKept(this.#policy);
    const dedupeFrom = earlier === undefined ? undefined : await beginReferring(this.#engine, crawl, earlier);
    try {
      const begunBy = (caller ?? (await this.#policy.callerOf?.()))?.slice(0, MAX_CALLER_LENGTH);
      const ref = sites && (await registry.storeSites(crawl, sites));
      await registry.create(crawl, {
        ...record,
        ...(ref && { sites: ref }),
        ...(dedupeFrom !== undefined && { dedupeFrom }),
        ...(begunBy !== undefined && { begunBy }),
      });
    } catch (error) {
      // Somebody else was a moment faster, or it is the registry that failed.
      if (await registry.load(crawl)) throw alreadyThere(crawl);
      await this.#engine.referrers?.remove(crawl);
      throw error instanceof CrawlTooLarge ? tooLarge(crawl, error) : error;
    }
    const full = await pauseIfFull(this.#engine, crawl, this.#policy.limits ?? {});
    await sendSeeds(this.#engine, crawl, seeds.accepted, sitemaps);
    if (full) throw full;
  }

  /** Adds the URLs to those that the crawl's scope is drawn around. */
  async #widen(crawl: CrawlId, { scopeSeeds }: CrawlRecord, urls: readonly string[]): Promise<void> {
    const { registry, clock } = this.#engine;
    if (urls.length === 0) return;
    if (scopeSeeds.length + urls.length > MAX_SCOPE_SEEDS) throw scopeTooLarge(crawl, scopeSeeds.length);
    try {
      await registry.addScopeSeeds(crawl, urls);
    } catch (error) {
      throw error instanceof CrawlTooLarge ? tooLarge(crawl, error) : error;
    }
    // Links of a seed that a worker fetched before it has heard would be lost as outside of the scope.
    if (registry.isShared) await clock.sleep(SCOPE_HEARD_MS);
  }
}

function added(crawl: CrawlId, { accepted, refused }: SortedSeeds): AddedSeeds {
  return { crawl, added: accepted.length, refused: refused.map(({ url, reason }) => ({ url, reason })) };
}
