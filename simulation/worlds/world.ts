/**
 * A world from its seed to its end: the deployed stack, its web, an operator, faults; and what is to be said
 * of it then.
 */
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { LEAST_RENDERING_WORKER_S } from '../../shared/engines/aws/renderer-size.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { HEAD } from '../../shared/engines/aws/state/tables.ts';
import { createCauseProbe } from '../invariants/cause-probe.ts';
import { createChainProbe } from '../invariants/chain-probe.ts';
import { checkWorld } from '../invariants/check-world.ts';
import { probeDeletes } from '../invariants/delete-probe.ts';
import { createHistoryProbe } from '../invariants/history-probe.ts';
import { createSimCloud, hostQueues, type SimCloud } from '../models/cloud.ts';
import { createFaults } from '../models/faults.ts';
import type { SimProcess } from '../models/process.ts';
import { between, randomOf } from '../models/random.ts';
import type { TraceEntry } from '../models/trace.ts';
import { drive, T0, type TimeLimits } from '../models/virtual-time.ts';
import { planMembers } from '../web/member-plan.ts';
import { nameOf, requestsFor } from '../web/own-requests.ts';
import { lockedShareOf, poisonOf, refusingShareOf, scriptedShareOf, shapeOf } from '../web/shape.ts';
import { createSimWeb } from '../web/web.ts';
import { beginCrowd, type Crowd, crowdSizeOf } from './crowd.ts';
import { planDeletion, runDeletion } from './deletion.ts';
import { type Deployment, deploy } from './deployment.ts';
import { createRollout } from './newer-version.ts';
import { createOperator, statusOf } from './operator.ts';
import { askForRecords } from './operator-asks.ts';
import { planCrawls, planStack } from './plan.ts';
import { planCallFaults } from './plan-call-faults.ts';
import { planOperator } from './plan-operator.ts';
import { planRecrawl } from './plan-recrawl.ts';
import { loadSimAccounts } from './sim-accounts.ts';
import { createSimFinish } from './sim-finish.ts';
import { createSimHooks } from './sim-hooks.ts';
import { createSimRenderer } from './sim-renderer.ts';
import type { ExcuseName, Outcome, TimelineEntry, Violation, World, WorldSpec } from './spec.ts';

export interface RunOptions {
  /** Whether what happens is written down. */
  readonly timeline?: boolean;
  /** Whether the calls of each invocation are given. */
  readonly calls?: boolean;
  /** Called when the world is over, before it is judged. */
  readonly beforeJudging?: () => void;
}

const MINUTE = 60_000;
/** Faults strike for this time from the beginning on. Afterwards the world must end without them. */
const CALM_MS = 45 * MINUTE;
/** By then the needs of all other crawls must have been met (`invariants/looked-at.ts`). */
const CROWD_MS = 90 * MINUTE;
/** By then every crawl must have ended. */
const END_MS = 24 * 60 * MINUTE;
/** Hosts that refuse the crawler rest for 1, 4 and 24 hours, and a tenth more. */
const REFUSED_MS = 36 * 60 * MINUTE;
/** By then the waker has announced the ends of all crawls. */
const ANNOUNCED_MS = 12 * MINUTE;
/** It comes more often than once an hour, so that it meets more faults. */
const COMPACTOR_PERIOD_MS = 20 * MINUTE;
/**
 * Faults strike so long again after the crawls' end. By then it has joined all: it leaves alone what is
 * younger than an hour.
 */
const COMPACTED_MS = 90 * MINUTE;
/**
 * In 60 worlds of default size, up to 8 hosts, the longest took 15,000 steps, 14 of them within one
 * millisecond. Much more is a loop without end.
 */
