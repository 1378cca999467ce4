/** Which modules a module imports. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the groups of modules that import one another, directly or through others (Tarjan's strongly
 * connected components, those of one module left out).
 */
export function findCycles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];

  function visit(module: string): void {
    order.set(module, order.size);
    lowest.set(module, order.size - 1);
    open.push(module);
    isOpen.add(module);
    for (const next of graph.get(module) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!isOpen.has(next)) continue;
      lowest.set(module, Math.min(lowest.get(module)!, lowest.get(next)!));
    }
    if (lowest.get(module) !== order.get(module)) return;
    const group = open.splice(open.indexOf(module));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1) cycles.push(group.sort());
  }

  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return cycles;
}
