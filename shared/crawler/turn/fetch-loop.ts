import { sizesOf } from '../../core/base/sizes.ts';
import { maxWaitMs } from '../../core/frontier/clamp-times.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import { isRefetch, type UrlRecord } from '../../core/frontier/url-record.ts';
import { origin } from '../../core/url/host-key.ts';
import type { TurnCaution } from './caution.ts';
import type { RestoredDuplicates } from './copies/restored-duplicates.ts';
import type { Admission, UrlAdmission } from './links/admission.ts';
import type { LinkIntake } from './links/link-intake.ts';
import { maxDueMs } from './next-turn.ts';
import type { SitemapPace } from './pace/sitemap-pace.ts';
import type { Soft404Probe } from './page/soft-404-probe.ts';
import { UrlVisit, type VisitOptions } from './page/visit.ts';
import type { RobotsKeeper } from './robots/robots-keeper.ts';
import type { TurnServices } from './services.ts';

/** URLs that one turn puts off at most, each of which costs a new record. */
const MAX_PUT_OFF = 1000;

/** URLs to be tried again that are passed over at most when another one is looked for. */
const MAX_PASSED_OVER = 20;

export interface FetchLoopOptions extends VisitOptions {
  readonly ledger: HostLedger;
  readonly admission: UrlAdmission;
  readonly robots: RobotsKeeper;
  readonly intake: LinkIntake;
  readonly sitemaps: SitemapPace;
  readonly probe: Soft404Probe;
  readonly restoredDuplicates: RestoredDuplicates;
  readonly caution: Pick<TurnCaution, 'maxUrls' | 'countUrl'>;
  /** Where robots.txt files of other hosts lead to: fetched before all else. */
  readonly askedRobots: readonly string[];
}

/**
 * Fetches some of the host's best URLs at the host's pace, robots.txt first where it is not known. Several
 * lanes take URLs side by side if `perHost` allows.
 */
export class FetchLoop {
  readonly #services: TurnServices;
  readonly #options: FetchLoopOptions;
  /** Lanes that handle a URL. */
  #busyLanes = 0;
  /** Lanes that found no URL wait for what the busy ones bring. */
  readonly #idleLanes: (() => void)[] = [];
  /** URLs begun: fetched, or being fetched. */
  #begun = 0;
  /** URLs that are requested now. */
  #inFlight = 0;
  /** URLs settled without a request of their own. */
  #unasked = 0;
  /** Whether the last URL taken was one that is fetched again: the two kinds take turns. */
  #wasAgain = false;
  /** The last call that takes a URL from the ledger: they must not overlap. */
  #taking: Promise<UrlRecord | undefined> = Promise.resolve(undefined);

