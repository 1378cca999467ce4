import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import { allowedFrom } from '../../../core/crawl/host-hours.ts';
import { clampTimes } from '../../../core/frontier/clamp-times.ts';
import type { Head, HostRobots, MovedRobots } from '../../../core/frontier/head.ts';
import { expiry, MAX_ROBOTS_REDIRECTS, robotsKey } from '../../../core/robots/policy.ts';
import { type HostKey, hostKey } from '../../../core/url/host-key.ts';
import type { HostPace } from '../pace/host-pace.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { KnownRobots } from './known-robots.ts';

/** The first look comes after this, each later one after twice as long ... */
const FIRST_LOOK_MS = 500;
/**
 * ... this number of times, about half a minute. From then on each is a failure of the host whose robots.txt
 * redirects.
 */
const PATIENT_LOOKS = 6;
/** If the other host's hours allow no request now, the next look comes after this at the latest. */
const CLOSED_LOOK_MS = 900_000;

export type Found =
  | { readonly kind: 'robots'; readonly host: HostKey; readonly robots: HostRobots }
  /** Nobody has requested that URL yet. */
  | { readonly kind: 'unknown'; readonly url: string }
  | { readonly kind: 'tooManyRedirects' };

export interface MovedRobotsOptions {
  readonly crawl: TurnCrawl;
  readonly known: KnownRobots;
  readonly pace: HostPace;
}

/**
 * A robots.txt that redirects to another host. A turn sends requests to its own host alone. So the other host is sent a
 * message, its own turn fetches the file at its own pace and keeps the rules in its head, and this turn reads them
 * there.
 */
export class MovedRobotsFinder {
  readonly #services: Pick<TurnServices, 'engine'>;
  readonly #options: MovedRobotsOptions;

  constructor(services: Pick<TurnServices, 'engine'>, options: MovedRobotsOptions) {
    this.#services = services;
    this.#options = options;
  }

  /**
   * Remembers that the robots.txt of the key `from`, requested at `at`, redirects to a URL of another host.
   */
  note(from: string, to: string, at: number, cacheControl: readonly string[]): MovedRobots {
    const expiresAt = expiry(at, cacheControl, this.#options.crawl.config.robotsMaxAgeMs);
    const moved = { from, to, since: at, expiresAt, tries: 0 };
    this.#options.known.setRedirect(moved);
    return moved;
  }

  /** Follows the redirect through the heads of the hosts. */
  async find({ to }: MovedRobots): Promise<Found> {
    let url = to;
    for (let redirects = 1; redirects <= MAX_ROBOTS_REDIRECTS; redirects++) {
      const host = hostKey(url);
      const key = robotsKey(url);
      const head = await this.#headOf(host);
      // To read it may have taken long.
      const now = this.#services.engine.clock.now();
      const robots = head?.robots.find((one) => one.origin === key && one.expiresAt > now);
      if (robots) return { kind: 'robots', host, robots };
      const next = head?.movedRobots?.find((one) => one.from === key && one.expiresAt > now);
      if (!next) return { kind: 'unknown', url };
      url = next.to;
    }
    return { kind: 'tooManyRedirects' };
  }

  /**
   * Has the other host's turn fetch `url`, and this host rest until the next look. Returns the cause if that has taken
   * too long, which counts as a failure.
   */
  async wait(moved: MovedRobots, url: string): Promise<Cause | undefined> {
    const { engine } = this.#services;
    const { crawl, known, pace } = this.#options;
    const now = engine.clock.now();
    const target = hostKey(url);
    const openAt = allowedFrom(crawl.everywhere.configOf(target), now);
    if (openAt - now > FIRST_LOOK_MS) {
      // It gets a request then, which does not count as a failure of this host.
      known.setRedirect({ ...moved, asked: undefined });
      pace.postponeTo(Math.min(openAt, now + CLOSED_LOOK_MS));
      return undefined;
    }
    const tries = moved.tries + 1;
    const isLate = tries > PATIENT_LOOKS;
    if (moved.asked !== url || isLate)
      await engine.queue.send([{ host: target, message: { kind: 'robots', crawl: crawl.id, url } }]);
    known.setRedirect({ ...moved, tries, asked: url });
    if (!isLate) {
      pace.postponeTo(now + FIRST_LOOK_MS * 2 ** (tries - 1));
      return undefined;
    }
    const cause: Cause = { code: 'robotsMoved', to: boundedText(url) };
    pace.fail(cause);
    return cause;
  }

  async #headOf(host: HostKey): Promise<Pick<Head, 'robots' | 'movedRobots'> | undefined> {
    const { ledgers, clock } = this.#services.engine;
    const { crawl, known } = this.#options;
    if (host === crawl.host) return known;
    const head = await ledgers.loadHead(crawl.id, host);
    return head && clampTimes(head, clock.now(), crawl.config);
  }
}
