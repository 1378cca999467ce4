/** The clock of each host: requests of all sessions of a server follow one another at the host's pace. */
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';

type HostTime = Pick<Clock, 'now' | 'sleep'>;

const MAX_HOSTS = 10_000;

export class HostClock {
  readonly #delayMs: number;
  readonly #clock: HostTime;
  readonly #next = new Map<string, number>();

  constructor(delayMs: number, clock: HostTime = systemClock) {
    this.#delayMs = delayMs;
    this.#clock = clock;
  }

  /** Resolves when the host may be requested again. */
  async wait(host: string, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next.get(host) ?? 0);
    this.#next.delete(host);
    this.#next.set(host, at + this.#delayMs);
    for (const [first] of this.#next) {
      if (this.#next.size <= MAX_HOSTS) break;
      this.#next.delete(first);
    }
    if (at > now) await this.#clock.sleep(at - now, signal);
  }
}
