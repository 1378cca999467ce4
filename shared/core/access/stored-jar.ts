/** The cookies that a host has set, as they are kept from turn to turn. */
import type { AccountState } from './account-state.ts';

/** Cookies of a jar, at most. In a full one, those give way that were used the longest time ago. */
export const MAX_COOKIES = 50;
/** Bytes of all its cookies, at most. */
export const MAX_JAR_BYTES = 16 * 1024;

export interface StoredJar {
  /** Counts the writes, from 1. */
  readonly version: number;
  /** Counts the logins. What a turn has changed in a jar of an earlier generation is dropped. */
  readonly generation: number;
  /** JSON (`cookie-jar.ts`). */
  readonly cookies: string;
  /** The state of the account that the cookies belong to. */
  readonly account?: AccountState;
}
