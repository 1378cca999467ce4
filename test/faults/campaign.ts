/** Records each scenario once undisturbed, chooses calls by coverage, and plays a world for each. */
import { createLimit } from '../../shared/core/base/create-limit.ts';
import { stream } from '../web/random.ts';
import { happeningsAt, type KindName } from './kinds.ts';
import { type PlayOptions, playWorld } from './play.ts';
import { type Candidate, candidatesOf, choosePoints, classOf, pointOf } from './points.ts';
import { type ScenarioName, scenarioOf } from './scenarios.ts';
import type { Strike, WorldSpec } from './world.ts';

export interface Campaign {
  readonly scenarios: readonly ScenarioName[];
  readonly kinds: readonly KindName[];
  /** Worlds of each kind of fault. */
  readonly points: number;
  /** Chooses the calls. */
  readonly seed: number;
  /** Worlds side by side. */
  readonly jobs: number;
  readonly library: string;
  readonly keep?: PlayOptions['keep'];
}

/** A world that was played. */
export interface Outcome {
  readonly kind: KindName;
  readonly spec: WorldSpec;
  /** The class of the call that was struck; undefined if the process never came to it. */
  readonly struck?: string;
  /** How the processes ended: exit codes and signals. */
  readonly ends: readonly string[];
  readonly violations: readonly string[];
}

/** All classes of calls, by kind of fault. */
export type Classes = ReadonlyMap<KindName, number>;

/** The webs are the same in each run: what differs is what strikes. */
const WEB_SEED = 1;

export async function runCampaign(
  campaign: Campaign,
  onOutcome: (outcome: Outcome) => void,
): Promise<Classes> {
  const inTurn = createLimit(campaign.jobs);
  const free = Array.from({ length: campaign.jobs }, (_, i) => `127.66.1.${i + 1}`);
  const play = (spec: WorldSpec) =>
    inTurn(async () => {
      const address = free.pop()!;
      try {
        return await playWorld(spec, { library: campaign.library, address, keep: campaign.keep });
      } finally {
        free.push(address);
      }
    });
  async function playAs(kind: KindName, spec: WorldSpec, className?: string): Promise<void> {
    const { legs, violations } = await play(spec);
    const ends = legs.map(({ code, signal }) => `${code ?? signal}`);
    const struck = legs[spec.strikes.length - 1]?.wasStruck ? className : undefined;
    onOutcome({ kind, spec, struck, ends, violations });
  }
  const recorded = await Promise.all(campaign.scenarios.map((scenario) => record(scenario, play)));
  const all = recorded.flat();
  const classes = new Map<KindName, number>();
  const worlds: Promise<void>[] = [];
  for (const kind of campaign.kinds) {
    if (kind === 'thread') {
      for (const spec of harmedWorlds(campaign.points, campaign.seed)) worlds.push(playAs(kind, spec));
      continue;
    }
    const occasions = happeningsAt(kind);
    const strikable = all.filter(
      ({ scenario, call }) =>
        occasions(call).length > 0 && !(kind === 'power' && scenarioOf(scenario).restartsAtOnce),
    );
    classes.set(kind, new Set(strikable.map(classOf)).size);
    for (const { candidate, fault } of choosePoints(strikable, occasions, campaign.points, campaign.seed)) {
      worlds.push(playAs(kind, specOf(candidate, fault), classOf(candidate)));
    }
  }
  await Promise.all(worlds);
  return classes;
}

const specOf = ({ scenario, before, call }: Candidate, what: Omit<Strike, 'point'>): WorldSpec => ({
  scenario,
  seed: WEB_SEED,
  strikes: [...before, { ...what, point: pointOf(call) }],
});

/**
 * Threads end by themselves only where there are several: the one of a crawl by a single thread is ended by
 * its memory.
 */
function harmedWorlds(count: number, seed: number): WorldSpec[] {
  const random = stream(seed, 'harm');
  return Array.from({ length: count }, (_, i) => {
    const scenario = i % 2 === 0 ? 'threads' : 'pages';
    const whats =
      scenario === 'threads' ? (['exit', 'loop', 'memory'] as const) : (['loop', 'memory'] as const);
    const what = whats[Math.floor(i / 2) % whats.length]!;
    const harm = { what, page: 1 + Math.floor(random() * 8), afterMs: Math.floor(random() * 30) };
    return { scenario, seed: WEB_SEED, strikes: [], harm };
  });
}

/**
 * The calls of a crawl, and those of a process that continues with it after a first one was killed in its
 * midst.
 */
async function record(
  scenario: ScenarioName,
  play: (spec: WorldSpec) => ReturnType<typeof playWorld>,
): Promise<Candidate[]> {
  const crawl = await playSound({ scenario, seed: WEB_SEED, strikes: [], isRecorded: true }, play);
  const first = candidatesOf(scenario, [], crawl.legs[0]!.calls, crawl.requests);
  const syncs = first.filter(
    ({ call, phase }) => call.fileKind === 'warc.open' && call.op === 'sync' && phase === 'crawling',
  );
  const middle = syncs[Math.floor(syncs.length / 2)];
  if (!middle) return first;
  const killed: Strike[] = [{ point: pointOf(middle.call), fault: { kind: 'killAfter' } }];
  const resumed = await playSound({ scenario, seed: WEB_SEED, strikes: killed, isRecorded: true }, play);
  const [, second] = resumed.legs;
  const requests = resumed.requests.filter((at) => at > (second?.startedAt ?? 0));
  return [...first, ...candidatesOf(scenario, killed, second?.calls ?? [], requests)];
}

async function playSound(spec: WorldSpec, play: (spec: WorldSpec) => ReturnType<typeof playWorld>) {
  const played = await play(spec);
  if (played.violations.length > 0)
    throw new Error(
      `The scenario ${spec.scenario} is wrong without the faults: ${played.violations.join('; ')}`,
    );
  return played;
}
