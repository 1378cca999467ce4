import { Semaphore } from '../../core/base/semaphore.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lock } from '../turn/services.ts';

/** More than share the lock at any time. */
const ALL = 1e6;

/** A lock for one holder alone, or for several that share it. */
export function createLock(clock: Pick<Clock, 'now' | 'sleep'>): Lock {
  const places = new Semaphore(ALL);
  return (until, isAlone) =>
    places.acquire(isAlone ? ALL : 1, { deadline: { clock, ms: until - clock.now() } });
}
