/** The claims that are measured: a file each, and a sentence for the table. */
import type { Measured } from './harness/record.ts';

/** Options of the benches. */
export interface BenchOptions {
  /** The arguments after the name of the claim: files, numbers. */
  readonly words: readonly string[];
  /**
   * The folder of another generated web with the same control paths, as a program in Go; by default
   * `bench/harness/web`.
   */
  readonly synthweb?: string;
  /** Crawls the generated web over TLS. */
  readonly https: boolean;
  /** How often what is compared is run, interleaved; medians are taken. */
  readonly rounds: number;
  /** Hosts of the generated web, and pages of each. */
  readonly hosts: number;
  readonly pages: number;
  /** Seconds between two requests to a host. */
  readonly delay: number;
  /** Whether a crawl is measured to its end. */
  readonly whole: boolean;
  /** Crawls of a stack that run, and those that have ended and are kept. */
  readonly running: number;
  readonly stored: number;
  /** The options that the command line names. */
  readonly given: ReadonlySet<ClaimOption>;
}

/** An option that some claims take and others do not. */
export type ClaimOption =
  | 'rounds'
  | 'hosts'
  | 'pages'
  | 'synthweb'
  | 'https'
  | 'delay'
  | 'whole'
  | 'running'
  | 'stored';

export interface Claim {
  readonly name: string;
  /** The subject of the figures. */
  readonly says: string;
  /** The options that it takes. Default: none. */
  readonly options?: readonly ClaimOption[];
  /** How many arguments it takes after its name. Default: none. */
  readonly maxWords?: number;
  /** Too long to run with the others. */
  readonly isByName?: boolean;
  /** The module beside this one, which exports `measure`. */
  readonly file: string;
}

/** The exports of such a module. */
export interface ClaimModule {
  readonly measure: (options: BenchOptions) => Promise<Measured>;
}

const WEB_OPTIONS: readonly ClaimOption[] = ['rounds', 'hosts', 'pages', 'synthweb'];

