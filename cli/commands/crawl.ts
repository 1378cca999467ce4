/** `strand crawl` and `strand resume`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crawlNameOf } from '../../shared/crawl/crawl-name.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { beginCrawl, type LocalSession, resumeCrawl } from '../../shared/engines/local/session.ts';
import { canonicalize } from '../../shared/url/canonical.ts';
import { type Command, checkContact, seedLines, UsageError } from '../args.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { createLiveLine, terminalOf } from '../live-line.ts';
import { PROGRAM, parseCrawlConfig } from '../options.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { version } from '../version.ts';
import { progressOf } from './progress.ts';
import { summarize } from './summarize.ts';

interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
}

const SESSION = {
  software: `Strand/${version}`,
  warn: (message: string) => process.stderr.write(`${message}\n`),
};

export async function crawl(command: Extract<Command, { verb: 'crawl' }>): Promise<number> {
  const seeds = readSeeds(command);
  checkContact(seeds, parseCrawlConfig(command.options));
  const folder = command.out ?? defaultFolder(seeds);
  if (existsSync(foldersOf(folder).database))
    throw new UsageError(
      `${folder} holds a crawl already. Go on with it: ${PROGRAM} resume ${folder}. Or choose another folder by --out`,
    );
  return run(await beginCrawl(folder, seeds, command.options, SESSION), folder, command);
}

export async function resume(command: Extract<Command, { verb: 'resume' }>): Promise<number> {
  return run(await resumeCrawl(command.dir, command.limits, SESSION), command.dir, command);
}

async function run(session: LocalSession, folder: string, { json, quiet }: Output): Promise<number> {
  const stopping = listenForSignals();
  const live = createLiveLine(quiet ? { write: () => true } : process.stderr, process.env);
  const progress = await progressOf(session.engine, session.id, session.config);
  try {
    live.log(`Crawling into ${folder}`);
    await session.run({
      signal: stopping.signal,
      onProgress: (stats) => live.update(progress(stats)),
      onError: (error, host) => live.log(`${host}: ${messageOf(error)}; tried again`),
    });
    if (stopping.signal.aborted) live.log('Stopping');
  } finally {
    live.done();
    stopping.end();
    await session.close();
  }
  const summary = await summarize(folder);
  const { colour } = terminalOf(process.stdout, process.env);
  process.stdout.write(`${json ? summaryJson(summary) : summaryText(summary, colour, folder)}\n`);
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

/** The seeds of the command line and of its file, canonical, each once. */
function readSeeds({ seeds, seedsFile }: Extract<Command, { verb: 'crawl' }>): string[] {
  const more = seedsFile === undefined ? [] : seedLines(readText(seedsFile), seedsFile);
  const canonical = [...seeds, ...more].map((seed) => canonicalize(seed) ?? seed);
  if (canonical.length === 0) throw new UsageError(`${seedsFile} holds no seed`);
  return [...new Set(canonical)];
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`The seeds cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function defaultFolder(seeds: readonly string[]): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return join('crawls', `${crawlNameOf(seeds)}-${time}`);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
