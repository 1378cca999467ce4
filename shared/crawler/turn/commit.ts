import type { Head } from '../../core/frontier/head.ts';
import { partsOf } from '../../core/frontier/head-parts.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { TrapWatch } from '../../core/frontier/trap-watch.ts';
import type { TurnAccess } from './access/turn-access.ts';
import type { TurnCaution } from './caution.ts';
import type { TurnCounters } from './counters.ts';
import type { DomainShare } from './links/domain-share.ts';
import type { LinkIntake } from './links/link-intake.ts';
import { parcelsOf } from './links/parcels.ts';
import type { TemplateQuota } from './links/template-quota.ts';
import { type NextTurn, planNextTurn, reviveIfCutShort } from './next-turn.ts';
import type { HostPace } from './pace/host-pace.ts';
import type { SitemapPace } from './pace/sitemap-pace.ts';
import { countRequisites } from './page/requisites.ts';
import type { Soft404 } from './page/soft-404.ts';
import { newPartId, versionOfPart } from './part-id.ts';
import type { Quarantine } from './quarantine.ts';
import type { RecrawlPlan } from './recrawl/recrawl-plan.ts';
import type { Refusals } from './refusal/refusals.ts';
import type { TurnRendering } from './render/turn-rendering.ts';
import type { KnownRobots } from './robots/known-robots.ts';
import type { TurnServices } from './services.ts';
import type { SiteWatch } from './site-watch.ts';
import type { StoredHead } from './stored-head.ts';
import type { TurnCrawl } from './turn-crawl.ts';
import type { TurnOutput } from './turn-output.ts';
import { countWaitingPages } from './waiting-pages.ts';

/** The results of a turn, which its commit reads. */
export interface TurnResults {
  readonly crawl: TurnCrawl;
  readonly head: StoredHead;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly access: TurnAccess;
  readonly intake: LinkIntake;
  readonly knownRobots: KnownRobots;
  readonly traps: TrapWatch;
  readonly sitemaps: SitemapPace;
  readonly caution: Pick<TurnCaution, 'next' | 'ofToken'>;
  readonly quarantine: Quarantine;
  readonly output: TurnOutput;
  readonly recrawl: RecrawlPlan;
  readonly share: DomainShare;
  readonly soft404: Soft404;
  readonly templates: TemplateQuota;
  readonly site: SiteWatch;
  readonly refusals: Refusals;
  readonly rendering: Pick<TurnRendering, 'state'> | undefined;
}

/**
 * Makes a turn real. Everything becomes durable in the order that a crash at any point leaves nothing lost:
 * WARC records, links to other hosts, the ledger's new parts, the next token, and last the head that names it
 * (docs/decisions/0001-one-chain-of-turns-per-host.md).
 */
export class TurnCommit {
  readonly #services: TurnServices;
  readonly #results: TurnResults;
  #isDone = false;

  constructor(services: TurnServices, results: TurnResults) {
    this.#services = services;
    this.#results = results;
  }

