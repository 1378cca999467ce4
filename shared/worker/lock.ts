import type { Clock } from '../ports/clock.ts';
import { Semaphore } from '../semaphore.ts';
import type { Lock } from '../turn/services.ts';

/** A lock for one holder at a time. */
export function createLock(clock: Pick<Clock, 'now' | 'sleep'>): Lock {
  const place = new Semaphore(1);
  return (until) => place.acquire(1, { deadline: { clock, ms: until - clock.now() } });
}
