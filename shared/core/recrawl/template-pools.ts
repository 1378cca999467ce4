/**
 * The change rates of a host's templates: pages that are made alike change alike, so the rate of a page's template says
 * more of it than that of its host. The observations of at most 32 templates, in 16 bytes each.
 */
import { mixHash } from '../base/mix-hash.ts';
import { type ChangePool, observePool } from './change-rate.ts';

export interface TemplatePools {
  /** The observations of a template (32 bits of its text); undefined: none, or too many others had more. */
  of(template: number): ChangePool | undefined;
  /** Adds a fetch of one of the template's pages. */
  observe(template: number, days: number, hasChanged: boolean): void;
  /** The state: {@link ENTRY_BYTES} bytes for each template. */
  readonly bytes: Uint8Array;
}

export const MAX_TEMPLATES = 32;
const ENTRY_BYTES = 16;

interface Entry {
  pool: ChangePool;
  /** Observations, of which the old ones count less. */
  seen: number;
}

/** As `bytes` of another one say; without, or with bytes of another size: none is known. */
export function createTemplatePools(stored?: Uint8Array): TemplatePools {
  const entries = new Map<number, Entry>(stored ? readEntries(stored) : []);
  return {
    of: (template) => entries.get(template >>> 0)?.pool,
    observe(template, days, hasChanged) {
      const key = template >>> 0;
      const known = entries.get(key);
      if (!known && entries.size >= MAX_TEMPLATES) removeRarest(entries);
      const { pool, seen } = known ?? { pool: NONE, seen: 0 };
      // The last one stands last: of equal ones the oldest goes.
      entries.delete(key);
      entries.set(key, { pool: observePool(pool, days, hasChanged), seen: seen + 1 });
    },
    get bytes() {
      return bytesOf(entries);
    },
  };
}

const NONE: ChangePool = { changes: 0, changedDays: 0, unchangedDays: 0 };
/**
 * Entries that are evicted lose this part of their count first: frequent templates of a time that is over do not stay
 * forever.
 */
const AGING = 0.98;

function removeRarest(entries: Map<number, Entry>): void {
  let rarest: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [key, entry] of entries) {
    entry.seen *= AGING;
    if (entry.seen < least) [rarest, least] = [key, entry.seen];
  }
  if (rarest !== undefined) entries.delete(rarest);
}

function bytesOf(entries: ReadonlyMap<number, Entry>): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES * entries.size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [key, { pool }] of entries) {
    view.setUint32(at, key);
    view.setFloat32(at + 4, pool.changedDays);
    view.setFloat32(at + 8, pool.unchangedDays);
    at += ENTRY_BYTES;
  }
  const chance = chanceOf(view);
  at = 0;
  for (const { pool, seen } of entries.values()) {
    view.setUint16(at + 12, stepsOf(CHANGE_STEPS * pool.changes, chance));
    view.setUint16(at + 14, stepsOf(SEEN_STEPS * seen, chance));
    at += ENTRY_BYTES;
  }
  return bytes;
}

/** A number of at least 0 and less than 1, by the bytes alone: another one after each observation. */
function chanceOf(view: DataView): number {
  let hash = 0;
  for (let at = 0; at < view.byteLength; at += 4) hash = mixHash(hash + view.getUint32(at));
  return hash / 2 ** 32;
}

/**
 * Rounds up or down by chance, so that the mean is the value. A fetch forgets less than half a step of a small value: rounded
 * to the nearest one after each fetch, it would never become smaller.
 */
const stepsOf = (value: number, chance: number): number => Math.min(0xffff, Math.floor(value + chance));

/** A pool holds 2,000 changes at most (`change-rate.ts`). */
const CHANGE_STEPS = 32;
const SEEN_STEPS = 16;

function* readEntries(bytes: Uint8Array): Generator<[number, Entry]> {
  if (bytes.length % ENTRY_BYTES !== 0 || bytes.length > ENTRY_BYTES * MAX_TEMPLATES) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const [changedDays, unchangedDays] = [view.getFloat32(at + 4), view.getFloat32(at + 8)];
    if (!(changedDays >= 0 && unchangedDays >= 0 && changedDays + unchangedDays < Number.POSITIVE_INFINITY))
      continue;
    const pool = { changes: view.getUint16(at + 12) / CHANGE_STEPS, changedDays, unchangedDays };
    yield [view.getUint32(at), { pool, seen: view.getUint16(at + 14) / SEEN_STEPS }];
  }
}
