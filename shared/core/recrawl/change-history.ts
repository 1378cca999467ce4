/**
 * Changes seen at the fetches of one URL, in three bytes. A fetch shows only whether the page has changed since
 * the fetch before, so three sums are all that an estimate of its change rate needs (`change-rate.ts`).
 *
 * Each fetch multiplies the old sums by {@link FORGET}, so that a page's past counts half after 34 fetches. In
 * bytes such a step is smaller than the distance between two values, and ordinary rounding would never forget.
 * So a value is rounded up or down at random in the proportion that keeps its mean (stochastic rounding). The
 * random number is made from the caller's `salt`: a repeated turn stores the same bytes.
 */
import { mixHash } from '../base/mix-hash.ts';

export interface ChangeHistory {
  /** Fetches that found a change. */
  readonly changes: number;
  /** Days of the intervals that ended with a change. */
  readonly changedDays: number;
  /** Days of the intervals that ended without one. */
  readonly unchangedDays: number;
}

/** The history of a page that was fetched once or never. Packed it is 0. */
export const NO_HISTORY: ChangeHistory = { changes: 0, changedDays: 0, unchangedDays: 0 };

/** The weight of the past at each fetch. All fetches together count as 50 at most. */
export const FORGET = 0.98;

/**
 * Adds a fetch that came `days` after the last one that showed the page's content. A failed fetch is not an
 * observation: do not add it, and the next interval grows.
 */
export function observe(history: ChangeHistory, days: number, hasChanged: boolean): ChangeHistory {
  const { changes, changedDays, unchangedDays } = history;
  return {
    changes: changes * FORGET + (hasChanged ? 1 : 0),
    changedDays: changedDays * FORGET + (hasChanged ? days : 0),
    unchangedDays: unchangedDays * FORGET + (hasChanged ? 0 : days),
  };
}

/** As {@link observe}, for packed histories: the form that a record keeps. `salt`: see {@link packHistory}. */
export const observePacked = (packed: number, days: number, hasChanged: boolean, salt: number): number =>
  packHistory(observe(unpackHistory(packed), days, hasChanged), salt);

/**
 * Packs a history in 24 bits, as an unsigned integer. Each byte's steps are a fixed fraction of the error that the
 * observations have anyway, at all values: the number of changes in steps of its square root, the share of changed days
 * in steps of its angle (arcsine), all days in steps of a twelfth of an octave, from three minutes to ten years.
 *
 * `salt`: 32 bits that differ from fetch to fetch, such as the URL's hash and the time of the fetch, mixed. A constant
 * salt would round in the same direction each time, and so never forget.
 */
export function packHistory({ changes, changedDays, unchangedDays }: ChangeHistory, salt: number): number {
  const allDays = changedDays + unchangedDays;
  if (allDays <= 0) return 0;
  const changesCode = roundAtRandom(CHANGES, changes, randomOf(salt, 1));
  const daysCode = Math.max(1, roundAtRandom(DAYS, allDays, randomOf(salt, 2)));
  const shareCode = roundAtRandom(SHARE, changedDays / allDays, randomOf(salt, 3));
  return (changesCode << 16) | (daysCode << 8) | shareCode;
}

/** The reverse of {@link packHistory}. Accepts any 24 bits. */
export function unpackHistory(packed: number): ChangeHistory {
  const allDays = DAYS.valueOf(byteOf(packed, 8));
  const changedDays = allDays * SHARE.valueOf(byteOf(packed, 0));
  return {
    changes: allDays === 0 ? 0 : CHANGES.valueOf(byteOf(packed, 16)),
    changedDays,
    unchangedDays: allDays - changedDays,
  };
}

/** A scale of 256 values, which grow with their codes. */
interface Scale {
  codeOf(value: number): number;
  valueOf(code: number): number;
}

const MAX_CODE = 255;
const MAX_CHANGES = 1 / (1 - FORGET);
const MIN_DAYS = 2 ** -9;
const STEPS_PER_OCTAVE = 12;

const CHANGES: Scale = {
  codeOf: (changes) => MAX_CODE * Math.sqrt(changes / MAX_CHANGES),
  valueOf: (code) => MAX_CHANGES * (code / MAX_CODE) ** 2,
};

const DAYS: Scale = {
  codeOf: (days) => (days < MIN_DAYS ? days / MIN_DAYS : 1 + STEPS_PER_OCTAVE * Math.log2(days / MIN_DAYS)),
  valueOf: (code) => (code === 0 ? 0 : MIN_DAYS * 2 ** ((code - 1) / STEPS_PER_OCTAVE)),
};

const SHARE: Scale = {
  codeOf: (share) => (MAX_CODE * Math.asin(Math.sqrt(share))) / (Math.PI / 2),
  valueOf: (code) => Math.sin(((Math.PI / 2) * code) / MAX_CODE) ** 2,
};

/** Returns the code below or above `value`, by `random` (0 <= random < 1), so that the mean value is `value`. */
function roundAtRandom(scale: Scale, value: number, random: number): number {
  const exact = scale.codeOf(value);
  if (!(exact > 0)) return 0;
  if (exact >= MAX_CODE) return MAX_CODE;
  // A value that was unpacked keeps its code whatever the arithmetic's last bits are.
  const nearest = Math.round(exact);
  if (Math.abs(exact - nearest) < 1e-6) return nearest;
  const below = Math.floor(exact);
  const low = scale.valueOf(below);
  return random < (value - low) / (scale.valueOf(below + 1) - low) ? below + 1 : below;
}

const byteOf = (packed: number, shift: number): number => (packed >>> shift) & 0xff;

const GOLDEN = 0x9e3779b9;
const randomOf = (salt: number, which: number): number => mixHash(salt + Math.imul(which, GOLDEN)) / 2 ** 32;
