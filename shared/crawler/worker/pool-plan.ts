/** Decides how many workers of a pool there should be. Pure. */

/** A worker, as the others of its pool know it. */
export interface PoolMember {
  readonly id: string;
  /** Hosts that it serves now, and at most. */
  readonly hosts: number;
  readonly maxHosts: number;
  /** It takes on no more hosts: those that it has go to the others. */
  readonly isEnding: boolean;
  /** A small worker (`small-worker.ts`). It ends as soon as full-size ones have capacity for all. */
  readonly isSmall?: boolean | undefined;
}

/** A worker is full if it serves this share of the hosts that it may serve. */
const FULL_SHARE = 0.9;
/** A worker ends early if the others could serve all hosts with no more than this share of theirs. */
const SPARE_SHARE = 0.7;

/** This share of the hosts that a worker may serve must be free before it receives more ... */
const MIN_ROOM_SHARE = 0.2;
/** ... or as many as one receive can bring. */
const MAX_MIN_ROOM = 10;

/** A worker of `maxHosts` hosts receives more if it can take at least this many. */
export const minRoomOf = (maxHosts: number): number =>
  Math.min(MAX_MIN_ROOM, Math.ceil(maxHosts * MIN_ROOM_SHARE));

/** With this number of hosts or more a worker counts as full. A worker that receives no more hosts is full. */
const fullAt = ({ maxHosts }: PoolMember): number =>
  Math.min(FULL_SHARE * maxHosts, maxHosts - minRoomOf(maxHosts) + 1);

const hostsOf = (members: readonly PoolMember[]) => members.reduce((sum, { hosts }) => sum + hosts, 0);
const roomOf = (members: readonly PoolMember[]) => members.reduce((sum, { maxHosts }) => sum + maxHosts, 0);

/** The members that take on hosts. */
export const activeMembers = (members: readonly PoolMember[]): readonly PoolMember[] =>
  members.filter(({ isEnding }) => !isEnding);

/**
 * Whether `id` is the worker that starts others, and the workers are almost full: then more workers are needed if
 * messages wait. A single worker decides, so that not every full worker starts another one.
 */
export function mayGrow(id: string, members: readonly PoolMember[]): boolean {
  const active = activeMembers(members);
  return isFirst(id, active) && hostsOf(active) >= active.reduce((sum, member) => sum + fullAt(member), 0);
}

/** Members that one read unit of the table gives. */
const MEMBERS_PER_UNIT = 24;
/** Read units that all workers of a pool together use for it in a second at most: a third of what one key of the table serves. */
const MAX_UNITS_PER_SECOND = 1000;

/**
 * How long `id` does not look at the pool again, in which each worker reads all. It is nothing for the first worker, which
 * starts others, and 42 s in a pool of 1,000.
 */
export function readPauseMs(id: string, members: readonly PoolMember[]): number {
  if (isFirst(id, activeMembers(members))) return 0;
  const { length } = members;
  return (1000 * length * Math.ceil(length / MEMBERS_PER_UNIT)) / MAX_UNITS_PER_SECOND;
}

/** Whether `id` is the one of the workers that starts others. */
const isFirst = (id: string, active: readonly PoolMember[]): boolean =>
  active.every((member) => id <= member.id) && active.some((member) => member.id === id);

/**
 * How many workers there should be if `messages` wait for a full pool: one for each `maxHosts` messages, but
 * at most half as many again as there are, since a host may have several messages. At most `maxWorkers`.
 */
export function grownTo(members: readonly PoolMember[], messages: number, maxWorkers: number): number {
  const active = activeMembers(members);
  if (messages <= 0 || active.length === 0) return active.length;
  const needed = Math.ceil((messages * active.length) / roomOf(active));
  const more = Math.min(needed, Math.ceil(active.length / 2));
  return Math.max(active.length, Math.min(maxWorkers, active.length + more));
}

/**
 * Whether `id` is the first to end of the workers that take on hosts, and the others have capacity for all. A small
 * worker ends first, then the one with the fewest hosts.
 */
export function isSurplus(id: string, members: readonly PoolMember[]): boolean {
  const active = activeMembers(members);
  const [least] = active.toSorted(
    (a, b) => Number(!a.isSmall) - Number(!b.isSmall) || a.hosts - b.hosts || (a.id < b.id ? 1 : -1),
  );
  if (least?.id !== id) return false;
  const others = active.filter((member) => member.id !== id);
  return others.length > 0 && hostsOf(members) <= SPARE_SHARE * roomOf(others);
}

/**
 * Whether `id`, whose time is up, needs a successor: the other workers have no capacity for its hosts, or no other
 * worker exists.
 */
export function needsSuccessor(id: string, members: readonly PoolMember[]): boolean {
  const others = activeMembers(members).filter((member) => member.id !== id);
  return others.length === 0 || hostsOf(members) > FULL_SHARE * roomOf(others);
}

/** Hosts that come back within this time are served by the same start. */
const START_WINDOW_MS = 10_000;
/** SQS counts whole seconds, so hosts may come back this much later. */
const MAX_LATE_MS = 2000;

/**
 * When workers are to be started for hosts that come back at `times`: at most 10 s after each of them. Times that have
 * passed are left out.
 */
export function startTimes(times: readonly number[], now: number): readonly number[] {
  const starts: number[] = [];
  let first = Number.NEGATIVE_INFINITY;
  for (const time of times.filter((time) => time > now - MAX_LATE_MS).toSorted((a, b) => a - b)) {
    if (time - first <= START_WINDOW_MS) starts.pop();
    else first = time;
    starts.push(time);
  }
  return starts;
}
