import { estimateCrawl } from '../../api/estimate/estimate.ts';
import { type CrawlShape, USUAL_PAGE_BYTES, USUAL_RESPONSE_MS } from '../../api/estimate/estimate-crawl.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { hostRate } from '../../shared/core/frontier/byte-rate.ts';
import { STACK_POOL_DEFAULTS } from '../../shared/engines/aws/settings.ts';
import { hasOwnCode } from '../../shared/services/project/own-code.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import type { LocalCommandOf } from '../command.ts';
import { estimateText } from '../estimate-text.ts';
import { exitCodes } from '../exit-codes.ts';

/** `strand estimate PAGES HOSTS`: how long a crawl will take, and its cost on a stack. */
export async function estimate(command: LocalCommandOf<'estimate'>): Promise<number> {
  const { pages, hosts, even, responseMs, pageBytes, json } = command;
  const project = await readProject(command.config);
  const { delayMs, adaptive, adaptiveFactor, maxBytesPerSecond, maxBytesPerSecondPerHost } = parseConfig({
    ...project.crawl,
    ...command.options,
  });
  const shape: CrawlShape = {
    pages,
    hosts,
    spread: even ? 'even' : 'web',
    delayMs,
    adaptiveFactor: adaptive ? adaptiveFactor : 0,
    responseMs: responseMs === undefined ? USUAL_RESPONSE_MS : [responseMs],
    pageBytes: pageBytes ?? USUAL_PAGE_BYTES,
    hostRate: hostRate({ maxBytesPerSecond, maxBytesPerSecondPerHost }),
    crawlRate: maxBytesPerSecond,
  };
  const stack = { ...STACK_POOL_DEFAULTS, ...poolOptions(project.aws) };
  // A project's own code runs in full-size workers alone (`functions/worker-handler.ts`).
  const estimated = estimateCrawl(shape, hasOwnCode(project) ? { ...stack, smallWorkerMemoryMb: 0 } : stack);
  process.stdout.write(`${json ? JSON.stringify(estimated) : estimateText(estimated)}\n`);
  return exitCodes.finished;
}

/** Those of the project's stack options that decide the number of workers. */
function poolOptions(aws: Readonly<Record<string, unknown>>): Partial<typeof STACK_POOL_DEFAULTS> {
  const isGiven = (key: string) => Number(aws[key]) > 0 || (key === 'smallWorkerMemoryMb' && aws[key] === 0);
  const keys = Object.keys(STACK_POOL_DEFAULTS).filter(isGiven);
  return Object.fromEntries(keys.map((key) => [key, Number(aws[key])]));
}
