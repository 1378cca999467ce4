/**
 * The operator, who has begun the crawls: pauses one now and then, changes it, raises its limits, adds seeds.
 */
import { reasonIn } from '../../shared/core/causes/status-reason.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { Link } from '../../shared/core/frontier/message.ts';
import type { CrawlRecord, CrawlRegistry } from '../../shared/crawler/ports/crawl-registry.ts';
import type { CrawlDeletions } from '../../shared/engines/aws/deletion/crawl-deletions.ts';
import { CRAWL } from '../../shared/engines/aws/state/tables.ts';
import { type Control, ControlError } from '../../shared/services/control/control.ts';
import { scopeOf } from '../invariants/scope.ts';
import type { SimCloud } from '../models/cloud.ts';
import { randomOf } from '../models/random.ts';
import { askAbout } from './operator-asks.ts';
import { planChanges } from './plan.ts';
import { type AddedSeeds, type OperatorPlan, type Question, raised } from './plan-operator.ts';
import type { CrawlPlan } from './spec.ts';
import { crawlIn } from './stored-items.ts';

const MAX_PAUSE_MS = 300_000;
/** The share of pauses that stop the crawl. It is resumed anyway. */
const STOPS = 0.2;
const AGAIN_MS = 10_000;
/** A message of a standard queue comes twice within this time, by SQS or by its poller. */
const COPIES_MS = 300_000;

export interface Operator {
  /** Once a minute. */
  look(): void;
  /** Stops all crawls that have not ended, once. */
  stopAll(): void;
  /** Resumes those that it has stopped. */
  resumeAll(): void;
  /** Whether there is still something to be done. */
  isBusy(): boolean;
  /** With the limits and seeds that they have now. */
  crawls(): readonly CrawlPlan[];
  /** The messages of seeds that were sent with settings which their crawl does not have. */
  misfits(): readonly string[];
}

/** The operator's tools: control, and the link queue. */
export interface Desk {
  readonly control: Control;
  readonly registry: CrawlRegistry;
  readonly deletions: CrawlDeletions;
  /** Puts a message on the link queue. */
  readonly sendText: (text: string) => Promise<void>;
  /** Sends links as a turn does. */
  readonly send: (crawl: CrawlId, links: readonly Link[]) => Promise<void>;
  /** Sums up the heads of the crawl again: see `AwsCrawlRegistry.recount`. */
  readonly recount: (crawl: CrawlId) => Promise<void>;
}

