/** Whose CPU a profile shows: the crawler's, or that of the models it ran on. */

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly url: string; readonly functionName: string };
  readonly children?: readonly number[];
  readonly hitCount?: number;
}

/** As the inspector gives it, as far as it is looked at. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
}

type Owner = 'crawler' | 'models' | 'nobody';

const MODELS = /\/simulation\//;

/**
 * The crawler's part of all time at work: 0 to 1. What a package or Node itself does belongs to its
 * caller; garbage collection and what nobody called is shared out.
 */
export function shareOfCrawler({ nodes }: Profile): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hits: Record<Owner, number> = { crawler: 0, models: 0, nobody: 0 };
  const children = new Set(nodes.flatMap(({ children = [] }) => children));
  const open: { readonly node: ProfileNode; readonly owner: Owner }[] = nodes
    .filter(({ id }) => !children.has(id))
    .map((node) => ({ node, owner: 'nobody' as const }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next;
    const owner = ownerOf(node, next.owner);
    if (node.callFrame.functionName !== '(idle)') hits[owner] += node.hitCount ?? 0;
    for (const id of node.children ?? []) open.push({ node: byId.get(id) as ProfileNode, owner });
  }
  const known = hits.crawler + hits.models;
  return known === 0 ? 0 : hits.crawler / known;
}

function ownerOf({ callFrame: { url } }: ProfileNode, caller: Owner): Owner {
  if (url === '' || url.startsWith('node:') || url.includes('/node_modules/')) return caller;
  return MODELS.test(url) ? 'models' : 'crawler';
}
