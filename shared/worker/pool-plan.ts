/** Decides how many workers of a pool there should be. Pure. */

/** A worker, as the others of its pool know it. */
export interface PoolMember {
  readonly id: string;
  /** Hosts that it serves now, and at most. */
  readonly hosts: number;
  readonly maxHosts: number;
  /** It takes on no more hosts: those that it has go to the others. */
  readonly isEnding: boolean;
}

/** The pool is full if its workers serve this share of the hosts that they may serve. */
const FULL_SHARE = 0.9;
/** A worker ends early if the others could serve all hosts with no more than this share of theirs. */
const SPARE_SHARE = 0.7;

const hostsOf = (members: readonly PoolMember[]) => members.reduce((sum, { hosts }) => sum + hosts, 0);
const roomOf = (members: readonly PoolMember[]) => members.reduce((sum, { maxHosts }) => sum + maxHosts, 0);

/** The members that take on hosts. */
export const activeMembers = (members: readonly PoolMember[]): readonly PoolMember[] =>
  members.filter(({ isEnding }) => !isEnding);

/**
 * Whether `id` is the worker that starts others, and the workers have hardly any room left: then more workers
 * are needed if messages wait. One worker decides, so that not every full worker starts another one.
 */
export function mayGrow(id: string, members: readonly PoolMember[]): boolean {
  const active = activeMembers(members);
  const isFirst = active.every((member) => id <= member.id) && active.some((member) => member.id === id);
  return isFirst && hostsOf(active) >= FULL_SHARE * roomOf(active);
}

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

/** Whether `id` has the fewest hosts of the workers that take on hosts, and the others have room for all. */
export function isSurplus(id: string, members: readonly PoolMember[]): boolean {
  const active = activeMembers(members);
  const [least] = active.toSorted((a, b) => a.hosts - b.hosts || (a.id < b.id ? 1 : -1));
  if (least?.id !== id) return false;
  const others = active.filter((member) => member.id !== id);
  return others.length > 0 && hostsOf(members) <= SPARE_SHARE * roomOf(others);
}

/** Whether `id`, whose time is up, needs a successor: the other workers have no room for its hosts. */
export function needsSuccessor(id: string, members: readonly PoolMember[]): boolean {
  const others = activeMembers(members).filter((member) => member.id !== id);
  return hostsOf(members) > 0 && hostsOf(members) > FULL_SHARE * roomOf(others);
}
