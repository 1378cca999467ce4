/**
 * Processes that die in the middle of whatever they do: nothing they have begun continues, and no one is
 * notified.
 */
import type { Archive } from '../../../shared/crawler/ports/archive.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';

export interface Mortal {
  readonly engine: Engine;
  readonly fetcher: Fetcher;
  /** Resolves when the process has died. */
  readonly died: Promise<void>;
  die(): Promise<never>;
}

const PORTS = ['queue', 'exchange', 'ledgers', 'registry'] as const;

/** The engine and the web as one process has them; `kills` says which URLs end it when they are fetched. */
export function mortal(
  engine: Engine,
  fetcher: Fetcher,
  kills: (url: string) => boolean = () => false,
): Mortal {
  const death = Promise.withResolvers<void>();
  let isDead = false;
  const forEver = () => new Promise<never>(() => {});

  /** Answers that come after the death reach nobody. */
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) return forEver();
    try {
      const result = await work();
      return isDead ? forEver() : result;
    } catch (error) {
      if (isDead) return forEver();
      throw error;
    }
  };
  const wrap = <T extends object>(port: T): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]) => [
        name,
        typeof member === 'function' && name !== 'hosts'
          ? (...args: unknown[]) => alive(async () => Reflect.apply(member, port, args))
          : member,
      ]),
    ) as T;
  const die = () => {
    isDead = true;
    death.resolve();
    return forEver();
  };

  const { clock } = engine;
  const archives = new Map<string, Archive>();
  const ports = Object.fromEntries(PORTS.map((name) => [name, wrap(engine[name])]));
  return {
    died: death.promise,
    die,
    engine: {
      ...engine,
      ...ports,
      clock: { ...clock, sleep: (ms, signal) => alive(() => clock.sleep(ms, signal)) },
      archiveOf(crawl) {
        const archive = archives.get(crawl) ?? wrap(engine.archiveOf(crawl));
        archives.set(crawl, archive);
        return archive;
      },
    },
    fetcher: {
      ...fetcher,
      fetch: (request) => (kills(request.url) ? die() : alive(() => fetcher.fetch(request))),
    },
  };
}