  /** Whether the head is stored, even if a later step failed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Returns when the host may next be given to anybody. Throws `StaleTurn` if another worker has continued
   * with the host.
   */
  async run(): Promise<number> {
    const { engine, hooks } = this.#services;
    const { crawl, head, ledger, counters, access, intake, output, share } = this.#results;
    const before = head.head;
    const id = newPartId(head.nextVersion, engine.clock);

    await Promise.all([output.makeDurable(), intake.makeSkipsDurable()]);
    await this.#sendLinks();
    const commit = await ledger.prepareCommit(id);
    for (const part of commit.parts)
      await engine.ledgers.putPart(crawl.id, crawl.host, part.name, part.bytes);
    countRequisites(this.#results, engine.clock.now());
    share.countWaiting();
    this.#results.refusals.report();
    countWaitingPages('full', counters.isFull(crawl.config), this.#results);
    const plan = await planNextTurn(engine, this.#results);
    this.#endPass(plan);
    // Also where there are none: those of an attempt that was discarded may stand there.
    const stagedItems = hooks ? await head.stageItems(output.items) : undefined;
    const hasEvents = output.takesEvents || output.changes.length > 0;
    const stagedChanges = hasEvents ? await head.stageChanges(output.changes) : undefined;
    if (plan.hasToken) await this.#sendToken(id);
    const next = {
      ...this.#nextHead(id, commit.index, plan),
      ...(stagedItems !== undefined && { stagedItems }),
      ...(stagedChanges !== undefined && { stagedChanges }),
    };
    const after = await head.replace(next, output.state?.changes);
    this.#isDone = true;
    if (access.isOn) await access.save();
    if (output.items.length > 0)
      await engine.items?.publish(crawl.id, crawl.host, after.version, stagedItems);
    if (output.changes.length > 0)
      await engine.changes?.publish(crawl.id, crawl.host, after.version, stagedChanges);

    this.#services.ledgers.put(crawl.id, crawl.host, after.version, ledger);
    await reviveIfCutShort(engine, this.#results);
    await share.giveBack();
    if (commit.obsolete.length > 0) await this.#sweep(before, after);
    return plan.restUntil;
  }

  /** Reports the pass over the site if it is over. */
  #endPass({ urlDueAt }: NextTurn): void {
    const { site, pace, head, output } = this.#results;
    const { onSite, engine } = this.#services;
    // A host that an earlier turn gave up was not tried in this turn.
    const givenUp = pace.givenUp === head.head.setAside ? undefined : pace.givenUp?.cause;
    site.end({ now: engine.clock.now(), urlDueAt, givenUp });
    for (const visit of site.visits) output.addEvent(visit);
    for (const visit of site.visits) onSite?.(visit);
  }

  async #sendLinks(): Promise<void> {
    const { exchange, sizes } = this.#services.engine;
    const { crawl, intake } = this.#results;
    for (const links of parcelsOf(intake.outLinks.values(), sizes))
      await exchange.send({ crawl: crawl.id, links });
  }

  async #sendToken(token: string): Promise<void> {
    const { id: crawl, host } = this.#results.crawl;
    const message = { kind: 'token', crawl, token, ...this.#results.caution.ofToken() } as const;
    await this.#services.engine.queue.send([{ host, message }]);
  }

  #nextHead(id: string, ledger: Head['ledger'], plan: NextTurn): Omit<Head, 'version'> {
    const { access, pace, knownRobots, counters, traps, sitemaps, quarantine, head } = this.#results;
    const wait = plan.dueAt === undefined ? undefined : pace.wait;
    const recrawl = this.#results.recrawl.state();
    const share = this.#results.share.state();
    const soft404 = this.#results.soft404.state();
    const templatePages = this.#results.templates.state();
    const renderNeeds = this.#results.rendering?.state() ?? head.head.renderNeeds;
    const caution = this.#results.caution.next();
    const { closedOrigins, movedRobots } = knownRobots;
    const { resumedBy } = pace;
    const sitemapPace = sitemaps.state();
    const { pass } = this.#results.site;
    const refusal = this.#results.refusals.state();
    return {
      token: plan.hasToken ? id : undefined,
      clock: pace.clock,
      robots: knownRobots.robots,
      ...(closedOrigins.length > 0 && { closedOrigins }),
      ...(movedRobots.length > 0 && { movedRobots }),
      ledger,
      totals: counters.totals,
      ...traps.state(),
      ...(sitemapPace && { sitemaps: sitemapPace }),
      dueAt: plan.dueAt,
      setAside: pace.givenUp,
      ...(resumedBy !== undefined && { resumedBy }),
      ...(quarantine.suspect && { intent: quarantine.suspect }),
      ...(caution && { caution }),
      ...(quarantine.blocked.length > 0 && { quarantine: quarantine.blocked }),
      ...(recrawl && { recrawl }),
      ...(share && { share }),
      ...(soft404 && { soft404 }),
      ...(templatePages !== undefined && { templatePages }),
      ...(renderNeeds !== undefined && { renderNeeds }),
      ...(wait && { wait }),
      ...(pass && { site: pass }),
      ...(refusal && { refusal }),
      ...(access.isGiven && { hasCookies: access.isGiven }),
    };
  }

  /**
   * Deletes the parts that no head names any more, replaced or left by failed attempts. The parts of the last head stay
   * until the next time, for readers of that head.
   */
  async #sweep(before: Head, after: Head): Promise<void> {
    const { ledgers } = this.#services.engine;
    const { id: crawl, host } = this.#results.crawl;
    const named = new Set([...partsOf(before), ...partsOf(after)]);
    const names = await ledgers.listParts(crawl, host);
    // Parts of this version or later may belong to an attempt that is still in progress.
    const old = names.filter((name) => !named.has(name) && versionOfPart(name) <= before.version);
    await ledgers.deleteParts(crawl, host, old);
  }
}
