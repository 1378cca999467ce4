import type { Clock } from '../ports/clock.ts';
import type { Lock } from '../turn/services.ts';

export function createLock(clock: Pick<Clock, 'now' | 'sleep'>): Lock {
  let isHeld = false;
  const waiting: (() => void)[] = [];

  /** Whether the lock became ours before `until`. */
  async function waitUntil(until: number): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    const timing = new AbortController();
    const take = () => answer.resolve(true);
    waiting.push(take);
    void clock.sleep(until - clock.now(), timing.signal).then(() => {
      const at = waiting.indexOf(take);
      // Not there any more: it is ours already.
      if (at < 0) return;
      waiting.splice(at, 1);
      answer.resolve(false);
    });
    const isOurs = await answer.promise;
    timing.abort();
    return isOurs;
  }

  return async (until) => {
    if (isHeld && !(await waitUntil(until))) return undefined;
    isHeld = true;
    let isFreed = false;
    return () => {
      if (isFreed) return;
      isFreed = true;
      const next = waiting.shift();
      if (next) next();
      else isHeld = false;
    };
  };
}