const MAX_STEPS = 1_000_000;
const MAX_STEPS_AT_ONCE = 10_000;
const MAX_STEPS_OF_HOSTS = 8;
/** This number of crawls beside the others takes as many again. */
const STEPS_OF_CROWD = 30;
/** In these worlds there were 360 starts of workers at most. Many more begin each other in vain: nothing is learned from the rest. */
const MAX_STARTS = 5000;
/** The share of pages that link to a change, where somebody may be known to the site. */
const CHANGE_SHARE = 0.4;
/** Worlds in which the project has hooks; and those of them in which these make requests. */
const HOOKS_CHANCE = 0.3;
const REQUESTS_CHANCE = 0.5;
/** Worlds whose project has an `onFinish`. */
const FINISH_CHANCE = 0.1;
const sizeOf = (spec: WorldSpec): number =>
  Math.max(1, (spec.hosts ?? 0) / MAX_STEPS_OF_HOSTS) + crowdSizeOf(spec) / STEPS_OF_CROWD;
const timeLimitsOf = (spec: WorldSpec): TimeLimits => {
  const size = sizeOf(spec);
  return { steps: size * MAX_STEPS, stepsAtOnce: size * MAX_STEPS_AT_ONCE };
};

/** The waker checks a host whose token or wake-up is lost; links are in no other place. */
function isHealed(body: string): boolean {
  const { message } = parseMessageText(body);
  return message.kind === 'token' || (message.kind === 'wake' && message.resume === undefined);
}

/** How long an invocation has what it works on for itself: a host, messages, the compaction of a crawl. */
const leaseOf =
  (turnLeaseMs: number) =>
  (actor: string): number =>
    ({ worker: turnLeaseMs, small: turnLeaseMs, router: 6 * MINUTE, waker: MINUTE, compactor: 5 * MINUTE })[
      actor
    ] ?? 0;

