import { sizesOf } from '../../core/base/sizes.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import { createTrapWatch } from '../../core/frontier/trap-watch.ts';
import { TurnAccess } from './access/turn-access.ts';
import type { TurnCaution } from './caution.ts';
import type { TurnResults } from './commit.ts';
import { CanonicalLinks } from './copies/canonical-link.ts';
import { NearDuplicates } from './copies/near-duplicates.ts';
import { RestoredDuplicates } from './copies/restored-duplicates.ts';
import { TurnCounters } from './counters.ts';
import type { FetchLoopOptions } from './fetch-loop.ts';
import type { Lease } from './lease.ts';
import { UrlAdmission } from './links/admission.ts';
import { DomainShare } from './links/domain-share.ts';
import { KnownPages } from './links/known-pages.ts';
import { LinkIntake } from './links/link-intake.ts';
import { PageLinks } from './links/page-links.ts';
import { SitemapLinks } from './links/sitemap-links.ts';
import { TemplateQuota } from './links/template-quota.ts';
import { HostPace } from './pace/host-pace.ts';
import { SitemapPace } from './pace/sitemap-pace.ts';
import { CookieRedirects } from './page/cookie-redirects.ts';
import { PageAllowance } from './page/page-allowance.ts';
import { PageDocuments } from './page/page-documents.ts';
import { PageReader } from './page/page-reader.ts';
import { Redirects } from './page/redirects.ts';
import { Soft404 } from './page/soft-404.ts';
import { Soft404Probe } from './page/soft-404-probe.ts';
import { Quarantine } from './quarantine.ts';
import { ListedChanges } from './recrawl/listed-changes.ts';
import { RecrawlPlan } from './recrawl/recrawl-plan.ts';
import { Refusals } from './refusal/refusals.ts';
import { KeptShell } from './render/kept-shell.ts';
import { KnownRobots } from './robots/known-robots.ts';
import { MovedRobotsFinder } from './robots/moved-robots.ts';
import { RobotsKeeper } from './robots/robots-keeper.ts';
import { RobotsStore } from './robots/robots-store.ts';
import type { TurnServices } from './services.ts';
import { Settlement } from './settlement.ts';
import { SiteWatch } from './site-watch.ts';
import { StoredHead } from './stored-head.ts';
import type { TurnCrawl } from './turn-crawl.ts';
import { TurnHooks } from './turn-hooks.ts';
import { TurnOutput } from './turn-output.ts';
import { UsageKeeper } from './usage-keeper.ts';

/**
 * The collaborators of one turn. Each owns its state; the loop drives them, and the commit reads their
 * results.
 */
export type TurnParts = TurnResults & FetchLoopOptions & { readonly knownPages: KnownPages };

export interface TurnPartsOptions {
  readonly crawl: TurnCrawl;
  /** As loaded at the turn's beginning. */
  readonly head: Head;
  readonly ledger: HostLedger;
  readonly lease: Lease;
  readonly lastRequestAt: number;
  readonly endBy: () => number;
  readonly caution: TurnCaution;
  readonly askedRobots: readonly string[];
}

/** Makes the collaborators and gives each those that it needs. */
export function createTurnParts(services: TurnServices, options: TurnPartsOptions): TurnParts {
  const { onSeed, onEvent } = services;
  const { askedRobots, crawl } = options;
  const own = createOwnParts(services, options);
  const linkParts = createLinkParts(services, own);
  const listed = new ListedChanges(services, own);
  const knownPages = new KnownPages(services, own);
  const robotsParts = createRobotsParts(services, { ...own, ...linkParts });
  const hooks = new TurnHooks(services, { ...own, intake: linkParts.intake });
  const documents = new PageDocuments(services, own);
  const { renderNeeds: stored } = options.head;
  const rendering = services.rendering?.ofTurn(services, { ...own, ...robotsParts, stored });
  const reader = createReader(services, { ...own, ...linkParts, hooks });
  const settlement = new Settlement({ ...own, host: crawl.host, hooks, onSeed, onEvent });
  const allowance = new PageAllowance(own, crawl.budget.turnPages());
  const admission = new UrlAdmission(services, { ...own, ...robotsParts, allowance, rendering });
  const restoredDuplicates = new RestoredDuplicates(own);
  return {
    ...own,
    ...linkParts,
    ...robotsParts,
    knownPages,
    restoredDuplicates,
    listed,
    reader,
    documents,
    rendering,
    settlement,
    allowance,
    admission,
    shell: new KeptShell(services.engine.clock),
    probe: new Soft404Probe(services, { ...own, ...robotsParts, settlement, restoredDuplicates }),
    askedRobots,
  };
}

