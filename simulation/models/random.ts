/**
 * Chance that a seed decides: each purpose has a stream of its own, so that more draws of one change no
 * other's.
 */
import { hash } from 'node:crypto';

/** Uniform in [0, 1). */
export type Random = () => number;

/**
 * The stream that the names have: the same names, the same numbers. Mulberry32, begun at a hash of the names.
 */
export function randomOf(...names: readonly (string | number)[]): Random {
  let state = Number.parseInt(hash('sha256', names.join(' ')).slice(0, 8), 16) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `from` to `to`, both possible. */
export const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));

/** One of the items. */
export function pick<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new RangeError('Expected items to pick from, got none');
  return items[Math.floor(random() * items.length)] as T;
}

/** All groups of four hexadecimal digits. */
const HEX = Array.from({ length: 0x10000 }, (_, bits) => bits.toString(16).padStart(4, '0'));

/**
 * Returns a maker of UUIDs that `random` decides. They are part of WARC records, whose length after
 * compression depends on them, and so do offsets, sizes and all that follows.
 */
export function uuidsOf(random: Random): () => string {
  const group = () => HEX[Math.floor(random() * 0x10000)] as string;
  return () => {
    const [a, b, c, d, e, f, g, h] = [group(), group(), group(), group(), group(), group(), group(), group()];
    return `${a}${b}-${c}-4${d.slice(1)}-8${e.slice(1)}-${f}${g}${h}`;
  };
}
