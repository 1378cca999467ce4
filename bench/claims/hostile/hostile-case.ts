/** A hostile case: one host that answers with hostile bytes, and checks that must hold after the crawl. */
import type { Check } from './checks.ts';

/** A request as the server reads it. */
export interface HostileRequest {
  readonly method: string;
  /** As it is in the request line: `/a?b`. */
  readonly target: string;
  /** How often this target was requested before, robots.txt included. */
  readonly times: number;
  readonly addresses: Addresses;
}

/** Where the hostile web is: cases need it for absolute URLs. */
export interface Addresses {
  /** `http://127.66.1.1:PORT`, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** A path below the canary that names the case: `/canary/NAME`. A request for it fails the case. */
  readonly canaryPath: string;
}

export type Bytes = Buffer | Iterable<Buffer> | AsyncIterable<Buffer>;

/** The bytes on the wire, status line included, and what happens to the connection after them. */
export interface Reply {
  readonly bytes: Bytes;
  /**
   * `hang` sends nothing more and keeps the connection open; `reset` sends a TCP reset. By default `close`.
   */
  readonly then?: 'close' | 'reset' | 'hang';
}

export interface HostileCase {
  /** Unique, in words: the row of the table. */
  readonly name: string;
  /** Fast enough for the test suite: no large bodies, no waiting for time-outs. */
  readonly isQuick?: boolean;
  /** Paths that the crawl is seeded with; by default `/`. */
  readonly seeds?: readonly string[];
  /** All must hold. */
  readonly checks: readonly Check[];
  /**
   * The answer to a request. Undefined: the default answer, which is a robots.txt that forbids `/x`, and a
   * small page for any other path.
   */
  answer(request: HostileRequest): Reply | undefined;
}
