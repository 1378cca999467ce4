/** Hosts that refuse the crawler: they challenge or block it, or name a price, by the web's age alone. */
import type { RefusalKind } from '../../shared/core/causes/cause.ts';
import { type Chance, DRAW } from './chance.ts';
import type { Place } from './places.ts';
import type { WebShape } from './shape.ts';

/** A response that refuses the crawler. */
export interface RefusalWay {
  readonly httpStatus: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As the log has it. Undefined: it is a failure of the host like others. */
  readonly refusal?: ServedRefusal;
}

export interface ServedRefusal {
  readonly kind: RefusalKind;
  /** Only the status says so. */
  readonly isPlain: boolean;
  /** It is in the body. */
  readonly sign?: string;
}

export interface Refusing {
  /** How the place is refused at that age, ms; undefined: it is not. */
  of(place: Place, age: number): RefusalWay | undefined;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const WAYS: readonly RefusalWay[] = [
  way(403, { kind: 'challenged', isPlain: false }, ['Cf-Mitigated', 'challenge']),
  way(202, { kind: 'challenged', isPlain: false }, ['X-Amzn-Waf-Action', 'challenge']),
  way(403, { kind: 'challenged', isPlain: false, sign: 'px-captcha' }),
  way(200, { kind: 'challenged', isPlain: false, sign: '_Incapsula_Resource' }),
  way(429, { kind: 'blocked', isPlain: false }, ['Crawler-Error', 'RateLimited']),
  way(403, { kind: 'blocked', isPlain: false }, ['Crawler-Error', 'Blocked']),
  way(403, { kind: 'blocked', isPlain: true }),
  way(429, undefined, ['Retry-After', '20']),
  way(402, { kind: 'priced', isPlain: false }, ['Crawler-Price', 'USD 0.01']),
];

/** Shares of hosts that refuse all, all but robots.txt, or one URL. */
const ALL = 0.4;
const PAGES = 0.8;
/** Shares of hosts that refuse for ever, from some time on, or for a time. */
const FOR_EVER = 0.4;
const FROM_SOME_TIME = 0.6;
const MAX_FIRST_MS = 10 * MINUTE;
const MAX_MS = 8 * HOUR;

function way(
  httpStatus: number,
  refusal: ServedRefusal | undefined,
  ...headers: readonly (readonly [string, string])[]
): RefusalWay {
  return { httpStatus, headers, ...(refusal && { refusal }) };
}

export function createRefusing(
  { refusingShare = 0 }: Pick<WebShape, 'refusingShare'>,
  chance: Chance,
): Refusing {
  const at = (number: number, draw: number) => chance.at(DRAW.refusing, number, draw);

  function isTime(number: number, age: number): boolean {
    const when = at(number, 1);
    if (when < FOR_EVER) return true;
    const from = MAX_FIRST_MS * at(number, 2);
    if (when < FROM_SOME_TIME) return age >= from;
    // Half of the others refuse from the beginning on.
    const until = from + MAX_MS * at(number, 3) ** 3;
    return age < until && (age >= from || at(number, 4) < 0.5);
  }

  return {
    of(place, age) {
      if (place.what === 'noHost') return undefined;
      const { number, pages } = place.what === 'robots' ? place.server : place.host;
      if (at(number, 0) >= refusingShare || !isTime(number, age)) return undefined;
      const extent = at(number, 5);
      const isOne = place.what === 'page' && place.page === Math.floor(pages * at(number, 6));
      const isRefused = extent < ALL || (extent < PAGES ? place.what !== 'robots' : isOne);
      return isRefused ? WAYS[Math.floor(WAYS.length * at(number, 7))] : undefined;
    },
  };
}
