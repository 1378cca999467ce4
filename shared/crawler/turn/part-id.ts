/**
 * How the parts of a ledger are called: some letters, the version of the head that they are made for, and
 * chance.
 */
import type { Clock } from '../ports/clock.ts';

/** Returns the part of the name after the letters. A further attempt at the same version gets another name. */
export function newPartId(version: number, clock: Pick<Clock, 'random'>): string {
  return `${version}-${Math.floor(clock.random() * 2 ** 48).toString(36)}`;
}

/**
 * The version in a part's name; beyond all others where there is none, so that the part counts as still
 * wanted.
 */
export function versionOfPart(name: string): number {
  return Number(/^[a-z]+(\d+)-/.exec(name)?.[1] ?? Number.MAX_SAFE_INTEGER);
}
