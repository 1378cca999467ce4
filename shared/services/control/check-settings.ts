import { isDeepStrictEqual } from 'node:util';
import { type CrawlConfig, type CrawlOptions, parseConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { SEEDS } from '../../core/crawl/network-values.ts';
import { quoted } from '../../core/text/printable.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { configOf } from './config-of.ts';
import { ControlError } from './control.ts';
import { resumeLimitsSchema } from './resume-limits.ts';

type Key = keyof CrawlConfig;

/**
 * Throws {@link ControlError} (`conflict`) if a request that may begin the crawl names other settings than the crawl has: the
 * crawl began with another request. Its seeds would be crawled without its delay, its scope or its limits. Limits that a
 * resume can change are not compared after a resume.
 */
export function checkSettings(crawl: CrawlId, record: CrawlRecord, given: CrawlOptions): void {
  const stored = configOf(crawl, record);
  const asked = parseConfig(given);
  const isLater = (key: string) =>
    record.resumes !== undefined && Object.hasOwn(resumeLimitsSchema.shape, key);
  const keys = (Object.keys(given) as Key[]).filter((key) => given[key] !== undefined && !isLater(key));
  const others = keys.filter((key) => !isKept(key, asked, stored));
  if (others.length === 0) return;
  throw new ControlError(
    'conflict',
    `The crawl ${quoted(crawl)} began with another ${others.map((key) => `config.${key}`).join(', ')}: ` +
      'send the seeds without config, or name another crawl',
    `config.${others[0]}`,
  );
}

/**
 * Whether the crawl has the setting. Settings for origins may include the ones of its seeds (`seed-credentials.ts`).
 */
function isKept(key: Key, asked: CrawlConfig, stored: CrawlConfig): boolean {
  if (key === 'headers' || key === 'auth') return isPart(withoutSeeds(asked[key]), stored[key]);
  if (key === 'clientCertificates')
    return asked[key].every(
      (one) => one.hosts.includes(SEEDS) || stored[key].some((other) => isDeepStrictEqual(one, other)),
    );
  // The deployer's domains may have replaced an empty list.
  if (key === 'domains' && asked[key].length === 0) return true;
  return isDeepStrictEqual(asked[key], stored[key]);
}

const withoutSeeds = (by: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(by).filter(([pattern]) => pattern !== SEEDS));

const isPart = (asked: unknown, stored: unknown): boolean =>
  isRecord(asked) && isRecord(stored)
    ? Object.entries(asked).every(([key, value]) => isPart(value, stored[key]))
    : isDeepStrictEqual(asked, stored);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