  constructor(services: TurnServices, options: FetchLoopOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Resolves when the turn has had enough, and nothing of it is in flight. */
  async run(): Promise<void> {
    const { crawl, caution, quarantine } = this.#options;
    await this.#fetchAskedRobots();
    const count = quarantine.isAnnouncing ? 1 : Math.min(crawl.config.perHost, caution.maxUrls);
    const lanes = Array.from({ length: count }, () => this.#runLane());
    // All of them, so that nothing is in flight when the turn is discarded.
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  }

  /**
   * Fetches robots.txt files for other hosts. Files for which the time is too short are requested again: nothing is
   * lost.
   */
  async #fetchAskedRobots(): Promise<void> {
    const { askedRobots, robots, pace, quarantine } = this.#options;
    for (const url of new Set(askedRobots)) {
      if (robots.isKnown(url)) continue;
      if (!(await pace.waitForMoment()) || (await quarantine.announce(url)) !== 'allowed') return;
      await robots.fetchForOthers(url);
      quarantine.clear(url);
      await pace.giveUpIfHopeless();
    }
  }

  async #runLane(): Promise<void> {
    while (await this.#step());
  }

  /** Handles one URL, or waits for one. False: the lane ends. */
  async #step(): Promise<boolean> {
    const { pace, probe } = this.#options;
    if (this.#hasEnough() || !(pace.isMoment() || (await pace.waitForMoment()))) return false;
    // The host's next moment may be far then.
    if (probe.isDue && (await probe.runIfDue())) return true;
    const record = await this.#take();
    if (!record) return this.#waitForOthers();
    this.#busyLanes++;
    try {
      return await this.#handle(record);
    } catch (error) {
      this.#options.pace.end();
      throw error;
    } finally {
      this.#busyLanes--;
      for (const wake of this.#idleLanes.splice(0)) wake();
    }
  }

  /** Whether the turn is to be committed now, by one of its limits, or has nothing left to fetch. */
  #hasEnough(): boolean {
    const { caution, ledger, intake, output } = this.#options;
    const { maxTurnChanges, maxWithoutRequest } = sizesOf(this.#services.engine);
    return (
      this.#begun >= caution.maxUrls ||
      this.#unasked >= maxWithoutRequest ||
      ledger.changes >= maxTurnChanges ||
      intake.outLinks.size >= maxTurnChanges ||
      output.isFull ||
      this.#hasNothing()
    );
  }

  /** Nothing that the turn may fetch waits, and nothing is in flight that could bring it. */
  #hasNothing(): boolean {
    const { allowance, ledger, recrawl } = this.#options;
    return (
      this.#busyLanes === 0 &&
      allowance.allowsOnlyRequisites &&
      ledger.nextDueAt(this.#now(), true) === undefined &&
      !(recrawl.isOn && (ledger.refetchDueAt() ?? Number.POSITIVE_INFINITY) <= this.#now())
    );
  }

  /** Waits until another lane has handled its URL. False: no lane fetches it. */
  async #waitForOthers(): Promise<boolean> {
    if (this.#busyLanes === 0) return false;
    await new Promise<void>((wake) => this.#idleLanes.push(wake));
    return true;
  }

  /** Takes the best URL from the ledger, after the other lanes' calls. */
  #take(): Promise<UrlRecord | undefined> {
    this.#taking = this.#taking.then(() => this.#takeNext());
    return this.#taking;
  }

  /** Takes a URL to be fetched for the first time and one to be fetched again in turn, while there are both. */
  async #takeNext(): Promise<UrlRecord | undefined> {
    const { recrawl } = this.#options;
    if (!recrawl.isOn) return this.#takeFirst();
    const record = this.#wasAgain
      ? ((await this.#takeFirst()) ?? (await this.#takeAgain()))
      : ((await this.#takeAgain()) ?? (await this.#takeFirst()));
    this.#wasAgain = record !== undefined && isRefetch(record);
    return record;
  }

  /** Due URLs that are not worth their fetch are postponed. */
  async #takeAgain(): Promise<UrlRecord | undefined> {
    const { ledger, recrawl, settlement } = this.#options;
    const now = this.#now();
    const dueAt = ledger.refetchDueAt() ?? now;
    // A time that no clock that runs right could have given counts as come.
    const until = dueAt - now > maxDueMs(this.#options.crawl.config) ? dueAt : now;
    for (let i = 0; i < MAX_PUT_OFF; i++) {
      const record = await ledger.nextRefetch(until);
      if (!record || recrawl.times.isWorthFetch(record, now)) return record;
      void settlement.settle(recrawl.times.putOff(record, now));
    }
    return undefined;
  }

  async #takeFirst(): Promise<UrlRecord | undefined> {
    const { ledger, sitemaps, allowance } = this.#options;
    const now = this.#now();
    const onlyRequisites = allowance.allowsOnlyRequisites;
    const next = () => ledger.next(now, sitemaps.isNext(ledger.counts.waiting), onlyRequisites);
    const record = await next();
    if (record === undefined) return this.#takeFarAhead(now, onlyRequisites);
    const { pace, refusals } = this.#options;
    const isInTrouble = pace.isInTrouble || refusals.isSuspected;
    return record.attempts > 0 && isInTrouble ? this.#takeUntried(record, next) : record;
  }

  /**
   * For a host in trouble: takes a URL that was not tried yet instead of one that has failed. Otherwise a few URLs
   * that always fail, and come first by their ranks, would be tried in a row until the host is given up.
   */
  async #takeUntried(first: UrlRecord, next: () => Promise<UrlRecord | undefined>): Promise<UrlRecord> {
    const { settlement, crawl } = this.#options;
    const tried = [first];
    let untried: UrlRecord | undefined;
    while (untried === undefined && tried.length < MAX_PASSED_OVER) {
      const record = await next();
      if (record === undefined) break;
      if (record.attempts === 0) untried = record;
      else tried.push(record);
    }
    const dueAt = this.#now() + crawl.config.backoffMs;
    const [, ...others] = tried;
    for (const record of untried ? tried : others)
      void settlement.settle(untried ? { ...record, dueAt } : record);
    return untried ?? first;
  }

  /** Takes a URL that is due at a time that no clock that runs right could have given. */
  #takeFarAhead(now: number, onlyRequisites: boolean): Promise<UrlRecord | undefined> | undefined {
    const { ledger, crawl } = this.#options;
    const dueAt = ledger.nextDueAt(now, onlyRequisites);
    return dueAt !== undefined && dueAt - now > maxWaitMs(crawl.config)
      ? ledger.next(dueAt, true, onlyRequisites)
      : undefined;
  }

  /** Whether the turn continues after this URL. */
  async #handle(record: UrlRecord): Promise<boolean> {
    const { admission, settlement } = this.#options;
    const from = origin(record.url);
    const admitted = await admission.decide(record, from);
    if (admitted.outcome === 'unasked') this.#countForSite(admitted.record);
    if (isRefetch(record) && admitted.outcome !== 'fetch') return this.#keepCopy(record, admitted);
    switch (admitted.outcome) {
      case 'fetch':
        return this.#visit(record, from);
      case 'unasked':
        this.#unasked++;
        this.#settle(admitted.record);
        await this.#options.restoredDuplicates.take(admitted.record, this.#now(), record);
        return true;
      case 'putBack':
        void settlement.settle(admitted.record);
        return true;
      case 'turnEnds':
        this.#settle(admitted.record);
        // It may have killed too many workers.
        await this.#options.restoredDuplicates.take(admitted.record, this.#now(), record);
        this.#options.pace.reportBackoff();
        if (admitted.seedCause !== undefined) settlement.reportSeed(admitted.record, admitted.seedCause);
        return false;
    }
  }

  #countForSite({ kind, state, result }: UrlRecord): void {
    const at = this.#now();
    this.#options.site.count({ isPage: kind === undefined, state, cause: result?.cause, at });
  }

  /** Skips the fetch of a known URL: its record stays. Returns whether the turn continues. */
  #keepCopy(
    record: UrlRecord,
    { outcome, record: decided }: Exclude<Admission, { outcome: 'fetch' }>,
  ): boolean {
    const { settlement, recrawl, pace, quarantine } = this.#options;
    const now = this.#now();
    if (outcome === 'unasked') this.#unasked++;
    const hasKilled = outcome === 'turnEnds' && decided.state === 'failed';
    if (hasKilled) {
      // It is not fetched any more.
      const result = record.result && { ...record.result, cause: decided.result?.cause };
      void settlement.settle({ ...record, dueAt: 0, result });
      quarantine.clear(record.url);
    } else if (outcome === 'unasked') void settlement.settle(recrawl.times.postpone(record, now));
    // Not at once, or this turn would take it again.
    else void settlement.settle({ ...record, dueAt: Math.max(decided.dueAt, now + 1000, pace.nextFetchAt) });
    return outcome !== 'turnEnds';
  }

