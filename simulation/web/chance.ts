/**
 * Chance by place instead of by turn: what is drawn for a host or a page is the same whenever it is
 * requested.
 */
import { type Random, randomOf } from '../models/random.ts';

/** The values that are drawn; a number for each, so that more draws of one change no other's. */
export const DRAW = {
  kind: 1,
  scheme: 2,
  pages: 3,
  pace: 4,
  path: 5,
  page: 6,
  links: 7,
  spelling: 8,
  body: 9,
  redirect: 10,
  trouble: 11,
  robots: 12,
  latency: 13,
  seeds: 14,
  assets: 15,
  harm: 16,
  change: 17,
  soft404: 18,
  copies: 19,
  sitemap: 20,
  usage: 21,
  named: 22,
  feeds: 23,
  vanishing: 24,
  canonical: 25,
  modified: 26,
  refusing: 27,
  members: 28,
  scripts: 29,
  changing: 30,
  locks: 31,
} as const;
export type Draw = (typeof DRAW)[keyof typeof DRAW];

export interface Chance {
  /** Uniform in [0, 1): of that draw at that place, mostly a host's number and a page's. */
  at(draw: Draw, a: number, b?: number, c?: number): number;
  /** A stream of such numbers. */
  stream(draw: Draw, a: number, b?: number): Random;
}

/**
 * A hash of a few whole numbers costs 20 ns, and one of text (`randomOf`) 1 us: too much for each link of
 * each page.
 */
export function createChance(seed: number): Chance {
  const salt = Math.floor(randomOf(seed, 'web')() * 2 ** 32);
  const place = (draw: number, a: number, b: number, c: number): number =>
    mix(mix(mix(mix(salt, draw), a), b), c);
  return {
    at: (draw, a, b = 0, c = 0) => (place(draw, a, b, c) >>> 0) / 2 ** 32,
    stream(draw, a, b = 0) {
      let state = place(draw, a, b, 0);
      return () => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
      };
    },
  };
}

/** The finalizer of MurmurHash3 over the sum. */
function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ Math.imul(value | 0, 0x9e3779b1), 0x85ebca6b) + 0x7f4a7c15;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
