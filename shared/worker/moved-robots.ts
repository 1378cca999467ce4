/**
 * A robots.txt that redirects to another host. A turn asks its own host alone. So the other host is sent a message, its own
 * turn fetches the file at its own pace and keeps the rules in its head, and this turn reads them there.
 */
import { withoutFarTimes } from '../frontier/far-times.ts';
import type { Head, HostRobots, MovedRobots } from '../frontier/head.ts';
import { afterFailure } from '../frontier/politeness.ts';
import { expiry, isOriginKey, MAX_ROBOTS_REDIRECTS, robotsKey } from '../robots/policy.ts';
import { type HostKey, hostKey } from '../url/host-key.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';

/** The first look comes after this, each later one after twice as long ... */
const FIRST_LOOK_MS = 500;
/** ... so many times, about half a minute. From then on each is a failure of the host whose robots.txt redirects. */
const PATIENT_LOOKS = 6;
/** For other hosts a head keeps so many rules and redirects at most: it is paid for by size. */
const MAX_GUESTS = 8;

export type Found =
  | { readonly kind: 'robots'; readonly host: HostKey; readonly robots: HostRobots }
  /** Nobody has asked for that URL yet. */
  | { readonly kind: 'unknown'; readonly url: string }
  | { readonly kind: 'tooManyRedirects' };

export interface MovedRobotsKeeper {
  /** The redirect of the robots.txt of that key, if it is known and fresh. */
  of(key: string): MovedRobots | undefined;
  /** Keeps in mind that it redirects to a URL of another host. */
  note(from: string, to: string, cacheControl: readonly string[]): MovedRobots;
  forget(from: string): void;
  /** What the heads of the hosts tell that it leads to. */
  find(moved: MovedRobots): Promise<Found>;
  /**
   * Has the host of `url` asked, and this one rest until the next look. Returns the cause when that has taken so long that
   * it counts as a failure.
   */
  wait(moved: MovedRobots, url: string): Promise<string | undefined>;
  /** Drops what was kept for other hosts and is old, or too much. */
  trim(): void;
}

export function createMovedRobots(
  { engine: { clock, ledgers, queue } }: Pick<Services, 'engine'>,
  crawl: Crawl,
  state: HostState,
): MovedRobotsKeeper {
  const { config } = crawl;
  const isFresh = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt > clock.now();
  const others = (from: string) => state.movedRobots.filter((moved) => moved.from !== from);

  async function headOf(host: HostKey): Promise<Pick<Head, 'robots' | 'movedRobots'> | undefined> {
    if (host === state.host) return state;
    const head = await ledgers.loadHead(crawl.id, host);
    return head && withoutFarTimes(head, clock.now(), config);
  }

  return {
    of: (key) => state.movedRobots.find((moved) => moved.from === key && isFresh(moved)),

    note(from, to, cacheControl) {
      const expiresAt = expiry(clock.now(), cacheControl, config.robotsMaxAgeMs);
      const moved = { from, to, since: clock.now(), expiresAt, tries: 0 };
      state.movedRobots = [...others(from), moved];
      return moved;
    },

    forget(from) {
      state.movedRobots = others(from);
    },

    async find({ to }) {
      let url = to;
      for (let redirects = 1; redirects <= MAX_ROBOTS_REDIRECTS; redirects++) {
        const host = hostKey(url);
        const key = robotsKey(url);
        const head = await headOf(host);
        const robots = head?.robots.find((one) => one.origin === key && isFresh(one));
        if (robots) return { kind: 'robots', host, robots };
        const next = head?.movedRobots?.find((one) => one.from === key && isFresh(one));
        if (!next) return { kind: 'unknown', url };
        url = next.to;
      }
      return { kind: 'tooManyRedirects' };
    },

    async wait(moved, url) {
      const tries = moved.tries + 1;
      const isLate = tries > PATIENT_LOOKS;
      if (moved.asked !== url || isLate)
        await queue.send([{ host: hostKey(url), message: { kind: 'robots', crawl: crawl.id, url } }]);
      state.movedRobots = [...others(moved.from), { ...moved, tries, asked: url }];
      const now = clock.now();
      if (!isLate) {
        const lookAt = now + FIRST_LOOK_MS * 2 ** (tries - 1);
        state.clock = { ...state.clock, nextFetchAt: Math.max(state.clock.nextFetchAt, lookAt) };
        return undefined;
      }
      const cause = `robots.txt: it redirects to ${url.slice(0, 200)}, which cannot be had`;
      const moment = { startedAt: now, endedAt: now };
      state.clock = afterFailure(state.clock, moment, { cause, weight: 1 }, config, clock.random());
      return cause;
    },

    trim() {
      const guests = state.robots.filter(({ origin }) => !isOriginKey(origin));
      const kept = new Set(guests.filter(isFresh).slice(-MAX_GUESTS));
      state.robots = state.robots.filter((robots) => isOriginKey(robots.origin) || kept.has(robots));
      const moved = state.movedRobots.filter(isFresh);
      const own = moved.filter(({ from }) => isOriginKey(from));
      state.movedRobots = [...own, ...moved.filter(({ from }) => !isOriginKey(from)).slice(-MAX_GUESTS)];
    },
  };
}
