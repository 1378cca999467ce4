import type { Rendering } from '../ports/renderer.ts';

/** The rendering of a page that was not begun. */
export function undrawn(state: Rendering['state'], detail: string, startedAt: number): Rendering {
  const used = { requests: 0, bytes: 0, ms: performance.now() - startedAt, cpuMs: 0 };
  return { state, detail, links: [], cookies: [], used };
}