/** The collaborators that others need. */
function createOwnParts(services: TurnServices, options: TurnPartsOptions): OwnParts {
  const { crawl, ledger, lease, lastRequestAt, endBy, caution } = options;
  const { engine } = services;
  const { config } = crawl;
  const head = new StoredHead(services, { crawl: crawl.id, host: crawl.host, head: options.head });
  const counters = new TurnCounters(options.head.totals, services.stats);
  const traps = createTrapWatch(options.head, {
    minNew: config.trapMinNew,
    isKnown: (url) => ledger.has(url),
    sizes: engine.sizes,
  });
  const quarantine = new Quarantine(services, head, { caution, until: endBy() });
  const output = new TurnOutput(services, crawl, quarantine);
  const access = new TurnAccess(services, crawl, counters, options.head);
  const pace = new HostPace(services, options.head, {
    crawl,
    counters,
    quarantine,
    access,
    lease,
    endBy,
    lastRequestAt,
  });
  const recrawl = new RecrawlPlan(engine, { crawl, counters, recrawl: options.head.recrawl });
  const share = new DomainShare(services, { crawl, ledger, counters, share: options.head.share });
  const nearDuplicates = new NearDuplicates(crawl);
  const templates = new TemplateQuota(config, options.head.templatePages);
  const soft404 = createSoft404(services, options);
  const site = new SiteWatch({ crawl, recrawl, pass: options.head.site });
  const { refusal } = options.head;
  const refusals = new Refusals(services, { crawl, ledger, counters, pace, output, access, refusal });
  const rest = { recrawl, share, nearDuplicates, templates, site, soft404, refusals };
  const cookieRedirects = new CookieRedirects({ crawl, ledger, counters, recrawl, access });
  return {
    crawl,
    head,
    ledger,
    counters,
    traps,
    caution,
    quarantine,
    output,
    pace,
    access,
    cookieRedirects,
    ...rest,
  };
}

const createReader = (
  { engine }: TurnServices,
  own: OwnParts & ReturnType<typeof createLinkParts> & { readonly hooks: TurnHooks },
): PageReader =>
  new PageReader(engine.clock, {
    ...own,
    redirects: new Redirects(own),
    canonicalLinks: new CanonicalLinks(own.crawl, own.ledger, own.intake),
  });

const createSoft404 = ({ engine }: TurnServices, options: TurnPartsOptions): Soft404 => {
  const { crawl, ledger, head, caution } = options;
  const { isAnnouncing } = caution;
  const now = engine.clock.now();
  return new Soft404({ crawl, ledger, stored: head.soft404, isAnnouncing, now, sizes: sizesOf(engine) });
};

type OwnParts = Pick<
  TurnParts,
  | 'crawl'
  | 'head'
  | 'ledger'
  | 'counters'
  | 'traps'
  | 'caution'
  | 'quarantine'
  | 'output'
  | 'pace'
  | 'access'
  | 'cookieRedirects'
  | 'recrawl'
  | 'share'
  | 'soft404'
  | 'nearDuplicates'
  | 'templates'
  | 'site'
  | 'refusals'
>;

/** Where links lead: into the ledger, to other hosts, or nowhere. */
function createLinkParts(services: TurnServices, own: OwnParts) {
  const { crawl, head, ledger, counters, traps, templates } = own;
  const { skips } = services.engine;
  const sitemaps = new SitemapPace(head.head.sitemaps);
  const intake = new LinkIntake({ crawl, ledger, counters, traps, templates, sitemaps, skips });
  const sitemapLinks = new SitemapLinks(crawl, intake);
  const links = new PageLinks(services, { crawl, counters, traps, intake, sitemapLinks });
  return { sitemaps, intake, sitemapLinks, links };
}

function createRobotsParts(services: TurnServices, own: OwnParts & { readonly sitemapLinks: SitemapLinks }) {
  const { crawl, pace, output, quarantine, refusals, sitemapLinks } = own;
  const { version } = own.head.head;
  const knownRobots = new KnownRobots(own.head.head);
  const known = knownRobots;
  const store = new RobotsStore(services, { crawl, known, pace, sitemapLinks, version });
  const moved = new MovedRobotsFinder(services, { crawl, known, pace });
  const rest = { crawl, pace, output, quarantine, known, store, refusals };
  const robots = new RobotsKeeper(services, { ...rest, moved });
  const usage = new UsageKeeper(services, rest);
  return { knownRobots, robots, usage };
}
