/**
 * A version of the program that is to come, as far as the stored ledgers show it: it writes segments in a format of its
 * own, reads both, and is deployed beside the present one until all processes are of it.
 */
import type { Faults } from '../../shared/engines/sim/faults.ts';
import { between, type Random } from '../../shared/engines/sim/random.ts';
import type { Engine } from '../../shared/ports.ts';

const MAGIC = 0x53;
const PRESENT = 2;
const NEWER = 3;
const MAX_BEGIN_MS = 300_000;
const MAX_ROLLOUT_MS = 600_000;

export interface Rollout {
  /** The engine as a process has it that begins now. */
  wrap<E extends Engine>(engine: E): E;
}

/** `now`: the world's time. */
export function createRollout(faults: Faults, random: Random, now: () => number): Rollout {
  const beginsAt = now() + between(random, 0, MAX_BEGIN_MS);
  const endsAt = beginsAt + between(random, 0, MAX_ROLLOUT_MS);
  let hasBegun = false;
  return {
    wrap(engine) {
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
            ledgers.putPart(crawl, host, name, knows() ? changed(bytes, PRESENT, NEWER) : bytes),
          async readPart(crawl, host, name, offset, length) {
            const bytes = await ledgers.readPart(crawl, host, name, offset, length);
            return knows() && !offset ? asPresent(bytes) : bytes;
          },
        },
      };
    },
  };
}

/** A part as the present version writes it, whichever wrote it. */
export const asPresent = (bytes: Uint8Array): Uint8Array => changed(bytes, NEWER, PRESENT);

function changed(bytes: Uint8Array, from: number, to: number): Uint8Array {
  if (bytes[0] !== MAGIC || bytes[1] !== from) return bytes;
  const copy = Uint8Array.from(bytes);
  copy[1] = to;
  return copy;
}
