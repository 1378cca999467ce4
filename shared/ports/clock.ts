/** Time and chance, so that a simulation can own both. */
export interface Clock {
  now(): number;
  /**
   * Milliseconds that pass evenly, whatever the wall clock is set to: for durations within one process.
   * Default: `now`.
   */
  elapsed?(): number;
  /**
   * Of a clock that ignores when the wall clock is set back: takes over the wall clock's time. To be called
   * between two invocations, when nothing is under way that rests on times. Default: nothing.
   */
  follow?(): void;
  /** Resolves after `ms`, or early (without throwing) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
  /** A random UUID (RFC 9562, version 4), in lower case. */
  uuid(): string;
}
