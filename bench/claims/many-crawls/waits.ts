/** Crawls among many that need something of the waker in an hour. They stand anywhere in the order of names. */
import type { SimCloud } from '../../../simulation/models/cloud.ts';
import { settingsOf } from '../../../simulation/worlds/crowd.ts';
import { NEEDS, type Need, type NeedyCrawl, watchNeeds } from '../../../simulation/worlds/crowd-needs.ts';
import type { CrawlAtRest } from '../../../simulation/worlds/fill-crawls.ts';

const MINUTE = 60_000;
/** Due times are rounded to this in the index while they are near. */
const DUE_STEP_MS = 15_000;
/** They need it within this time from the beginning, one after the other. */
const SPREAD_MS = 6 * MINUTE;
const FIRST_MS = 2 * MINUTE;

export interface Waits {
  readonly crawls: readonly CrawlAtRest[];
  /** Seconds that the longest of those has waited, up to now if it waits still. */
  longestSeconds(need: Need): number;
  /** How many still wait. */
  waiting(): number;
}

/** `names`: one crawl for each; they need one thing after the other, from `from` on. */
export function watchWaits(cloud: SimCloud, names: readonly string[], from: number): Waits {
  const { time } = cloud;
  const needy = names.map((crawl, i): NeedyCrawl => {
    const need = NEEDS[i % NEEDS.length] as Need;
    const step = FIRST_MS + (SPREAD_MS * i) / names.length;
    return {
      crawl,
      need,
      at: need === 'end' ? from : Math.ceil((from + step) / DUE_STEP_MS) * DUE_STEP_MS,
    };
  });
  watchNeeds(cloud, needy);
  return {
    crawls: needy.map(({ crawl, need, at }) => settingsOf(crawl, need, at, from)),
    longestSeconds: (need) =>
      Math.max(
        0,
        ...needy
          .filter((one) => one.need === need)
          .map(({ at, doneAt = time.now() }) => (doneAt - at) / 1000),
      ),
    waiting: () => needy.filter(({ doneAt }) => doneAt === undefined).length,
  };
}
