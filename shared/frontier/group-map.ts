/**
 * Bounded maps of watched groups. Which groups are watched is decided as in the Space-Saving sketch (Metwally et al.,
 * ICDT 2005): a new one takes the place of the one with the least weight, and its weight.
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
