import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';

/** A client of the SDK, which learns from each answer by how much the service's time differs, and signs by that. */
export interface TimedClient {
  readonly config: { readonly systemClockOffset: number };
}

/** A smaller difference is none: services give their time in whole seconds, and answers take a while. */
const MIN_SKEW_MS = 10_000;

/**
 * The clock of an operator's machine, by the time of the service where the machine's own is wrong. The functions of the stack
 * act by times that an operator's command has stored: data of a deleted crawl would be deleted while workers write it.
 */
export function serviceClock({ config }: TimedClient, clock: Clock = systemClock): Clock {
  let skew = 0;
  return {
    ...clock,
    now() {
      const { systemClockOffset: seen } = config;
      if (Math.abs(seen - skew) >= MIN_SKEW_MS) skew = Math.abs(seen) >= MIN_SKEW_MS ? seen : 0;
      return clock.now() + skew;
    },
  };
}