  /** Settles a URL that was not fetched. */
  #settle(record: UrlRecord): void {
    const { settlement, quarantine } = this.#options;
    void settlement.settle(record);
    if (record.state === 'waiting') return;
    quarantine.clear(record.url);
    settlement.report(record);
  }

  async #visit(record: UrlRecord, from: string): Promise<boolean> {
    const { caution, pace, quarantine, robots, settlement, sitemaps, restoredDuplicates } = this.#options;
    this.#begun++;
    caution.countUrl();
    sitemaps.countRequest(record.kind === 'sitemap');
    const visit = new UrlVisit(this.#services, this.#options, record);
    this.#inFlight++;
    // The cache of an earlier crawl is older than this crawl's record.
    const cache = isRefetch(record) ? 'bypass' : robots.isArchived(from) ? 'only' : undefined;
    let settled: UrlRecord;
    try {
      settled = await visit.run(robots.crawlDelayMs(from), cache);
    } finally {
      this.#inFlight--;
    }
    if (restoredDuplicates.concerns(settled, record))
      await restoredDuplicates.take(settled, this.#now(), record);
    if (visit.wasNotAsked) robots.expireArchived(from);
    quarantine.clear(record.url);
    // The answer of a request in flight forgives failures: the last one decides.
    if (this.#inFlight === 0 && pace.isInTrouble) await pace.giveUpIfHopeless();
    pace.reportBackoff();
    settlement.report(settled);
    return pace.givenUp === undefined && !pace.isHopeless;
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}
