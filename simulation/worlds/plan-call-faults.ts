/** Which calls of a world's invocations are struck, where the seed decides. */
import { CALL_FAULT_KINDS, CALL_MOMENTS, type CallFault } from '../models/call-faults.ts';
import { between, pick, randomOf } from '../models/random.ts';

/** Mostly workers; with how many invocations and calls to choose from: small worlds have few. */
const ACTORS = [
  { actor: 'worker', weight: 5, invocations: 8, calls: 60 },
  { actor: 'router', weight: 2, invocations: 8, calls: 12 },
  { actor: 'waker', weight: 1, invocations: 20, calls: 12 },
  { actor: 'compactor', weight: 3, invocations: 9, calls: 40 },
];
const MAX_PLANNED = 4;

/** Some are never made, as the invocation has fewer calls. */
export function planCallFaults(seed: number): CallFault[] {
  const random = randomOf(seed, 'call faults');
  const weights = ACTORS.flatMap((one) => Array.from({ length: one.weight }, () => one));
  return Array.from({ length: between(random, 1, MAX_PLANNED) }, () => {
    const { actor, invocations, calls } = pick(random, weights);
    return {
      actor,
      // Early ones mostly. A compactor finds something to join only late.
      invocation: 1 + Math.floor(random() ** (actor === 'compactor' ? 1 : 2) * invocations),
      call: 1 + Math.floor(random() ** 2 * calls),
      moment: pick(random, CALL_MOMENTS),
      kind: pick(random, CALL_FAULT_KINDS),
    };
  });
}
