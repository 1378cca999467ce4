/** A crawl on this machine, from its beginning or from where it stands: what `strand crawl` and `strand resume` do. */
import { existsSync } from 'node:fs';
import { encodeWarcinfo } from '../../archive/warcinfo.ts';
import { type CrawlConfig, type CrawlOptions, InvalidConfig, parseConfig } from '../../crawl/config.ts';
import { crawlNameOf } from '../../crawl/crawl-name.ts';
import type { FetchMiddleware } from '../../crawl/project.ts';
import { createScope } from '../../crawl/scope.ts';
import { createFetcher } from '../../fetcher/fetcher.ts';
import { withMiddleware } from '../../fetcher/with-middleware.ts';
import type { Link } from '../../frontier/message.ts';
import type { CrawlId, Fetcher, LinkExchange } from '../../ports.ts';
import { canonicalize, URL_RULES_VERSION } from '../../url/canonical.ts';
import { wakeAllHosts } from '../../worker/waker.ts';
import { foldersOf, type LocalEngine, openLocalEngine, openLocalReader } from './engine.ts';
import { type LocalRunEnd, type LocalRunOptions, runLocalCrawl } from './run.ts';

/** A crawl's folder, held by this process. */
export interface LocalSession {
  readonly id: CrawlId;
  readonly config: CrawlConfig;
  readonly engine: LocalEngine;
  readonly fetcher: Fetcher;
  /** Crawls until nothing is left, a limit is met, or the signal aborts. */
  run(options: Omit<LocalRunOptions, 'maxHosts'>): Promise<LocalRunEnd>;
  /** Makes all durable and frees the folder. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Name and version of the program, for the WARC files. */
  readonly software: string;
  /** Hears of what was mended after a crash. */
  readonly warn?: (message: string) => void;
  /** Stands around every fetch of this session. */
  readonly middleware?: readonly FetchMiddleware[];
}

/** Begins a crawl. Throws `InvalidConfig`, also where the folder holds a crawl already, and `FolderInUse`. */
export async function beginCrawl(
  folder: string,
  seeds: readonly string[],
  options: CrawlOptions,
  session: SessionOptions,
): Promise<LocalSession> {
  const config = parseConfig(options);
  const canonical = [...new Set(seeds.map((seed) => canonicalize(seed) ?? seed))];
  const scope = createScope(config, canonical);
  const accepted = canonical.filter((seed) => scope.check(seed, 0, true) === undefined);
  if (accepted.length === 0)
    throw new InvalidConfig('Every seed is excluded: look at `exclude` and `maxUrlLength`');
  if (existsSync(foldersOf(folder).database))
    throw new InvalidConfig(`${folder} holds a crawl already: resume it, or choose another folder`);
  const id = crawlNameOf(canonical);
  const opened = await open(folder, id, config, session);
  const { registry, exchange } = opened.engine;
  await registry.create(id, {
    config: options,
    scopeSeeds: canonical,
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
  });
  await sendSeeds(exchange, id, accepted);
  return opened;
}

/**
 * Goes on with the folder's crawl, whatever ended it: with other limits where given, and with another try for hosts
 * that were set aside. Throws `InvalidConfig` where there is no crawl, and `FolderInUse`.
 */
export async function resumeCrawl(
  folder: string,
  limits: CrawlOptions,
  session: SessionOptions,
): Promise<LocalSession> {
  const reader = openLocalReader(folder);
  const id = reader?.crawl();
  const record = reader && id !== undefined ? await reader.registry.load(id) : undefined;
  reader?.close();
  if (id === undefined || !record) throw new InvalidConfig(`There is no crawl in ${folder}`);
  if (record.urlRulesVersion !== URL_RULES_VERSION)
    throw new InvalidConfig(
      `The crawl in ${folder} knows its URLs by version ${record.urlRulesVersion} of the rules for canonical URLs, ` +
        `this program by version ${URL_RULES_VERSION}: go on with the program that began it`,
    );
  const opened = await open(folder, id, parseConfig({ ...record.config, ...limits }), session);
  const { registry, exchange } = opened.engine;
  await registry.configure(id, limits);
  await registry.setStatus(id, 'running');
  // Killed before its seeds had reached their hosts: merging them twice changes nothing.
  if ((await registry.totals(id)).hosts === 0) await sendSeeds(exchange, id, record.scopeSeeds);
  await wakeAllHosts(opened.engine, id);
  return opened;
}

/** A parcel holds no more: a list of seeds may have millions. */
const PARCEL_SEEDS = 10_000;

async function sendSeeds(
  exchange: Pick<LinkExchange, 'send'>,
  crawl: CrawlId,
  urls: readonly string[],
): Promise<void> {
  for (let from = 0; from < urls.length; from += PARCEL_SEEDS) {
    const links = urls.slice(from, from + PARCEL_SEEDS).map((url): Link => ({ url, depth: 0, isSeed: true }));
    await exchange.send({ crawl, links });
  }
}

async function open(
  folder: string,
  id: CrawlId,
  config: CrawlConfig,
  { software, warn, middleware = [] }: SessionOptions,
): Promise<LocalSession> {
  const engine = await openLocalEngine(folder, {
    warcMaxBytes: config.warcMaxBytes,
    warcPrefix: 'strand',
    warcinfo: (filename) =>
      encodeWarcinfo({
        filename,
        date: Date.now(),
        software,
        crawl: id,
        userAgent: config.userAgent,
        operator: config.contact,
        robots: config.robots,
      }),
    warn,
  });
  const { clock } = engine;
  const plain = createFetcher({ ...config, tempFolder: foldersOf(folder).temporary, clock });
  const fetcher = withMiddleware(plain, middleware, { clock, totalTimeoutMs: config.totalTimeoutMs });
  return {
    id,
    config,
    engine,
    fetcher,
    run: (options) => runLocalCrawl(engine, fetcher, id, { ...options, maxHosts: config.hosts }),
    async close() {
      await fetcher.close();
      await engine.close();
    },
  };
}
