/** Crawls whose processes die: of a page, or of a hook. */

import { mortal } from './mortal.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, startProcess, type World } from './world.ts';

export interface DeathsOptions {
  readonly processes?: number;
  readonly maxDeaths?: number;
  readonly onDeath?: () => Promise<void>;
  readonly crawls?: readonly string[];
}

/** Crawls to the end, a new process for each that has died; gives how many did. */
export async function crawlThrough(
  world: World,
  kills: (url: string) => boolean,
  { processes = 1, maxDeaths = 40, onDeath = async () => {}, crawls }: DeathsOptions = {},
): Promise<number> {
  const { clock, engine, fetcher, hooks } = world;
  let deaths = 0;
  const isOver = () => areQuiet(engine, crawls && [...crawls]);
  async function live(): Promise<void> {
    for (;;) {
      const own = mortal(engine, fetcher, kills);
      const process = startProcess(own.engine, own.fetcher, crawls && [...crawls], undefined, hooks);
      let isEnding = false;
      const end = clock.sleep(0).then(async () => {
        while (!isEnding && !(await isOver())) await clock.sleep(1000);
        process.stop();
        await process.ended;
      });
      const died = await Promise.race([own.died.then(() => true), end.then(() => false)]);
      isEnding = true;
      if (!died) return;
      await onDeath();
      if (++deaths > maxDeaths) throw new Error(`${deaths} deaths, and no end`);
      // A new one comes some seconds later.
      await clock.sleep(5000);
    }
  }
  await clock.drive(Promise.all(Array.from({ length: processes }, live)));
  return deaths;
}

/** A host whose front page links to all others: `count` pages. */
export function flatHost(host: string, count: number): Site {
  const paths = Array.from({ length: count - 1 }, (_, i) => `/${i + 1}`);
  return Object.fromEntries([
    [`${host}/`, page(...paths)],
    ...paths.map((path) => [`${host}${path}`, page()] as const),
  ]);
}

/** The crawl has run for an hour, so its turns are as long as they may be. */
export function makeOld({ engine: { registry } }: Pick<World, 'engine'>): void {
  const { totals } = registry;
  Object.assign(registry, {
    isShared: true,
    totals: async (crawl: string) => ({ ...(await totals(crawl)), activeMs: 3_600_000 }),
  });
}
