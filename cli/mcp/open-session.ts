/** The session of a server, from what its operator has asked for. Opens nothing: each part opens when it is used. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { StackConnection } from '../../api/stack/connect-stack.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import type { Purpose } from '../../shared/core/usage/purpose.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { beginHere } from './begin-here.ts';
import { type BeginCrawl, CrawlStarts } from './crawl-starts.ts';
import { type CrawlShelf, Crawls } from './crawls.ts';
import { type DayBounds, DayUse } from './day-use.ts';
import { AllowedHosts } from './hosts.ts';
import { LivePages } from './live-pages.ts';
import { ReadPages } from './read-pages.ts';
import type { Session } from './session.ts';
import { SiteMaps } from './site-maps.ts';

/**
 * The settings of a project that hold for a server. Not those that open something, such as private addresses, and no headers,
 * cookies or passwords: a page may show what it was sent.
 */
const KEPT: ReadonlySet<string> = new Set([
  ...['userAgent', 'contact', 'from', 'identity', 'proxies', 'certificateAuthorities', 'purpose'],
  'preferMarkdown',
  ...['delayMs', 'ipDelayMs', 'ipDelayExcept', 'adaptive', 'adaptiveFactor', 'maxAdaptiveDelayMs'],
  ...['maxCrawlDelayMs', 'maxBytesPerSecond', 'maxBytesPerSecondPerHost', 'maxBodyBytes'],
  ...['connectTimeoutMs', 'headersTimeoutMs', 'idleTimeoutMs', 'totalTimeoutMs'],
]);

const PURPOSE: Purpose = 'ai-input';
const USER_FOLDER = join('.cache', 'strand', 'mcp');

export interface SessionSettings {
  readonly shelf: CrawlShelf;
  readonly config: CrawlOptions;
  readonly allowHosts: readonly string[];
  readonly bounds: DayBounds;
  /** Absent: crawls of this place cannot be begun. */
  readonly begin?: BeginCrawl | undefined;
  readonly isOnStack: boolean;
  readonly log: (line: string) => void;
  /** For files about this user. */
  readonly home?: string;
}

export function openSession(settings: SessionSettings): Session {
  const { shelf, allowHosts, bounds, begin, isOnStack, log, home = homedir() } = settings;
  const config = { ...settings.config, delayMs: parseConfig(settings.config).delayMs };
  const crawls = new Crawls(shelf);
  const hosts = new AllowedHosts(allowHosts, crawls);
  const use = new DayUse(join(home, USER_FOLDER), shelf.name, bounds);
  const live = new LivePages({ config, crawls, hosts, use, log });
  return {
    ...{ crawls, hosts, live, config },
    maps: new SiteMaps(live),
    pages: new ReadPages(),
    purpose: config.purpose ?? PURPOSE,
    ...(begin && bounds.crawls > 0 && { starts: new CrawlStarts({ begin, crawls, use, config, isOnStack }) }),
    async close() {
      await live.close();
      await crawls.close();
      use.close();
    },
  };
}

/** The settings of requests: those of the project that hold, then those of the command line. */
export async function requestSettings(file: string | undefined, given: CrawlOptions): Promise<CrawlOptions> {
  const { crawl } = await readProject(file);
  const kept = Object.fromEntries(Object.entries(crawl).filter(([key]) => KEPT.has(key)));
  const presets = { purpose: PURPOSE, preferMarkdown: true, proxies: environmentProxies(process.env) };
  return { ...presets, ...kept, ...given };
}

/** Begins crawls in folders of `parent`. */
export function beginInFolder(parent: string): BeginCrawl {
  return (url, { proxies = [], ...options }) => {
    makeFolders(parent);
    return beginHere(parent, proxies)(url, options);
  };
}

export function beginOnStack(stack: Pick<StackConnection, 'control' | 'refusedKeys'>): BeginCrawl {
  return async (url, options) => {
    const { beginStackCrawl } = await import('../../api/stack/start-stack-crawl.ts');
    const entries = Object.entries(options).filter(([key]) => !stack.refusedKeys.includes(key));
    const { crawl } = await beginStackCrawl(stack, { seeds: [url], options: Object.fromEntries(entries) });
    return crawl;
  };
}