export const CLAIMS: readonly Claim[] = [
  {
    name: 'page-path',
    says: 'A page from the socket to the WARC file and the ledger, robots.txt and durable state on',
    options: WEB_OPTIONS,
    file: './claims/page-path.ts',
  },
  {
    name: 'start',
    says: 'The command line from its start to its end: help, a crawl of two pages, a page that is read',
    options: ['rounds'],
    file: './claims/start.ts',
  },
  {
    name: 'guard',
    says: 'Counts of a page that hardly depend on the machine, and CPU as ratios to fixed work, beside the last record',
    options: ['rounds'],
    isByName: true,
    file: './claims/guard.ts',
  },
  {
    name: 'logins',
    says: 'A crawl behind a login, by accounts of which one is locked, killed in between: pages, logins, secrets in files',
    maxWords: 2,
    file: './claims/logins.ts',
  },
  {
    name: 'parquet',
    says: 'Rows of Parquet tables, made, encoded and compressed',
    file: './claims/parquet.ts',
  },
  {
    name: 'search',
    says: 'A search over 100,000 pages',
    file: './claims/search.ts',
  },
  {
    name: 'links',
    says: 'Links of HTML found, resolved and made canonical',
    maxWords: 1,
    file: './claims/links.ts',
  },
  {
    name: 'duplicates',
    says: 'Clusters of pages that are nearly the same, by the sketches of a million pages',
    file: './claims/duplicates.ts',
  },
  {
    name: 'digest',
    says: 'CPU that the text digest of a page adds: it shows whether a page has changed',
    maxWords: 1,
    file: './claims/digest.ts',
  },
  {
    name: 'outputs',
    says: 'CPU of a page by what is made of it: documents, Markdown, search, near-duplicates, hooks, and all together',
    options: ['rounds'],
    maxWords: 1,
    file: './claims/outputs.ts',
  },
  {
    name: 'signatures',
    says: 'CPU and bytes that a signature adds to a request, with an identity',
    file: './claims/signatures.ts',
  },
  {
    name: 'ledger',
    says: 'What is known of a host with a million URLs: its size, and what a turn of 15 pages costs on it',
    maxWords: 2,
    file: './claims/ledger.ts',
  },
  {
    name: 'warc',
    says: 'WARC records encoded and written, and read back',
    maxWords: 1,
    file: './claims/warc.ts',
  },
  {
    name: 'history',
    says: 'The history of a URL of a host with a million captures, in a file that is being written and in a closed one',
    isByName: true,
    maxWords: 1,
    file: './claims/history.ts',
  },
  {
    name: 'changing-site',
    says: 'The change feed, histories and replay of a folder of pages that is served in three versions',
    isByName: true,
    maxWords: 1,
    file: './claims/changing-site.ts',
  },
  {
    name: 'turns',
    says: 'Turns of one small page each on engine `local`',
    maxWords: 2,
    file: './claims/turns.ts',
  },
  {
    name: 'workers',
    says: 'Two cores and worker threads compared with one of each',
    options: WEB_OPTIONS,
    file: './claims/workers.ts',
  },
  {
    name: 'recrawl',
    says: 'How fresh copies stay, beside the policies of other crawlers with the same budget',
    file: './claims/recrawl.ts',
  },
  {
    name: 'recrawl-worker',
    says: 'Recrawl by the real worker over 30 virtual days: freshness and budget',
    isByName: true,
    file: './claims/recrawl-worker.ts',
  },
  {
    name: 'budgets',
    says: 'What a spam farm gets of a crawl of the whole web, by the real router and worker',
    options: ['hosts'],
    isByName: true,
    file: './claims/budgets.ts',
  },
  {
    name: 'frontier',
    says: 'What a known URL takes in the tables of a stack and in a folder, by the number known of its host',
    file: './claims/frontier.ts',
  },
  {
    name: 'cost',
    says: 'What a broad crawl on AWS costs at list price, by the simulated meter',
    options: ['hosts', 'delay', 'whole'],
    file: './claims/cost.ts',
  },
  {
    name: 'many-crawls',
    says: 'A stack with thousands of crawls: its waker, its cost at rest, a page that kills workers, a crawl beside others',
    options: ['running', 'stored'],
    isByName: true,
    file: './claims/many-crawls.ts',
  },
  {
    name: 'memory',
    says: 'Ten million known URLs over 100,000 hosts, compared with a hundredth of that',
    isByName: true,
    maxWords: 2,
    file: './claims/memory.ts',
  },
  {
    name: 'growth',
    says: 'CPU of a page with 1, 10 and 100 times the hosts, or the known URLs of one host, and of the resume',
    options: ['rounds'],
    isByName: true,
    maxWords: 2,
    file: './claims/growth.ts',
  },
  {
    name: 'bodies',
    says: 'Large bodies on many hosts, all at once',
    isByName: true,
    file: './claims/bodies.ts',
  },
  {
    name: 'hostile',
    says: 'Hostile servers, each a named case with what must be true: cases held, private connections, memory, time',
    isByName: true,
    maxWords: Number.POSITIVE_INFINITY,
    file: './claims/hostile.ts',
  },
  {
    name: 'render',
    says: 'Pages drawn by scripts: links found, requests that escape, CPU and memory, beside Crawlee with the same browser',
    isByName: true,
    maxWords: 1,
    file: './claims/render.ts',
  },
  {
    name: 'render-stack',
    says: 'The cost of rendered pages on a stack, by the function as a process with its own browser, at list price',
    isByName: true,
    maxWords: 1,
    file: './claims/render-stack.ts',
  },
  {
    name: 'extractors',
    says: 'The main content of real pages, as people have marked it, by Strand and others, in one run',
    isByName: true,
    maxWords: Number.POSITIVE_INFINITY,
    file: './claims/extractors/extractors.ts',
  },
  {
    name: 'peers',
    says: 'The same generated web crawled by others, in one run',
    isByName: true,
    options: [...WEB_OPTIONS, 'https'],
    maxWords: Number.POSITIVE_INFINITY,
    file: './claims/peers/compare.ts',
  },
];
