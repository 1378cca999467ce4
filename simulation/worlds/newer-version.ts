/**
 * A version of the program that is to come, as far as the stored ledgers show it: it writes segments and runs
 * in formats of its own, reads both, and is deployed beside the present one until all processes are of it.
 * The present one may be deployed again then for some minutes: it cannot read what the newer one has written.
 */

import { KEY_RUN_MAGIC, KEY_RUN_VERSION } from '../../shared/frontier/key-run.ts';
import { SEGMENT_MAGIC, SEGMENT_VERSION } from '../../shared/frontier/segment.ts';
import type { Engine } from '../../shared/ports/engine.ts';
import type { Faults } from '../models/faults.ts';
import { between, type Random } from '../models/random.ts';

/** The version that the present program writes, by what a part begins with: the newer one writes the next. */
const PRESENT = new Map([
  [SEGMENT_MAGIC, SEGMENT_VERSION],
  [KEY_RUN_MAGIC, KEY_RUN_VERSION],
]);
const MAX_BEGIN_MS = 300_000;
const MAX_ROLLOUT_MS = 600_000;
const MAX_ROLLBACK_MS = 600_000;

export interface Rollout {
  /** The engine as a process has it that begins now. */
  wrap<E extends Engine>(engine: E): E;
  /** Called once a minute. Returns whether all processes must be replaced now. */
  look(): boolean;
}

/** `now`: the world's time. */
export function createRollout(faults: Faults, random: Random, now: () => number): Rollout {
  const beginsAt = now() + between(random, 0, MAX_BEGIN_MS);
  const endsAt = beginsAt + between(random, 0, MAX_ROLLOUT_MS);
  let hasBegun = false;
  /** The end of the rollback. */
  let olderUntil: number | undefined;
  let isOlder = false;
  return {
    look() {
      if (isOlder) {
        isOlder = now() < (olderUntil ?? 0);
        return !isOlder;
      }
      if (olderUntil !== undefined || !hasBegun || now() < endsAt || !faults.strikes('rolledBack'))
        return false;
      isOlder = true;
      olderUntil = now() + faults.random('rolledBack') * MAX_ROLLBACK_MS;
      return true;
    },
    wrap(engine) {
      if (isOlder) return engine;
      const isNewer = now() >= beginsAt && faults.strikes('oldVersion');
      hasBegun ||= isNewer;
      // When the rollout ends, the processes of the present version have ended, too.
      const knows = () => isNewer || (hasBegun && now() >= endsAt);
      const { ledgers } = engine;
      return {
        ...engine,
        ledgers: {
          ...ledgers,
          putPart: (crawl, host, name, bytes) =>
            ledgers.putPart(crawl, host, name, knows() ? changed(name, bytes, { from: 0, to: 1 }) : bytes),
          async readPart(...[crawl, host, name, ...range]) {
            const bytes = await ledgers.readPart(crawl, host, name, ...range);
            return knows() && !range[0] ? asPresent(name, bytes) : bytes;
          },
        },
      };
    },
  };
}

/** A part as the present version writes it, also if another version wrote it. */
export const asPresent = (name: string, bytes: Uint8Array): Uint8Array =>
  changed(name, bytes, { from: 1, to: 0 });

/**
 * `from` and `to`: how much newer than the present version. What is no segment and no run's keys is left as
 * it is.
 */
function changed(
  name: string,
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
): Uint8Array {
  const version = /^s|\.keys$/.test(name) ? PRESENT.get(bytes[0] as number) : undefined;
  if (version === undefined || bytes[1] !== version + from) return bytes;
  const copy = Uint8Array.from(bytes);
  copy[1] = version + to;
  return copy;
}