export function createOperator(
  cloud: SimCloud,
  plans: readonly CrawlPlan[],
  seed: number,
  { additions, questions, raises }: OperatorPlan,
  open: () => Desk,
): Operator {
  const { faults, time, trace } = cloud;
  const random = randomOf(seed, 'operator');
  const crawls = new Map(plans.map((plan) => [plan.id, plan]));
  const raisesLeft = new Map(raises);
  const raising = new Set<CrawlId>();
  /** Crawls that are stopped permanently. */
  const stopping = new Set<CrawlId>();
  /** Crawls that are still to be given seeds. */
  const adding = new Set(additions.map(({ crawl }) => crawl));
  const misfits: string[] = [];
  let busy = 0;

  async function whileBusy(work: () => Promise<void>): Promise<void> {
    busy++;
    try {
      await work();
    } finally {
      busy--;
    }
  }

  /** Tries again, whatever the services answer, until it is done or refused. Returns the refusal. */
  async function insist(what: string, work: () => Promise<unknown>): Promise<ControlError | undefined> {
    for (;;) {
      try {
        await work();
        trace?.({ process: 'operator', what });
        return undefined;
      } catch (error) {
        trace?.({ process: 'operator', what: `${what}: ${(error as Error).message}` });
        if (error instanceof ControlError) return error;
        await time.sleep(AGAIN_MS);
      }
    }
  }

  /** When its seeds are taken in: those for a stopped crawl are refused. */
  async function stop(id: CrawlId): Promise<void> {
    const { linkQueueUrl } = cloud.settings;
    const isTaken = () => {
      const { visible, inFlight, delayed } = cloud.sqs.size(linkQueueUrl);
      return !adding.has(id) && visible + inFlight + delayed === 0;
    };
    while (!isTaken()) await time.sleep(AGAIN_MS);
    // Also the copies of those that come twice.
    await time.sleep(COPIES_MS);
    await insist(`stops ${id}`, () => open().control.stop(id));
  }

  async function resume(id: CrawlId): Promise<void> {
    await insist(`resumes ${id}`, () => open().control.resume(id));
  }

  async function pause(id: CrawlId): Promise<void> {
    // It may have come to its end or its limit meanwhile.
    if (faults.random('paused') < STOPS && !adding.has(id)) await stop(id);
    else await insist(`pauses ${id}`, () => open().control.pause(id));
    await time.sleep(faults.random('paused') * MAX_PAUSE_MS);
    if (codeOf(recordOf(cloud, id)) !== 'operator') return;
    const refusal = await insist(`resumes ${id}`, () => open().control.resume(id));
    // At a limit meanwhile. Paused, it would wait forever.
    if (refusal && statusOf(cloud, id) === 'paused') await stop(id);
  }

  /**
   * Handles a crawl that stands at a limit. One that is only paused by it is stopped in the end: it would stand
   * forever.
   */
  async function raise(id: CrawlId): Promise<void> {
    raising.add(id);
    await time.sleep(random() * MAX_PAUSE_MS);
    const left = raisesLeft.get(id) ?? 0;
    if (left > 0) {
      raisesLeft.set(id, left - 1);
      const limits = raised((crawls.get(id) as CrawlPlan).config);
      const refusal = await insist(`raises the limits of ${id}: ${JSON.stringify(limits)}`, () =>
        open().control.resume(id, limits),
      );
      const plan = crawls.get(id) as CrawlPlan;
      if (!refusal) crawls.set(id, { ...plan, config: { ...plan.config, ...limits } });
    } else if (statusOf(cloud, id) === 'paused') await stop(id);
    raising.delete(id);
  }

  async function add({ crawl: id, urls, way, settings, atMs }: AddedSeeds): Promise<void> {
    await time.sleep(atMs);
    const plan = crawls.get(id) as CrawlPlan;
    const scope = scopeOf(parseConfig(plan.config), []);
    const seeds = urls.filter((url) => scope.acceptsSeed(url));
    const status = statusOf(cloud, id);
    // A message that nothing can be made of becomes a dead letter, and rightly so.
    if (seeds.length === 0 || status === undefined || status === 'stopped') return;
    crawls.set(id, { ...plan, laterSeeds: [...(plan.laterSeeds ?? []), ...seeds] });
    const what = `adds by ${way} to ${id}: ${seeds.join(' ')}`;
    const { delayMs = 0, contact } = plan.config;
    if (way === 'message' && settings === 'other') {
      const misfit = JSON.stringify({ crawl: id, urls: seeds, config: { delayMs: delayMs + 1000 } });
      misfits.push(misfit);
      await insist(`sends ${misfit}`, () => open().sendText(misfit));
    }
    const own = settings === 'own' && { config: { delayMs, scope: plan.config.scope, contact } };
    await insist(what, async () => {
      if (way === 'api') await open().control.addSeeds(id, seeds);
      else
        await open().sendText(
          way === 'text' ? seeds.join('\n') : JSON.stringify({ crawl: id, urls: seeds, ...own }),
        );
    });
    const now = crawls.get(id) as CrawlPlan;
    crawls.set(id, { ...now, seedsSentAt: [...(now.seedsSentAt ?? []), time.now()] });
  }

  async function addAll(id: CrawlId): Promise<void> {
    await Promise.all(additions.filter(({ crawl }) => crawl === id).map(add));
    adding.delete(id);
  }

  async function ask({ crawl, url, atMs }: Question): Promise<void> {
    await time.sleep(atMs);
    await insist(`asks about ${crawl}`, () => askAbout(open().control, crawl, url));
  }

  for (const id of adding) void whileBusy(() => addAll(id));
  for (const question of questions) void whileBusy(() => ask(question));
  return {
    isBusy: () => busy > 0,
    crawls: () => [...crawls.values()],
    misfits: () => misfits,
    stopAll() {
      for (const id of crawls.keys()) if (!stopping.has(id)) void whileBusy(() => stop(id));
      for (const id of crawls.keys()) stopping.add(id);
    },
    resumeAll() {
      for (const id of stopping) void whileBusy(() => resume(id));
      stopping.clear();
    },
    look() {
      for (const id of crawls.keys()) {
        const record = recordOf(cloud, id);
        const status = record?.status;
        const isAtLimit = status === 'limited' ? (raisesLeft.get(id) ?? 0) > 0 : isByCost(record);
        if (isAtLimit && !raising.has(id)) void whileBusy(() => raise(id));
        if (status === 'running' && faults.strikes('paused')) void whileBusy(() => pause(id));
        if (faults.strikes('configChanged'))
          void whileBusy(async () => {
            await insist(`configures ${id}`, () => open().registry.configure(id, planChanges(random)));
          });
      }
    },
  };
}

const codeOf = (record: CrawlRecord | undefined) => record && reasonIn(record)?.code;

const isByCost = (record: CrawlRecord | undefined): boolean =>
  record?.status === 'paused' && codeOf(record) === 'maxCost';

export const statusOf = (cloud: SimCloud, crawl: CrawlId): CrawlRecord['status'] | undefined =>
  recordOf(cloud, crawl)?.status;

/** As the table has it at this moment. */
function recordOf({ dynamo, settings }: SimCloud, crawl: CrawlId): CrawlRecord | undefined {
  for (const item of dynamo.items(settings.crawlState))
    if (item.pk?.S === crawl && item.sk?.S === CRAWL) return crawlIn(item).record;
  return undefined;
}