/** Runs the world to its end. The same spec gives the same outcome, but for the real time. */
export async function runWorld(
  spec: WorldSpec,
  { timeline: isTraced = false, calls: isCounted = false, beforeJudging }: RunOptions = {},
): Promise<Outcome> {
  const { seed } = spec;
  const startedAt = performance.now();
  const entries: TimelineEntry[] = [];
  let now = () => T0;
  const trace = isTraced ? (entry: TraceEntry) => entries.push({ at: now(), ...entry }) : undefined;
  let calmAt = T0 + CALM_MS;
  const stack = planStack(seed);
  const recrawl = planRecrawl(seed, CALM_MS, { isCertain: spec.recrawls });
  const poison = recrawl ? undefined : poisonOf(seed, spec.poisoned);
  const members =
    recrawl || poison || spec.refused || spec.rendered ? undefined : planMembers(seed, spec.members);
  const refusingShare = recrawl || poison || members ? 0 : refusingShareOf(seed, spec.refused);
  const lockedShare =
    recrawl || poison || members || refusingShare > 0 || spec.rendered ? 0 : lockedShareOf(seed, spec.locked);
  const scriptedShare =
    recrawl || poison || members || refusingShare > 0 || lockedShare > 0
      ? 0
      : scriptedShareOf(seed, spec.rendered);
  const cloud = createSimCloud({
    seed,
    settings: {
      ...stack.settings,
      workersPerQueue: Math.floor(stack.maxConcurrency / stack.turnQueues),
      defaultCrawl: 'crawl-0',
      ...(scriptedShare > 0 && {
        rendererFunction: 'renderer',
        workerTimeoutMs: Math.max(stack.settings.workerTimeoutMs, 1000 * LEAST_RENDERING_WORKER_S),
      }),
    },
    sizes: stack.sizes,
    turnQueues: stack.turnQueues,
    linkShards: stack.linkShards,
    mayLose: isHealed,
    callFaults: {
      planned: spec.strike ? [spec.strike] : planCallFaults(seed),
      leaseMs: leaseOf(timesOf(stack.settings).leaseMs),
    },
    timeLimits: timeLimitsOf(spec),
    faults: (now) =>
      createFaults({
        seed,
        names: spec.strike ? [...new Set([...spec.faults, 'callStruck' as const])] : spec.faults,
        certain: [
          ...(spec.strike ? (['callStruck'] as const) : []),
          ...(spec.poisoned ? (['pageHarms'] as const) : []),
        ],
        isCalm: () => now() >= calmAt,
        maxStrikes: spec.maxStrikes,
      }),
    trace,
  });
  const { time, faults } = cloud;
  now = time.now;
  const hasHooks = randomOf(seed, 'hooks')() < HOOKS_CHANCE;
  const shape = shapeOf(seed, {
    ...recrawl?.web,
    ...(spec.hosts !== undefined && { hosts: spec.hosts }),
    ...(spec.pages !== undefined && { maxPages: spec.pages }),
    poison,
    refusingShare,
    members,
    lockedShare,
    ...((members || lockedShare > 0) && { changeShare: CHANGE_SHARE }),
    ...(scriptedShare > 0 && { scriptedShare, canonicalShare: 0 }),
  });
  const endMs = END_MS + (shape.refusingShare || members ? REFUSED_MS : 0);
  const web = createSimWeb({ seed, time, faults, calls: cloud.calls, trace, shape });
  const accounts = members && (await loadSimAccounts(members, web.memberHosts));
  const hasRequests = !recrawl && randomOf(seed, 'hooks that make requests')() < REQUESTS_CHANCE;
  const requestsOf = (url: string) => (hasHooks && hasRequests ? requestsFor(seed, web, url) : []);
  const causes = createCauseProbe(time.now);
  const history = createHistoryProbe(cloud);
  const rollout = createRollout(faults, randomOf(seed, 'rollout'), time.now);
  const onFinish = randomOf(seed, 'onFinish')() < FINISH_CHANCE ? createSimFinish(seed, time.now) : undefined;
  const renderer =
    scriptedShare > 0
      ? createSimRenderer(cloud, { seed, web, maxConcurrency: between(randomOf(seed, 'renderers'), 1, 8) })
      : undefined;
  const deployment = deploy(cloud, {
    fetcherOf: (process, config) => web.fetcherOf(process, config),
    otherFetcherOf: (process, config) => web.fetcherOf(process, config, { isOther: true }),
    renderer,
    harmOf: web.harmOf,
    ...(hasHooks && { hooksOf: (process: SimProcess) => createSimHooks(seed, process, requestsOf) }),
    accountsOf: accounts?.create,
    finishOf: onFinish?.of,
    maxConcurrency: stack.maxConcurrency,
    usedBytes: (hosts) => (hosts >= stack.hostsInMemory ? Infinity : 0),
    routerWindowMs: stack.routerWindowMs,
    hasCompactor: stack.hasCompactor,
    compactorPeriodMs: COMPACTOR_PERIOD_MS,
    wrapWorkerEngine: (process, engine) => causes.wrap(rollout.wrap(process, engine)),
    versions: rollout,
  });
  const crawls = planCrawls(seed, web, timesOf(cloud.settings).maxTotalTimeoutMs, {
    recrawl,
    isPoisoned: poison !== undefined,
    isRendered: renderer !== undefined,
  });
  const probe = createChainProbe(cloud, causes);
  const deletes = probeDeletes(cloud);
  const plan = planOperator(seed, crawls, web, cloud.settings.defaultCrawl);
  const operator = createOperator(cloud, crawls, seed, plan, deployment.operator);
  const { linkQueueUrl, linkShardUrls } = cloud.settings;
  const planned = renderer ? undefined : planDeletion(seed, crawls, { isCertain: spec.deletes });
  const deletion =
    planned &&
    runDeletion(planned, { cloud, web, hasCompactor: stack.hasCompactor, open: deployment.operator });
  let crowd: Crowd | undefined;
  const isOver = () =>
    (crowd === undefined || time.now() >= T0 + CROWD_MS || crowd.needy.every(({ doneAt }) => doneAt)) &&
    !operator.isBusy() &&
    !deletion?.isBusy() &&
    crawls.every(({ id }) => ['finished', 'limited', 'stopped'].includes(statusOf(cloud, id) ?? '')) &&
    [...hostQueues(cloud.settings), linkQueueUrl, ...linkShardUrls].every((url) => {
      const { visible, inFlight, delayed } = cloud.sqs.size(url);
      return visible + inFlight + delayed === 0;
    });

  const crowdSize = crowdSizeOf(spec);
  crowd = crowdSize > 0 ? await beginCrowd(cloud, seed, crowdSize) : undefined;
  const { control } = deployment.operator();
  for (const { id, seeds, config, dedupeFrom } of crawls)
    await drive(time, control.seed({ crawl: id, seeds, config, dedupeFrom }), T0 + END_MS);
  const maxStarts = sizeOf(spec) * MAX_STARTS;
  /** Until the crawls have ended; those that recrawl are stopped at `stopAt`. */
  const runUntilOver = async (endAt: number, stopAt = Number.POSITIVE_INFINITY): Promise<void> => {
    const starts = () => invocationsOf(deployment).worker + invocationsOf(deployment).small;
    while (time.now() < endAt && !isOver() && starts() < maxStarts) {
      await time.advance(MINUTE);
      probe.sample();
      operator.look();
      if (time.now() >= stopAt) operator.stopAll();
      if (rollout.look() || faults.strikes('deployed')) deployment.replaceAll();
    }
  };
  await runUntilOver(T0 + endMs, recrawl && T0 + recrawl.stopAfterMs);
  if (recrawl?.rest && isOver()) {
    await time.advance(ANNOUNCED_MS);
    const rules = deployment.disableRules();
    await time.advance(recrawl.rest.restMs);
    rules.enable();
    operator.resumeAll();
    await runUntilOver(time.now() + END_MS, time.now() + recrawl.rest.againMs);
  }
  // Also while the compactor works, faults strike.
  if (stack.hasCompactor) {
    calmAt = time.now() + COMPACTED_MS;
    await time.advance(COMPACTED_MS + CALM_MS);
  } else await time.advance(ANNOUNCED_MS);
  deployment.stop();
  const asked: Violation[] = [];
  for (const { id } of crawls) asked.push(...(await drive(time, askForRecords(cloud, web, control, id))));

  const hasEnded = isOver();
  const world: World = {
    spec,
    cloud,
    web,
    crawls: operator.crawls(),
    misfits: operator.misfits(),
    hasEnded,
    invocations: invocationsOf(deployment),
    strayedStarts: deployment.strayedStarts,
    failures: deployment.failures,
    events: deployment.events,
    pageChanges: deployment.changes,
    refusedHosts: deployment.refusedHosts,
    rounds: renderer?.rounds,
    finishes: onFinish?.calls,
    seen: [...probe.violations, ...causes.violations, ...deletes.violations, ...asked],
    history,
    requestsOf: (url) => requestsOf(url).map(nameOf),
    hasCompactor: stack.hasCompactor,
    crowd,
    members,
    deletion,
    recrawl,
    recount: (crawl) => drive(time, deployment.operator().recount(crawl), time.now() + END_MS),
  };
  beforeJudging?.();
  const found = await checkWorld(world);
  const violations = found.filter(({ excuse }) => excuse === undefined);
  const pages = web.log.filter(({ isRobots, httpStatus }) => !isRobots && httpStatus !== undefined).length;
  return {
    spec,
    violations,
    strikes: faults.counts,
    excuses: excusesIn(found),
    figures: {
      hosts: new Set(web.log.map(({ host }) => host)).size,
      pages,
      requests: web.log.length,
      turns: commitsOf(cloud),
      virtualMs: time.now() - T0,
      realMs: performance.now() - startedAt,
    },
    ...(isCounted && { calls: Object.fromEntries(cloud.calls.made) }),
    ...(isTraced && { timeline: entries }),
  };
}

function invocationsOf({ functions: { worker, small, router, waker } }: Deployment): World['invocations'] {
  const of = ({ counts }: { readonly counts: { readonly invocations: number } }) => counts.invocations;
  return { worker: of(worker), small: of(small), router: of(router), waker: of(waker) };
}

function excusesIn(found: readonly Violation[]): Outcome['excuses'] {
  const excuses: Partial<Record<ExcuseName, number>> = {};
  for (const { excuse } of found) if (excuse) excuses[excuse] = (excuses[excuse] ?? 0) + 1;
  return excuses;
}

/** A head counts its own. */
function commitsOf({ dynamo, settings }: SimCloud): number {
  let commits = 0;
  for (const { sk, version } of dynamo.items(settings.crawlState))
    if (sk?.S === HEAD) commits += Number(version?.N);
  return commits;
}
