/**
 * Bounded maps of watched groups. Which groups are watched is decided as in the Space-Saving sketch (Metwally
 * et al., ICDT 2005): a new group replaces the group with the least weight, and inherits its weight.
 */

/** Adds a group, made with the weight that it takes over. */
export function admitGroup<G extends { readonly weight: number }>(
  open: Map<string, G>,
  key: string,
  max: number,
  make: (weight: number) => G,
): G {
  let weight = 0;
  if (open.size >= max) {
    const [leastKey, least] = open.entries().reduce((a, b) => (b[1].weight < a[1].weight ? b : a));
    open.delete(leastKey);
    weight = least.weight;
  }
  const group = make(weight);
  open.set(key, group);
  return group;
}

/** Moves a group to the closed ones. If those are `max`, the one that was closed first is forgotten. */
export function closeGroup<C extends { readonly group: string }>(
  open: Map<string, unknown>,
  closed: Map<string, C>,
  max: number,
  group: C,
): void {
  open.delete(group.group);
  for (const first of closed.keys()) if (closed.size >= max) closed.delete(first);
  closed.set(group.group, group);
}

/** Groups as a head keeps them: the closed ones as they are, the others as `unpack` makes them. */
export function restoreGroups<K extends { readonly group: string; readonly isClosed?: true }, G>(
  state: readonly K[],
  unpack: (kept: K) => G,
): { readonly open: Map<string, G>; readonly closed: Map<string, K> } {
  const open = new Map<string, G>();
  const closed = new Map<string, K>();
  for (const kept of state) {
    if (kept.isClosed) closed.set(kept.group, kept);
    else open.set(kept.group, unpack(kept));
  }
  return { open, closed };
}

/** Returns the groups that a head keeps: the closed groups, then those that have had more than one page. */
export const keptGroups = <K, G extends { readonly pages: number }>(
  open: ReadonlyMap<string, G>,
  closed: ReadonlyMap<string, K>,
  pack: (group: G) => K,
): K[] => [...closed.values(), ...worthKeeping([...open.values()], ({ pages }) => pages).map(pack)];

/**
 * Groups that were met once are mostly never met again. The last of them are kept all the same: where a turn
 * fetches a single page, as its host is slow, each group is met once in a turn.
 */
const MAX_MET_ONCE = 4;

/** The groups that a head keeps, of those in the order in which they were admitted. */
export function worthKeeping<G>(groups: readonly G[], pagesOf: (group: G) => number): G[] {
  const metOnce = groups.filter((group) => pagesOf(group) <= 1).slice(-MAX_MET_ONCE);
  return groups.filter((group) => pagesOf(group) > 1 || metOnce.includes(group));
}
