/** Time and chance, so that a simulation can own both. */
export interface Clock {
  now(): number;
  /**
   * Milliseconds that pass evenly, whatever the wall clock is set to: for durations within one process.
   * Default: `now`.
   */
  elapsed?(): number;
  /**
   * Adopts the wall clock's time, if the clock ignores that the wall clock was set back. Call it between two
   * invocations, when nothing in progress depends on times. Default: does nothing.
   */
  follow?(): void;
  /** Resolves after `ms`, or early (without throwing) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
  /** A random UUID (RFC 9562, version 4), in lower case. */
  uuid(): string;
}
