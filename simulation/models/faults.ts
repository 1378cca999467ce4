/** The faults of the simulated world: a name for each, its rate, and a count of its strikes. */
import { type Random, randomOf } from './random.ts';

/** Name: what happens, and the rate by itself, for each occasion unless it says otherwise. */
export const FAULTS = {
  callFailsBefore: { what: 'A call to a service fails before it takes effect', rate: 0.01, losesTurns: true },
  callFailsAfter: { what: 'A call takes effect, and its response is lost', rate: 0.01, losesTurns: true },
  conditionAnswerLost: {
    what: 'A conditional write succeeds, and its response is lost',
    rate: 0.02,
    losesTurns: true,
  },
  throttleStorm: {
    what: 'A service refuses most calls for a while (for each minute)',
    rate: 0.05,
    losesTurns: true,
  },
  batchEntryFails: {
    what: 'Single entries of a batch fail while the call succeeds',
    rate: 0.01,
    losesTurns: true,
  },
  unprocessedKeys: {
    what: 'DynamoDB leaves keys of a batch unprocessed, or ends a page early',
    rate: 0.05,
    losesTurns: true,
  },
  staleRead: {
    what: 'An eventually consistent read, or an index, returns data that is some seconds old',
    rate: 0.2,
  },
  indexLags: {
    what: 'The index of due hosts is not updated for minutes (for each minute in which it is read)',
    rate: 0.03,
  },
  messageTwice: {
    what: 'SQS delivers a message again after it was deleted, or to two receivers (standard queues)',
    rate: 0.03,
  },
  messageLate: { what: 'A sent message can be received only after some seconds', rate: 0.05 },
  messageReordered: { what: 'Messages of a standard queue arrive in another order', rate: 0.3 },
  messageLost: {
    what: 'A turn queue accepts a token or a wake-up and loses it',
    rate: 0.005,
  },
  receivedUnseen: { what: 'A receive hides messages, and its response is lost', rate: 0.01 },
  eventLost: {
    what: 'An event that starts a small worker is accepted and lost (for each event)',
    rate: 0.1,
  },
  invokedTwice: {
    what: 'A poller invokes a function twice with the same batch (for each batch)',
    rate: 0.03,
  },
  workerKilled: { what: 'A process dies while it waits', rate: 0.002, losesTurns: true },
  workerFrozen: {
    what: 'A process freezes, perhaps beyond its lease, and continues',
    rate: 0.003,
    losesTurns: true,
  },
  callStruck: {
    what: 'A fault at one call of an invocation: the process dies, or freezes beyond its lease, or the call fails (for each planned call that is made)',
    rate: 1,
    losesTurns: true,
  },
  pageHarms: {
    what: 'A page kills the process that parses it, or blocks its thread (for each time that it is parsed)',
    rate: 1,
    losesTurns: true,
  },
  clockSkew: { what: 'The clocks of processes differ by seconds (for each process)', rate: 0.5 },
  clockStepped: {
    what: 'The clock of a process is set forward or back by up to a day, and usually corrected later (for each process)',
    rate: 0.05,
  },
  coldStart: { what: 'A function takes seconds to start (for each start)', rate: 0.3 },
  renderFails: {
    what: 'The function that renders pages fails in one of seven ways, or replies garbage (for each round)',
    rate: 0.05,
  },
  dnsFails: { what: 'A host name does not resolve for a while', rate: 0.01 },
  httpFails: {
    what: 'A request is refused, reset, cut off, answered with an error, or never answered',
    rate: 0.03,
  },
  configChanged: {
    what: 'The operator changes the configuration of the running crawl (for each minute)',
    rate: 0.03,
  },
  paused: { what: 'The operator pauses or stops the crawl, and resumes it (for each minute)', rate: 0.05 },
  deployed: {
    what: 'The program is deployed: no process serves another invocation (for each minute)',
    rate: 0.03,
  },
  rolledBack: {
    what: 'After a newer version the older one is deployed again for some minutes (for each minute, once)',
    rate: 0.1,
    losesTurns: true,
  },
  oldVersion: {
    what: 'A process of a newer version, which writes another format of the ledger, runs beside the others (for each process)',
    rate: 0.2,
  },
} as const satisfies Record<
  string,
  { readonly what: string; readonly rate: number; readonly losesTurns?: true }
>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];
/** Those by which a turn may be discarded with what it had learned: some checks are exact only without. */
export const TURN_LOSING = FAULT_NAMES.filter((name) => 'losesTurns' in FAULTS[name]);

export interface Faults {
  /** Whether the fault strikes on this occasion; counted if so. */
  strikes(name: FaultName): boolean;
  /** For the details of a fault: what was drawn for one changes no other. */
  random(name: FaultName): number;
  readonly counts: Readonly<Record<FaultName, number>>;
}

export interface FaultsOptions {
  readonly seed: number;
  /**
   * Those not named never strike. The rate of each is multiplied by a factor of the seed's, so that some runs
   * have much of one and little of another.
   */
  readonly names: readonly FaultName[];
  /** No fault strikes while it returns true: the end of the world must be undisturbed. */
  readonly isCalm?: () => boolean;
  /** These strike on each occasion. */
  readonly certain?: readonly FaultName[];
  /** No more strikes than these in all. */
  readonly maxStrikes?: number;
}

const FACTORS = [0, 0.3, 1, 1, 3];
/** The share of worlds in which no fault may lose a turn. */
const GENTLE = 0.15;

export function createFaults({
  seed,
  names,
  isCalm = () => false,
  certain = [],
  maxStrikes = Number.POSITIVE_INFINITY,
}: FaultsOptions): Faults {
  const counts = Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>;
  const streams = new Map<
    FaultName,
    { readonly rate: number; readonly occasions: Random; readonly details: Random }
  >();
  const isOnlyLosing = names.every((name) => TURN_LOSING.includes(name));
  const isGentle = !isOnlyLosing && randomOf(seed, 'gentle world')() < GENTLE;
  for (const name of names) {
    const isCertain = certain.includes(name);
    if (isGentle && !isCertain && TURN_LOSING.includes(name)) continue;
    const occasions = randomOf(seed, 'fault', name);
    const factor = FACTORS[Math.floor(occasions() * FACTORS.length)] as number;
    streams.set(name, {
      rate: isCertain ? 1 : FAULTS[name].rate * factor,
      occasions,
      details: randomOf(seed, 'details', name),
    });
  }
  let struck = 0;
  return {
    counts,
    strikes(name) {
      const stream = streams.get(name);
      if (!stream || stream.occasions() >= stream.rate || isCalm() || struck >= maxStrikes) return false;
      struck++;
      counts[name]++;
      return true;
    },
    random(name) {
      return streams.get(name)?.details() ?? 0;
    },
  };
}

/** A world in which all goes well. */
export const NO_FAULTS: Faults = {
  strikes: () => false,
  random: () => 0,
  counts: Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>,
};
