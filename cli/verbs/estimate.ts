import type { CrawlShape } from '../../api/estimate/estimate-crawl.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { configOf, isSet, numberOf, readWords, textOf } from '../given.ts';
import { CONFIG_OPTION, JSON_OPTION } from '../option-spec.ts';
import { optionsOf } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

/** Ten thousand times the pages of the largest archives of the web. */
const MAX_COUNT = 1e15;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

export const command = verb({
  usage: 'estimate PAGES HOSTS [options]',
  more: 'On one machine and on AWS, without making a request.',
  examples: ['estimate 1e6 200', 'estimate 50k 1 --delay 500ms', 'estimate 10M 20000 --even --json'],
  options: [
    CONFIG_OPTION,
    {
      name: 'even',
      type: 'flag',
      group: 'Crawl',
      help: 'all hosts have the same number of pages; by default few are large and most are small, as on the web',
    },
    {
      name: 'response-time',
      argument: 'TIME',
      type: 'duration',
      group: 'Crawl',
      help: 'how long the hosts take to answer; by default 120, 250 and 600 ms, each for a third of them',
    },
    {
      name: 'page-size',
      argument: 'SIZE',
      type: 'bytes',
      group: 'Crawl',
      preset: '30kB',
      help: 'size of a page as it is sent, compressed',
    },
    ...optionsOf('delayMs', 'maxBytesPerSecond', 'maxBytesPerSecondPerHost', 'adaptive', 'render'),
    JSON_OPTION,
  ],
  read(given) {
    const [first, second] = readWords(given, 'PAGES', 'HOSTS');
    const pages = readAmount('PAGES', first!);
    const hosts = readAmount('HOSTS', second!);
    if (hosts > pages) throw new UsageError(`Expected HOSTS to be at most PAGES, got ${hosts} and ${pages}`);
    return {
      pages,
      hosts,
      config: textOf(given, 'config'),
      options: configOf(given),
      even: isSet(given, 'even'),
      responseMs: numberOf(given, 'response-time'),
      pageBytes: numberOf(given, 'page-size'),
    };
  },
  async run({ pages, hosts, even, responseMs, pageBytes, ...given }, place) {
    const { estimateCrawl } = await import('../../api/estimate/estimate.ts');
    const { USUAL_PAGE_BYTES, USUAL_RESPONSE_MS } = await import('../../api/estimate/estimate-crawl.ts');
    const { STACK_POOL_DEFAULTS } = await import('../../shared/engines/aws/settings.ts');
    const { hostRate } = await import('../../shared/core/frontier/byte-rate.ts');
    const { hasOwnCode } = await import('../../shared/services/project/own-code.ts');
    const { readProject } = await import('../../shared/services/project/project-file.ts');
    const { parseCrawlConfig } = await import('../crawl-config.ts');
    const { estimateText } = await import('../estimate-text.ts');
    const project = await readProject(given.config);
    const config = parseCrawlConfig({ ...project.crawl, ...given.options });
    const shape: CrawlShape = {
      pages,
      hosts,
      spread: even ? 'even' : 'web',
      delayMs: config.delayMs,
      adaptiveFactor: config.adaptive ? config.adaptiveFactor : 0,
      responseMs: responseMs === undefined ? USUAL_RESPONSE_MS : [responseMs],
      pageBytes: pageBytes ?? USUAL_PAGE_BYTES,
      hostRate: hostRate(config),
      crawlRate: config.maxBytesPerSecond,
      // How many pages need it is not known before.
      isRendered: config.render === 'always',
    };
    const stack = { ...STACK_POOL_DEFAULTS, ...poolOptions(project.aws, STACK_POOL_DEFAULTS) };
    // A project's own code runs in full-size workers alone (`functions/worker-handler.ts`).
    const pool = hasOwnCode(project) ? { ...stack, smallWorkerMemoryMb: 0 } : stack;
    const estimated = estimateCrawl(shape, pool);
    return place.print(estimated, estimateText(estimated));
  },
});

/** `1000000`, `1,000,000`, `1e6`, `1M`, `10k`. */
function readAmount(name: string, text: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,6})?(?:e\d{1,2})?)([kmg]?)$/i.exec(text.replaceAll(',', ''));
  const amount = match ? Math.round(Number(match[1]) * UNITS[match[2]!.toLowerCase()]!) : Number.NaN;
  if (amount >= 1 && amount <= MAX_COUNT) return amount;
  throw new UsageError(`Expected ${name} to be a number such as 5000, 10k or 1e6, got ${quoted(text)}`);
}

/** The project's stack options that decide the number of workers. */
function poolOptions<Pool extends object>(
  aws: Readonly<Record<string, unknown>>,
  defaults: Pool,
): Partial<Pool> {
  const isGiven = (key: string) => Number(aws[key]) > 0 || (key === 'smallWorkerMemoryMb' && aws[key] === 0);
  const keys = Object.keys(defaults).filter(isGiven);
  return Object.fromEntries(keys.map((key) => [key, Number(aws[key])])) as Partial<Pool>;
}
