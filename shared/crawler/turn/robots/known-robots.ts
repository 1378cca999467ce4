import type { ClosedOrigin, Head, HostRobots, MovedRobots } from '../../../core/frontier/head.ts';
import { isOriginKey } from '../../../core/robots/policy.ts';
import { isUsageFileKey, MAX_FILES_OF_ORIGIN } from '../../../core/robots/usage-files.ts';

/** The maximal number of rules and redirects that a head keeps for other hosts. A head costs by its size. */
const MAX_FOR_OTHERS = 8;
/** The rules of two origins. */
const MAX_USAGE_FILES = 2 * MAX_FILES_OF_ORIGIN;

/**
 * The robots.txt data in a host's head: rules by key (an origin, or a URL that another host's robots.txt
 * redirects to), origins that are closed, and redirects to other hosts.
 */
export class KnownRobots {
  #rules: readonly HostRobots[];
  #closed: readonly ClosedOrigin[];
  #moved: readonly MovedRobots[];

  constructor({ robots, closedOrigins = [], movedRobots = [] }: Head) {
    this.#rules = robots;
    this.#closed = closedOrigins;
    this.#moved = movedRobots;
  }

  get robots(): readonly HostRobots[] {
    return this.#rules;
  }

  get closedOrigins(): readonly ClosedOrigin[] {
    return this.#closed;
  }

  get movedRobots(): readonly MovedRobots[] {
    return this.#moved;
  }

  of(key: string): HostRobots | undefined {
    return this.#rules.find((robots) => robots.origin === key);
  }

  closedOrigin(origin: string): ClosedOrigin | undefined {
    return this.#closed.find((closed) => closed.origin === origin);
  }

  /** The redirect of the robots.txt of that key, if it is known and fresh. */
  redirectOf(key: string, now: number): MovedRobots | undefined {
    return this.#moved.find((moved) => moved.from === key && moved.expiresAt > now);
  }

  /** Whether another origin of the host (http beside https) has given its robots.txt. */
  isOtherOriginOpen(origin: string, now: number): boolean {
    return this.#rules.some(
      (robots) => robots.origin !== origin && isOriginKey(robots.origin) && robots.expiresAt > now,
    );
  }

  /** Keeps rules and replaces the old ones of their key. An origin with rules is not closed. */
  set(robots: HostRobots, now: number): void {
    const key = robots.origin;
    this.#rules = [...this.#rules.filter(({ origin }) => origin !== key), robots];
    this.forgetRedirect(key);
    this.trim(now);
    if (isOriginKey(key)) this.#closed = this.#closed.filter(({ origin }) => origin !== key);
  }

  /** Whether the rules of that key come from the crawl's cache and are old. */
  isArchived(key: string): boolean {
    return this.of(key)?.isArchived === true;
  }

  /** The rules of that key are used until then. */
  extend(key: string, expiresAt: number): void {
    this.#rules = this.#rules.map((robots) => (robots.origin === key ? { ...robots, expiresAt } : robots));
  }

  close(closed: ClosedOrigin): void {
    this.#closed = [...this.#closed.filter(({ origin }) => origin !== closed.origin), closed];
  }

  setRedirect(moved: MovedRobots): void {
    this.forgetRedirect(moved.from);
    this.#moved = [...this.#moved, moved];
  }

  forgetRedirect(from: string): void {
    this.#moved = this.#moved.filter((moved) => moved.from !== from);
  }

  /** Drops rules for other hosts, and of files about the use of content, that are old or too many. */
  trim(now: number): void {
    const isFresh = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt > now;
    const further = this.#rules.filter((robots) => !isOriginKey(robots.origin) && isFresh(robots));
    const files = further.filter(({ origin }) => isUsageFileKey(origin));
    const forOthers = further.filter(({ origin }) => !isUsageFileKey(origin));
    const kept = new Set([...forOthers.slice(-MAX_FOR_OTHERS), ...files.slice(-MAX_USAGE_FILES)]);
    this.#rules = this.#rules.filter((robots) => isOriginKey(robots.origin) || kept.has(robots));
    const moved = this.#moved.filter(isFresh);
    this.#moved = [
      ...moved.filter(({ from }) => isOriginKey(from)),
      ...moved.filter(({ from }) => !isOriginKey(from)).slice(-MAX_FOR_OTHERS),
    ];
  }
}
