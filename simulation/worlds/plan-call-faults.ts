/** Which calls of a world's invocations are struck, where the seed decides. */
import { CALL_FAULT_KINDS, CALL_MOMENTS, type CallFault } from '../models/call-faults.ts';
import { between, pick, type Random, randomOf } from '../models/random.ts';

/** Mostly workers; with how many invocations and calls to choose from: small worlds have few. */
const ACTORS = [
  { actor: 'worker', weight: 5, invocations: 8, calls: 60 },
  { actor: 'router', weight: 2, invocations: 8, calls: 12 },
  { actor: 'waker', weight: 1, invocations: 20, calls: 12 },
  { actor: 'compactor', weight: 3, invocations: 9, calls: 40 },
];
/** The small worker, which a part of the worlds has. Its draws are its own, so that those of the others stay what they are. */
const SMALL = { actor: 'small', invocations: 3, calls: 60 };
const SMALL_CHANCE = 0.5;
const MAX_PLANNED = 4;

/** Some are never made, as the invocation has fewer calls. */
export function planCallFaults(seed: number): CallFault[] {
  const random = randomOf(seed, 'call faults');
  const weights = ACTORS.flatMap((one) => Array.from({ length: one.weight }, () => one));
  const planned = Array.from({ length: between(random, 1, MAX_PLANNED) }, () =>
    planOne(random, pick(random, weights)),
  );
  const small = randomOf(seed, 'call faults of the small worker');
  return small() < SMALL_CHANCE ? [...planned, planOne(small, SMALL)] : planned;
}

const planOne = (random: Random, { actor, invocations, calls }: typeof SMALL): CallFault => ({
  actor,
  // Early ones mostly. A compactor finds something to join only late.
  invocation: 1 + Math.floor(random() ** (actor === 'compactor' ? 1 : 2) * invocations),
  call: 1 + Math.floor(random() ** 2 * calls),
  moment: pick(random, CALL_MOMENTS),
  kind: pick(random, CALL_FAULT_KINDS),
});
