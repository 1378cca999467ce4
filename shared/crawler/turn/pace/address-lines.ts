import type { HostKey } from '../../../core/url/host-key.ts';

/** How requests to an address follow one another. */
export interface LineSpacing {
  /** The least time from the end of one request to the start of the next. */
  readonly delayMs: number;
  /** A request that could begin only after this time is not made. */
  readonly latestAt: number;
  /** When it aborts, a request that still waits is not made. */
  readonly signal?: AbortSignal;
}

/**
 * The queues for the IP addresses to which this process sends requests, for all crawls: one request in flight to each,
 * in turn. Times of slots are by the clock's `elapsed`.
 */
export interface AddressLines {
  /** The name under which the process has leases of addresses. */
  owner(): string;
  /**
   * Gives the host the next slot in the queues of all `addresses`, or the slot that was kept for it. Returns when it
   * comes.
   */
  join(host: HostKey, addresses: readonly string[], delayMs: number): number;
  /** Keeps a slot for the host's next turn. */
  keep(host: HostKey, at: number): void;
  /** Gives back an unused slot. */
  leave(addresses: readonly string[], delayMs: number): void;
  /** Whether no request to the address is in flight or next. */
  isIdle(address: string): boolean;
  /** Remembers the address from which the host has answered: its connection may be kept though its name leads elsewhere. */
  note(host: HostKey, address: string): void;
  lastOf(host: HostKey): string | undefined;
  /**
   * Runs `request` when no request to the addresses is in flight, and each has rested. Undefined: that would be too
   * late, or `signal` has aborted, and it was not run. `isCounted`: whether a request was sent to the address.
   */
  run<T>(
    addresses: readonly string[],
    spacing: LineSpacing,
    request: () => Promise<T>,
    isCounted: (result: T) => boolean,
  ): Promise<T | undefined>;
}
