/** The options of `startCrawl` and `resumeCrawl`, checked and sorted. */

import { type CrawlOptions, InvalidConfig } from '../../shared/core/crawl/config.ts';
import { hasUserinfo } from '../../shared/core/crawl/seed-credentials.ts';
import { missingAt, resumableKeys } from '../../shared/core/crawl/settings/settings.ts';
import { LOG_LEVELS } from '../../shared/core/text/log-entry.ts';
import { canonicalPage } from '../../shared/core/url/hash-route.ts';
import { parseSeed } from '../../shared/core/url/parse-seed.ts';
import {
  crawlFaults,
  hookFaults,
  NO_PROJECT,
  type Project,
} from '../../shared/services/project/project-file.ts';
import type { CrawlHooks, ResumeCrawlOptions, StartCrawlOptions } from '../start-options.ts';
import type { CrawlLogOptions } from './log/crawl-log.ts';
import type { LocalStart } from './messages.ts';

export interface CheckedStart {
  readonly start: LocalStart;
  /** Hooks that are functions of the caller. Absent: the crawl runs in threads of its own. */
  readonly hooks?: Project;
  readonly signal?: AbortSignal;
  readonly logging: Pick<CrawlLogOptions, 'level' | 'onLog'>;
}

/** Options that are neither settings nor hooks. */
const OWN_KEYS = ['project', 'workers', 'browser', 'browserUrl', 'signal', 'logLevel', 'onLog'] as const;

const HOOK_KEYS = [
  'middleware',
  'extraction',
  'modules',
  'onPage',
  'router',
  'itemSchema',
  'onError',
  'challenge',
  'onChallenge',
  'behave',
  'onFinish',
  'webhook',
] as const satisfies readonly (keyof CrawlHooks)[];

/** Throws {@link InvalidConfig} with all that is wrong. */
export function readStartOptions({
  seeds,
  sites,
  out,
  dedupeFrom,
  cache,
  ...rest
}: StartCrawlOptions): CheckedStart {
  const { options, faults, ...shared } = readShared(rest, ['seeds', 'sites', 'out', 'dedupeFrom', 'cache']);
  refuseNoList(sites, faults);
  if (cache !== undefined && !isPath(cache))
    faults.push(`Expected cache to be the folder of an earlier crawl, got ${shown(cache)}`);
  for (const [key, reason] of missing(options)) faults.push(`Expected no ${key} without stack: ${reason}`);
  const parsed = seeds === undefined && sites !== undefined ? [] : readSeeds(seeds, faults);
  refuse('startCrawl', faults);
  const start = { kind: 'begin', ...shared.start, seeds: parsed, sites, options, folder: out } as const;
  return { ...shared, start: { ...start, dedupeFrom, cache } };
}

/** As {@link readStartOptions}. */
export function readResumeOptions(
  folder: string,
  { sites, newUrlRules = false, trustSettings = false, cache, ...rest }: ResumeCrawlOptions,
): CheckedStart {
  const own = ['sites', 'newUrlRules', 'trustSettings', 'cache'];
  const { options: limits, faults, ...shared } = readShared(rest, own);
  refuseNoList(sites, faults);
  if (cache !== undefined && cache !== false && !isPath(cache))
    faults.push(`Expected cache to be the folder of an earlier crawl, or false, got ${shown(cache)}`);
  const strange = Object.keys(limits).filter((key) => !LIMITS.has(key));
  const reasons = new Map(missing(limits));
  for (const key of strange)
    faults.push(`resumeCrawl takes no ${key}: ${reasons.get(key) ?? 'the crawl continues with its own'}`);
  refuse('resumeCrawl', faults);
  return {
    ...shared,
    start: { kind: 'resume', ...shared.start, folder, sites, limits, newUrlRules, trustSettings, cache },
  };
}

const isPath = (given: unknown): given is string => typeof given === 'string' && given !== '';

