/** Crawls whose processes die: of a page, or of a hook. */

import type { HandOver } from '../../../shared/crawler/worker/apart-hosts.ts';
import { startWorker } from '../../../shared/crawler/worker/worker.ts';
import { mortal } from './mortal.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { areQuiet, startProcess, type World } from './world.ts';

export interface DeathsOptions {
  readonly processes?: number;
  readonly maxDeaths?: number;
  readonly onDeath?: () => Promise<void>;
  readonly crawls?: readonly string[];
  /** Suspicious hosts are handed to processes that serve these alone. Their deaths count, too. */
  readonly handsOver?: boolean;
}

/** Crawls to the end, a new process for each that has died; gives how many did. */
export async function crawlThrough(
  world: World,
  kills: (url: string) => boolean,
  { processes = 1, maxDeaths = 40, onDeath = async () => {}, crawls, handsOver = false }: DeathsOptions = {},
): Promise<number> {
  const { clock, engine, fetcher, hooks } = world;
  let deaths = 0;
  const isOver = () => areQuiet(engine, crawls && [...crawls]);
  async function died(): Promise<void> {
    await onDeath();
    if (++deaths > maxDeaths) throw new Error(`${deaths} deaths, and no end`);
  }
  /** The process ends when its hosts are served, or one of their pages kills it. */
  const handOver: HandOver = async (apart) => {
    const own = mortal(engine, fetcher, kills);
    startWorker(own.engine, () => own.fetcher, {
      maxHosts: apart.length,
      signal: new AbortController().signal,
      apart,
    });
    void own.died.then(died);
    return 'accepted';
  };
  async function live(): Promise<void> {
    for (;;) {
      const own = mortal(engine, fetcher, kills);
      const process = startProcess(own.engine, own.fetcher, {
        crawls,
        hooks,
        ...(handsOver && { handOver }),
      });
      let isEnding = false;
      const end = clock.sleep(0).then(async () => {
        while (!isEnding && !(await isOver())) await clock.sleep(1000);
        process.stop();
        await process.ended;
      });
      const isDead = await Promise.race([own.died.then(() => true), end.then(() => false)]);
      isEnding = true;
      if (!isDead) return;
      await died();
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
