/** The crawls that meet faults: small, and together on all that the local engine does with files. */
import { PLAIN } from '../web/features.ts';
import { generateWeb, type Web } from '../web/graph.ts';
import { millionLinks } from '../web/million-links.ts';

export interface Scenario {
  readonly what: string;
  readonly web: (seed: number) => Web;
  readonly workers: number;
  /** In ms, between two requests to a host. */
  readonly delayMs: number;
  /** The number of pages at which the crawl is over. Default: all. */
  readonly maxPages?: number;
  /** A WARC file is closed at this size. */
  readonly warcMaxBytes: number;
  /**
   * A machine that has lost power takes longer to begin again than this delay, and here it does not: no
   * losses of power.
   */
  readonly restartsAtOnce?: boolean;
  /** Characters of each page's item besides its URL; undefined: pages have none. */
  readonly itemChars?: number;
}

const SMALL_SITES = { ...PLAIN, duplicates: true, errors: true, robots: true };
const smallSites = (seed: number): Web =>
  generateWeb({ seed, hosts: 6, pagesPerHost: 4, features: SMALL_SITES });

/** A body of more than 1 MiB is kept in a temporary file. */
const LARGE_BODY_BYTES = 1_200_000;

export const SCENARIOS = {
  pages: {
    what: 'six small hosts, several WARC files',
    web: smallSites,
    workers: 1,
    delayMs: 20,
    warcMaxBytes: 20_000,
    itemChars: 0,
  },
  threads: {
    what: 'the same by two threads',
    web: smallSites,
    workers: 2,
    delayMs: 20,
    warcMaxBytes: 20_000,
    itemChars: 0,
  },
  slow: {
    what: 'two hosts with a delay that is longer than a process takes to begin',
    web: (seed) => generateWeb({ seed, hosts: 2, pagesPerHost: 8, features: PLAIN }),
    workers: 1,
    delayMs: 5000,
    warcMaxBytes: 1_000_000_000,
    itemChars: 0,
    restartsAtOnce: true,
  },
  parts: {
    what: 'thousands of links, whose ledger is in files; a body in a temporary file; a limit of pages',
    web: () => withLargeRoot(millionLinks({ pages: 4, linksPerPage: 8000 })),
    workers: 1,
    // Longer than a turn waits: each page is a turn of its own, until their segments are merged and the first
    // part is deleted.
    delayMs: 250,
    maxPages: 12,
    warcMaxBytes: 1_000_000_000,
  },
  items: {
    what: 'items of almost a megabyte: the database moves its journal while the crawl runs',
    web: (seed) => generateWeb({ seed, hosts: 8, pagesPerHost: 4, features: PLAIN }),
    workers: 1,
    delayMs: 20,
    warcMaxBytes: 1_000_000_000,
    itemChars: 900_000,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[];
export const scenarioOf = (name: ScenarioName): Scenario => SCENARIOS[name];

function withLargeRoot(web: Web): Web {
  const roots = new Set(web.seeds);
  return {
    ...web,
    at(url) {
      const found = web.at(url);
      return found && roots.has(url) ? { ...found, fillerBytes: LARGE_BODY_BYTES } : found;
    },
    atPort: (port) => withLargeRoot(web.atPort(port)),
  };
}

/** The harm that a hook does to its thread, once in a world. */
export interface Harm {
  /** `exit`: the thread ends at once; `loop`: it hangs; `memory`: its heap is full. */
  readonly what: 'exit' | 'loop' | 'memory';
  /** At the nth page of the thread. */
  readonly page: number;
  /**
   * This number of ms after its call: within the call, a hook that takes too long is cut off, and its thread
   * continues.
   */
  readonly afterMs: number;
}

const HARMS: Readonly<Record<Harm['what'], string>> = {
  exit: "process.emit('exit', 9); process.reallyExit(9);",
  loop: 'for (;;);',
  memory: 'const all = []; for (;;) all.push(new Array(100_000).fill(all.length));',
};

/** The text of the project's file. `mark`: a file in which the harm is noted, with the page's URL. */
export function projectText({ warcMaxBytes, itemChars }: Scenario, mark: string, harm?: Harm): string {
  const crawl = {
    // As patient with URLs that fail as the other tests of the generated web.
    ...{ retryMs: 5, backoffMs: 5, maxBackoffMs: 40, maxHostFailures: 60, keepTrying: true },
    // On a busy machine a thread that does no harm stands still for seconds, too.
    blockTimeoutMs: harm ? 5000 : 60_000,
    warcMaxBytes,
  };
  if (itemChars === undefined) return `export default { crawl: ${JSON.stringify(crawl)} };\n`;
  const item = `{ url, text: 'x'.repeat(${itemChars}) }`;
  if (!harm) return `export default { crawl: ${JSON.stringify(crawl)}, onPage: ({ url }) => (${item}) };\n`;
  return `import { existsSync, writeFileSync } from 'node:fs';
const mark = ${JSON.stringify(mark)};
let pages = 0;
function harm() { ${HARMS[harm.what]} }
export default {
  crawl: ${JSON.stringify(crawl)},
  onPage({ url }) {
    if (++pages === ${harm.page} && !existsSync(mark)) {
      writeFileSync(mark, url);
      setTimeout(harm, ${harm.afterMs});
    }
    return ${item};
  },
};
`;
}
