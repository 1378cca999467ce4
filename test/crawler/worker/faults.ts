import type { Archive } from '../../../shared/crawler/ports/archive.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';

/** Where a port fails: at its `n`-th call of all, with or without its effect. */
export interface Fault {
  readonly n: number;
  readonly effect: 'before' | 'after';
  /** `call`: this call alone; `process`: and every later one, as if the process had died there. */
  readonly ends: 'call' | 'process';
}

export interface FaultyEngine extends Engine {
  readonly calls: number;
  readonly hasStruck: boolean;
}

const PORTS = ['queue', 'exchange', 'ledgers', 'registry'] as const;
/** Iterations. */
const LISTS: ReadonlySet<unknown> = new Set(['hosts', 'list']);

/** The same engine, but for one fault. Iterations of hosts are one call. */
export function withFault(engine: Engine, fault?: Fault): FaultyEngine {
  let calls = 0;
  let hasStruck = false;

  function wrap<T extends object>(name: string, port: T): T {
    return new Proxy(port, {
      get(target, key) {
        const method = Reflect.get(target, key);
        if (typeof method !== 'function' || LISTS.has(key)) return method;
        return async (...args: unknown[]) => {
          const n = ++calls;
          const isHit = n === fault?.n;
          if (isHit) hasStruck = true;
          const failure = () => new Error(`${name}.${String(key)}, call ${n}, ${fault?.effect}`);
          if (hasStruck && !isHit && fault?.ends === 'process') throw failure();
          if (isHit && fault?.effect === 'before') throw failure();
          const result = await Reflect.apply(method, target, args);
          if (isHit) throw failure();
          return result;
        };
      },
    });
  }

  const archives = new Map<string, Archive>();
  function archiveOf(crawl: string): Archive {
    const archive = archives.get(crawl) ?? wrap('archive', engine.archiveOf(crawl));
    archives.set(crawl, archive);
    return archive;
  }
  const ports = Object.fromEntries(PORTS.map((name) => [name, wrap(name, engine[name])]));
  return {
    ...engine,
    ...ports,
    ...(engine.jars && { jars: wrap('jars', engine.jars) }),
    archiveOf,
    get calls() {
      return calls;
    },
    get hasStruck() {
      return hasStruck;
    },
  };
}
