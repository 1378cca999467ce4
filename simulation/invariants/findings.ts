/** The findings of an invariant: a few violations with all details that the search for the cause needs. */
import { T0 } from '../models/virtual-time.ts';
import type { ExcuseName, InvariantName, Violation } from '../worlds/spec.ts';

/** More of the same would say nothing new. */
const MAX_VIOLATIONS = 20;

export interface Findings {
  /** `excuse`: what explains it. Then it is no violation, but is counted. */
  add(
    message: string,
    where?: { readonly host?: string; readonly at?: number; readonly excuse?: ExcuseName | undefined },
  ): void;
  readonly list: readonly Violation[];
}

export function createFindings(invariant: InvariantName): Findings {
  const list: Violation[] = [];
  let violations = 0;
  return {
    list,
    add(message, where = {}) {
      const { excuse, ...place } = where;
      if (excuse === undefined && ++violations > MAX_VIOLATIONS) return;
      list.push({ invariant, message, ...place, ...(excuse !== undefined && { excuse }) });
    },
  };
}

/** A time of the world as seconds since its beginning. */
export const since = (at: number): string => `T0+${((at - T0) / 1000).toFixed(3)} s`;

/** A length of time in seconds. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
