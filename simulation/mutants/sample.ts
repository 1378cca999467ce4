/** Mutants drawn by a seed, so that each kind of bug has its share. */
import { createHash } from 'node:crypto';
import type { Mutant } from './mutants.ts';
import { GROUPS } from './operators/operator.ts';

/**
 * Takes a mutant of each group in turn, within a group one of each operator, and of an operator the one that
 * the seed says. A change of one function changes the choice of others little: each has its place by its own
 * key.
 */
export function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const groups = Object.keys(GROUPS).map((group) =>
    inTurn(
      lists(
        mutants.filter((mutant) => mutant.group === group),
        seed,
      ),
    ),
  );
  return inTurn(groups).slice(0, count);
}

/** The mutants of each operator, shuffled; the operators, too. */
function lists(mutants: readonly Mutant[], seed: number): Mutant[][] {
  const byOperator = Map.groupBy(mutants, ({ operator }) => operator);
  const shuffled = [...byOperator].map(
    ([operator, list]) => [placeOf(seed, operator), sortBy(list, ({ key }) => placeOf(seed, key))] as const,
  );
  return sortBy(shuffled, ([place]) => place).map(([, list]) => list);
}

const placeOf = (seed: number, key: string): string =>
  createHash('sha256').update(`${seed} ${key}`).digest('hex');

function sortBy<T>(list: readonly T[], placeOf: (item: T) => string): T[] {
  const placed = list.map((item) => [placeOf(item), item] as const);
  return placed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** The first of each list, then the second of each ... */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => (i < list.length ? [list[i] as T] : [])),
  ).flat();
}
