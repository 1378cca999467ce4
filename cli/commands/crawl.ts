/** `strand crawl` and `strand resume`: a crawl on this machine, from its beginning or from where it stands. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeWarcinfo } from '../../shared/archive/warcinfo.ts';
import type { CrawlConfig } from '../../shared/crawl/config.ts';
import { createScope } from '../../shared/crawl/scope.ts';
import {
  foldersOf,
  type LocalEngine,
  openLocalEngine,
  openLocalReader,
} from '../../shared/engines/local/engine.ts';
import { runLocalCrawl } from '../../shared/engines/local/run.ts';
import { createFetcher } from '../../shared/fetcher/fetcher.ts';
import type { CrawlId } from '../../shared/ports.ts';
import { canonicalize, URL_RULES_VERSION } from '../../shared/url/canonical.ts';
import { hostKey } from '../../shared/url/host-key.ts';
import { wakeAllHosts } from '../../shared/worker/waker.ts';
import { type Command, checkContact, seedLines, UsageError } from '../args.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { createLiveLine, terminalOf } from '../live-line.ts';
import { PROGRAM, parseCrawlConfig } from '../options.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { version } from '../version.ts';
import { progressOf } from './progress.ts';
import { summarize } from './summarize.ts';

type CrawlCommand = Extract<Command, { verb: 'crawl' }>;
type ResumeCommand = Extract<Command, { verb: 'resume' }>;
interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
}

export async function crawl(command: CrawlCommand): Promise<number> {
  const seeds = readSeeds(command);
  const config = parseCrawlConfig(command.options);
  checkContact(seeds, config);
  const scope = createScope(config, seeds);
  const accepted = seeds.filter((seed) => scope.check(seed, 0, true) === undefined);
  if (accepted.length === 0) throw new UsageError('Every seed is excluded: look at --exclude');
  const folder = command.out ?? defaultFolder(seeds);
  if (existsSync(foldersOf(folder).database))
    throw new UsageError(
      `${folder} holds a crawl already. Go on with it: ${PROGRAM} resume ${folder}. Or choose another folder by --out`,
    );

  const engine = await openEngine(folder, config, command);
  const id = nameOf(seeds);
  await engine.registry.create(id, {
    config: command.options,
    scopeSeeds: seeds,
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
  });
  await engine.exchange.send({ crawl: id, links: accepted.map((url) => ({ url, depth: 0, isSeed: true })) });
  return run(engine, folder, id, config, command);
}

export async function resume(command: ResumeCommand): Promise<number> {
  const folder = command.dir;
  const reader = openLocalReader(folder);
  const id = reader?.crawl();
  const record = reader && id !== undefined ? await reader.registry.load(id) : undefined;
  reader?.close();
  if (id === undefined || !record) throw new UsageError(`There is no crawl in ${folder}`);
  const config = parseCrawlConfig({ ...record.config, ...command.limits });

  const engine = await openEngine(folder, config, command);
  await engine.registry.configure(id, command.limits);
  await engine.registry.setStatus(id, 'running');
  await wakeAllHosts(engine, id);
  return run(engine, folder, id, config, command);
}

async function run(
  engine: LocalEngine,
  folder: string,
  id: CrawlId,
  config: CrawlConfig,
  { json, quiet }: Output,
): Promise<number> {
  const stopping = listenForSignals();
  const live = createLiveLine(quiet ? { write: () => true } : process.stderr, process.env);
  const fetcher = createFetcher({ ...config, tempFolder: foldersOf(folder).temporary, clock: engine.clock });
  const progress = await progressOf(engine, id, config);
  try {
    if (!quiet) live.log(`Crawling into ${folder}`);
    await runLocalCrawl(engine, fetcher, id, {
      maxHosts: config.hosts,
      signal: stopping.signal,
      onProgress: (stats) => live.update(progress(stats)),
      onError: (error, host) =>
        live.log(`${host}: ${error instanceof Error ? error.message : error}; tried again`),
    });
    if (stopping.signal.aborted) live.log('Stopping');
  } finally {
    live.done();
    stopping.end();
    await fetcher.close();
    await engine.close();
  }
  const summary = await summarize(folder);
  if (json) process.stdout.write(`${summaryJson(summary)}\n`);
  else
    process.stdout.write(`${summaryText(summary, terminalOf(process.stdout, process.env).colour, folder)}\n`);
  return exitCodeOf(summary);
}

/** SIGINT and SIGTERM end the turns, which commit what they have; a second one ends the process at once. */
function listenForSignals() {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

async function openEngine(folder: string, config: CrawlConfig, { quiet }: Output): Promise<LocalEngine> {
  return openLocalEngine(folder, {
    warcMaxBytes: config.warcMaxBytes,
    warcPrefix: 'strand',
    warcinfo: (filename) =>
      encodeWarcinfo({
        filename,
        date: Date.now(),
        software: `Strand/${version}`,
        userAgent: config.userAgent,
        operator: config.contact,
        robots: config.robots,
      }),
    warn: (message) => {
      if (!quiet) process.stderr.write(`${message}\n`);
    },
  });
}

/** The seeds of the command line and of its file, canonical, each once. */
function readSeeds({ seeds, seedsFile }: CrawlCommand): string[] {
  const more = seedsFile === undefined ? [] : seedLines(readText(seedsFile), seedsFile);
  const canonical = [...seeds, ...more].map((seed) => canonicalize(seed) ?? seed);
  if (canonical.length === 0) throw new UsageError(`${seedsFile} holds no seed`);
  return [...new Set(canonical)];
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`The seeds cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** A crawl is called after its first seed's host. */
function nameOf(seeds: readonly string[]): CrawlId {
  return hostKey(seeds[0] as string)
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .slice(0, 64);
}

function defaultFolder(seeds: readonly string[]): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${nameOf(seeds)}-${time}`);
}
