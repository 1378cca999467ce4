/** All that reads what others have written: the list of what is fuzzed. */
import type { FuzzTarget } from './target.ts';

const FAMILIES = [
  ...['html', 'xml', 'css', 'bytes', 'robots', 'url', 'warc', 'stored'],
  ...['crossing', 'asked', 'wire', 'documents', 'office'],
] as const;

export interface ListedTarget {
  readonly target: FuzzTarget;
  /** The module that exports it in its `TARGETS`. */
  readonly module: string;
}

export const TARGETS: readonly ListedTarget[] = await listTargets();

async function listTargets(): Promise<ListedTarget[]> {
  const listed: ListedTarget[] = [];
  for (const family of FAMILIES) {
    const module = new URL(`./targets/${family}.ts`, import.meta.url).href;
    const { TARGETS: targets } = (await import(module)) as { TARGETS: readonly FuzzTarget[] };
    listed.push(...targets.map((target) => ({ target, module })));
  }
  return listed;
}