/** The settings that do not exist on one machine, with the reasons. */
const missing = (options: CrawlOptions): [key: string, reason: string][] =>
  Object.entries(missingAt('machine')).filter(([key]) => Object.hasOwn(options, key));

const LIMITS: ReadonlySet<string> = new Set(resumableKeys('machine'));

function refuse(name: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new InvalidConfig(`${name}: ${faults.join('; ')}`);
}

function refuseNoList(sites: unknown, faults: string[]): void {
  if (sites !== undefined && !Array.isArray(sites))
    faults.push(`Expected sites to be a list, got ${shown(sites)}`);
}

type Shared = Omit<StartCrawlOptions, 'seeds' | 'sites' | 'out' | 'dedupeFrom' | 'cache'>;

function readShared(given: Shared, more: readonly string[]) {
  const { project, workers = 1, browser, browserUrl, once, signal, logLevel: level, onLog, ...rest } = given;
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  const isHook = ([key]: [string, unknown]) => (HOOK_KEYS as readonly string[]).includes(key);
  const functions = Object.fromEntries(entries.filter(isHook));
  const options: CrawlOptions = Object.fromEntries(entries.filter((entry) => !isHook(entry)));
  const hooks = Object.keys(functions).length > 0 ? { ...NO_PROJECT, ...functions } : undefined;
  const faults = [
    ...crawlFaults(options, [], [...more, ...OWN_KEYS, ...HOOK_KEYS]),
    ...hookFaults(functions),
  ];
  if (!Number.isInteger(workers) || workers < 1 || workers > 64)
    faults.push(`Expected workers to be a whole number from 1 to 64, got ${String(workers)}`);
  if (browser !== undefined && !isPath(browser))
    faults.push(`Expected browser to be the path of a browser, got ${shown(browser)}`);
  if (browserUrl !== undefined && typeof browserUrl !== 'string')
    faults.push('Expected browserUrl to be the URL of a browser, got something else');
  if (once !== undefined && typeof once !== 'boolean')
    faults.push(`Expected once to be true or false, got ${shown(once)}`);
  if (level !== undefined && !LOG_LEVELS.includes(level))
    faults.push(`Expected logLevel to be one of ${LOG_LEVELS.join(', ')}, got ${shown(level)}`);
  if (onLog !== undefined && typeof onLog !== 'function')
    faults.push(`Expected onLog to be a function, got ${shown(onLog)}`);
  if (hooks && (workers > 1 || project !== undefined))
    faults.push(
      `Expected no ${workers > 1 ? 'workers' : 'project'} together with ${Object.keys(functions).join(', ')}: ` +
        'functions cannot go to other threads. Put them into a file, and give its name as project',
    );
  const start = {
    ...(project !== undefined && { project: { file: project } }),
    workers,
    ...(browser !== undefined && { browser }),
    ...(browserUrl !== undefined && { browserUrl }),
    ...(once === true && { once }),
    reportsEvents: true,
  };
  return {
    start,
    logging: { level, onLog },
    options,
    faults,
    ...(hooks && { hooks }),
    ...(signal && { signal }),
  };
}

/** Seeds that are not URLs and are named. */
const MAX_NAMED = 10;

function readSeeds(seeds: unknown, faults: string[]): string[] {
  if (!Array.isArray(seeds) || seeds.length === 0) {
    faults.push('Expected seeds to be a list of at least one URL');
    return [];
  }
  const wrong: number[] = [];
  const parsed = seeds.map((seed, i) => {
    const url = typeof seed === 'string' ? parseSeed(seed) : undefined;
    if (url === undefined) wrong.push(i);
    return url ?? '';
  });
  for (const i of wrong.slice(0, MAX_NAMED))
    faults.push(`Expected seeds.${i} to be an http or https URL, got ${shown(seeds[i])}`);
  if (wrong.length > MAX_NAMED) faults.push(`${wrong.length - MAX_NAMED} more seeds are none`);
  return [...new Set(parsed.map((url) => (hasUserinfo(url) ? url : (canonicalPage(url) ?? url))))];
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 100);
