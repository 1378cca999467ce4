/** The options of a capacity run on the command line. */
import { parseArgs } from 'node:util';

export interface CapacityOptions {
  /** The world that the figures are for. */
  readonly hosts: number;
  /**
   * The rate that the operator wants to reach. The workers allowed at once follow from it if they are not
   * given.
   */
  readonly pagesPerSecond: number;
  /** Virtual hours. */
  readonly hours: number;
  /** Whether the run ends with the crawl, if that is earlier. */
  readonly untilEnd: boolean;
  /**
   * The factor by which the simulated world is smaller: hosts, rate, and every limit that all hosts share.
   */
  readonly scale: number;
  readonly seed: number;
  /** Pages of the one host that answers slowly; 0: there is none. */
  readonly slowHost: number;
  /** Whether every page links to one host. */
  readonly popularHost: boolean;
  /** Turn queues of the stack. */
  readonly queues: number;
  /** Link shards of the stack. */
  readonly linkShards: number;
  /** Workers that the stack allows at once, over all queues; undefined: what the rate needs. */
  readonly workersMax?: number;
  readonly hostsPerWorker: number;
  readonly memoryMb: number;
  /** Memory of the stack's small worker; 0: it has none. */
  readonly smallMemoryMb: number;
  /** `delayMs` of the crawl. */
  readonly delayMs: number;
  /** `turnMaxMs` of the crawl. */
  readonly turnMaxMs: number;
  readonly routerWindowMs: number;
  /** Distinct links of a page to other hosts, on the mean; 40 more lead to its own. */
  readonly linksElsewhere: number;
  /** Partitions of the index of due hosts. */
  readonly dueShards: number;
  readonly svg?: string;
  readonly json?: string;
}

/** Name, what it means and its default, for people and for parsing. */
const OPTIONS = {
  hosts: ['NUMBER', 'hosts of the web', '1e6'],
  'pages-per-second': ['NUMBER', 'rate to reach', '6200'],
  hours: ['NUMBER', 'virtual hours', '1'],
  scale: ['NUMBER', 'the factor by which the simulated world, and every shared limit, is smaller', '100'],
  seed: ['NUMBER', 'decides everything', '1'],
  'slow-host': ['PAGES', 'one host with this number of pages responds slowly', '0'],
  queues: ['NUMBER', 'turn queues of the stack', '40'],
  'link-shards': ['NUMBER', 'link shards of the stack', '64'],
  'workers-max': ['NUMBER', 'workers at once over all queues; default: what the rate needs', ''],
  'hosts-per-worker': ['NUMBER', 'hosts that a worker serves at once', '50'],
  memory: ['MB', 'memory of a worker; 1,769 is one whole CPU', '1769'],
  'small-memory': ['MB', 'memory of the small worker that serves few hosts; 0: there is none', '0'],
  delay: ['SECONDS', 'pause between two requests to a host', '1'],
  turn: ['SECONDS', 'the longest turn; long ones cost less, and more messages wait', '20'],
  'router-window': ['SECONDS', 'time over which the router gathers links', '5'],
  'links-elsewhere': [
    'NUMBER',
    'links of a page to other hosts, all different over its host; 40 more lead to its own',
    '4',
  ],
  'due-shards': ['NUMBER', 'partitions of the index of due hosts', '8'],
  svg: ['FILE', 'writes a picture of the run', ''],
  json: ['FILE', 'writes all figures', ''],
} as const;
type Name = keyof typeof OPTIONS;

/** The command line is not understood. The message names the option, what was expected and what came. */
export class InvalidArguments extends Error {
  override name = 'InvalidArguments';
}

export function parseCapacityArgs(args: readonly string[]): CapacityOptions {
  const values = given(args);
  function number(name: Name, least: number, isWhole = true): number {
    const text = values[name] ?? OPTIONS[name][2];
    const value = Number(text);
    if (text === '' || !(value >= least) || (isWhole && !Number.isInteger(value)))
      throw new InvalidArguments(
        `Expected --${name} to be a ${isWhole ? 'whole ' : ''}number of at least ${least}, got ${text}`,
      );
    return value;
  }
  const text = (name: 'svg' | 'json') => values[name];
  return {
    hosts: number('hosts', 1),
    pagesPerSecond: number('pages-per-second', 0.01, false),
    hours: number('hours', 0.01, false),
    untilEnd: values['until-end'] !== undefined,
    scale: number('scale', 1, false),
    seed: number('seed', 0),
    slowHost: number('slow-host', 0),
    popularHost: values['popular-host'] !== undefined,
    queues: number('queues', 1),
    linkShards: number('link-shards', 0),
    ...(values['workers-max'] !== undefined && { workersMax: number('workers-max', 1) }),
    hostsPerWorker: number('hosts-per-worker', 1),
    memoryMb: number('memory', 128),
    smallMemoryMb: number('small-memory', 0),
    delayMs: number('delay', 0, false) * 1000,
    turnMaxMs: number('turn', 1) * 1000,
    routerWindowMs: number('router-window', 0, false) * 1000,
    linksElsewhere: number('links-elsewhere', 0, false),
    dueShards: number('due-shards', 1),
    svg: text('svg'),
    json: text('json'),
  };
}

function given(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const strings = Object.keys(OPTIONS).map((name) => [name, { type: 'string' }] as const);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries(strings),
        'popular-host': { type: 'boolean' },
        'until-end': { type: 'boolean' },
      },
      allowPositionals: false,
    });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    throw new InvalidArguments((error as Error).message, { cause: error });
  }
}

/** How the command is used, a line for each option. */
export const CAPACITY_USAGE: string = [
  'npm run simulate -- capacity [OPTIONS]',
  ...Object.entries(OPTIONS).map(
    ([name, [value, what, fallback]]) =>
      `  ${`--${name} ${value}`.padEnd(28)} ${what}${fallback === '' ? '' : ` (${fallback})`}`,
  ),
  `  ${'--popular-host'.padEnd(28)} every page links to one host`,
  `  ${'--until-end'.padEnd(28)} ends with the crawl, if that is within the hours`,
].join('\n');
