/** Pages that are not there for some time, and hosts that are away: what follows from the web's age alone. */
import { type Chance, DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import type { WebShape } from './shape.ts';

export interface Vanishing {
  /** The status by which a page is not there at that age, ms; undefined: it is there. */
  statusOf(host: WebHost, page: number, age: number): 404 | 410 | undefined;
  /** Whether the host refuses all connections at that age. */
  isAway(host: WebHost, age: number): boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Shares of hosts: all connections are refused, or all pages answer 404, for hours. */
const SHARES = { pages: { away: 0.2, allMissing: 0.4 }, hosts: { away: 0.1, allMissing: 0.9 } } as const;
/** The share of the other hosts' pages that vanish, and the shares of these. */
const PAGES = 0.3;
const GONE = 0.35;
const FOREVER = 0.4;
/** Before that, most pages were seen. */
const FIRST = 8 * MINUTE;

const NOTHING: Vanishing = { statusOf: () => undefined, isAway: () => false };

export function createVanishing({ vanishes }: Pick<WebShape, 'vanishes'>, chance: Chance): Vanishing {
  if (!vanishes) return NOTHING;
  const { away, allMissing } = SHARES[vanishes];

  const isWithin = (from: number, until: number, age: number): boolean => age >= from && age < until;

  /** Some hours, in which the crawl fetches the host's pages again. */
  function isTimeOf({ number }: WebHost, age: number): boolean {
    const from = FIRST + 30 * MINUTE * chance.at(DRAW.vanishing, number, 0, 1);
    return isWithin(from, from + HOUR / 2 + 5 * HOUR * chance.at(DRAW.vanishing, number, 0, 2) ** 2, age);
  }

  const kindOf = ({ number }: WebHost): number => chance.at(DRAW.vanishing, number);

  function ownStatus({ number }: WebHost, page: number, age: number): 404 | 410 | undefined {
    const at = (draw: number) => chance.at(DRAW.vanishing, number, page, draw);
    // All other pages are found through the root.
    if (page === 0 || at(0) >= PAGES) return undefined;
    const from = FIRST + HOUR * at(1);
    const draw = at(2);
    // Half of those that come back do so within the hour, the others within the week.
    const share = draw / (1 - FOREVER);
    const lengthMs = share > 1 ? Number.POSITIVE_INFINITY : share < 0.5 ? 2 * share * HOUR : share * 7 * DAY;
    if (!isWithin(from, from + lengthMs, age)) return undefined;
    return at(3) < GONE ? 410 : 404;
  }

  return {
    statusOf(host, page, age) {
      const kind = kindOf(host);
      if (kind >= away && kind < allMissing) return isTimeOf(host, age) ? 404 : undefined;
      return ownStatus(host, page, age);
    },
    isAway: (host, age) => kindOf(host) < away && isTimeOf(host, age),
  };
}
