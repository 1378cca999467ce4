/** Crawls on this machine: begins a crawl, or continues one. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { keptIn, noteKept } from '../../api/local/kept-outputs.ts';
import type { Begun, CrawlMessage, LocalStart } from '../../api/local/messages.ts';
import { superviseCrawl } from '../../api/local/supervise-crawl.ts';
import { openCrawl } from '../../api/open-crawl.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import { tuneV8, tuneV8ForCrawl } from '../../shared/engines/tune-v8.ts';
import { terminalOf } from '../drawn-line.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { exportMirror } from '../export/export-mirror.ts';
import type { Seeds } from '../given.ts';
import type { NetworkFiles } from '../network-files.ts';
import { projectModules } from '../project-modules.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { UsageError } from '../usage-error.ts';
import { createCrawlDisplay } from './crawl-display.ts';
import { crawlError } from './crawl-error.ts';
import { withNetworkFiles } from './network-options.ts';
import { readStart } from './read-seeds.ts';
import { readSites } from './read-sites.ts';
import type { RunSettings } from './run-options.ts';

export interface BeginAsked extends Seeds, RunSettings {
  readonly out?: string | undefined;
  readonly options: CrawlOptions;
  readonly network?: NetworkFiles | undefined;
  /** An earlier crawl, whose payloads are not stored again. */
  readonly dedupeFrom?: string | undefined;
  /** An earlier crawl's folder: its responses are used instead of requests to the sites. */
  readonly cache?: string | undefined;
}

export interface ResumeAsked extends RunSettings {
  readonly crawl: string;
  /** A file with the sites that the crawl has from now on. */
  readonly sitesFile?: string | undefined;
  /** A file with cookies for hosts that refuse the crawler. */
  readonly cookiesFile?: string | undefined;
  readonly limits: CrawlOptions;
  /** Goes on though this program's rules for canonical URLs are others than those the crawl began with. */
  readonly newUrlRules: boolean;
  /** Obeys settings that open something, and that this user has not made. */
  readonly trustSettings: boolean;
  /** As for a crawl that begins, instead of the one that it has; `false`: none. */
  readonly cache?: string | false | undefined;
}

type Ended = Extract<CrawlMessage, { kind: 'summary' }>;

type Warn = (line: string) => void;

export const beginCrawl = (asked: BeginAsked): Promise<number> => runCrawl(asked, beginOf);

export const resumeCrawl = (asked: ResumeAsked): Promise<number> => runCrawl(asked, resumeOf, asked.crawl);

/** Crawls in a thread of its own. This one shows its progress and receives signals. `resumed`: its folder. */
async function runCrawl<Asked extends RunSettings>(
  asked: Asked,
  startOf: (asked: Asked, warn: Warn) => LocalStart,
  resumed?: string,
): Promise<number> {
  if (asked.mirror !== undefined) checkFolder(asked.mirror);
  let begun: Begun | undefined;
  let noted: Promise<void> | undefined;
  const stopping = listenForSignals(() => begun !== undefined);
  const display = createCrawlDisplay(asked, { resumed, isStopping: () => stopping.signal.aborted });

  function onMessage(message: CrawlMessage): void {
    display.onMessage(message);
    if (message.kind === 'begun') {
      begun = message;
      tuneV8();
      tuneV8ForCrawl();
      if (asked.keep) {
        noted = noteKept(message.folder, asked.keep);
        // It is said when the crawl ends, and must not end this process before.
        noted.catch(() => {});
      }
    }
    if (message.kind === 'summary') printSummary(message, begun?.folder ?? '', asked);
  }

  try {
    const start = startOf(asked, (line) => onMessage({ kind: 'warning', line }));
    const summary = await superviseCrawl({ start, onMessage, signal: stopping.signal });
    display.end();
    await noted;
    const code = exitCodeOf(summary);
    if (begun === undefined) return code;
    const made = await makeOutputs(begun, asked);
    return code === exitCodes.finished ? made : code;
  } catch (error) {
    const shown = crawlError(error, begun?.folder, asked.config);
    display.end(shown);
    throw shown;
  } finally {
    stopping.end();
  }
}

/** Makes the files that were requested, by this process or an earlier one of the crawl. */
async function makeOutputs(
  { folder, config }: Begun,
  { mirror, config: projectFile }: RunSettings,
): Promise<ExitCode> {
  const kept = await keptIn(folder, config);
  const keepsAny = kept.documents || kept.search;
  if (!keepsAny && mirror === undefined) return exitCodes.finished;
  await using stored = await openCrawl(folder, await projectModules(projectFile));
  let code: ExitCode = exitCodes.finished;
  if (keepsAny) {
    const { updateOutputs } = await import('./update-outputs.ts');
    code = await updateOutputs(stored, kept);
  }
  if (mirror === undefined) return code;
  const saved = await exportMirror(stored, mirror);
  return code === exitCodes.finished ? saved : code;
}

/** Throws {@link UsageError} before the crawl, not after it. */
function checkFolder(folder: string): void {
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    throw new UsageError(`Expected --mirror FOLDER to be a new or empty folder, got ${quoted(folder)}`);
}

/** Returns what both kinds of start have in common. */
const sharedStart = ({ workers, browser, browserUrl, once, config, logLevel }: RunSettings) => ({
  workers,
  ...(browser !== undefined && { browser }),
  ...(browserUrl !== undefined && { browserUrl }),
  project: { file: config },
  proxies: environmentProxies(process.env),
  reportsEvents: logLevel === 'debug',
  ...(once && { once }),
});

function beginOf(asked: BeginAsked, warn: Warn): LocalStart {
  const { out: folder, dedupeFrom, cache } = asked;
  const { seeds, sites, all } = readStart(asked);
  const options = withNetworkFiles(asked.options, asked.network, all, warn);
  return { kind: 'begin', ...sharedStart(asked), seeds, sites, options, folder, dedupeFrom, cache };
}

function resumeOf(asked: ResumeAsked): LocalStart {
  const { crawl: folder, limits, newUrlRules, trustSettings, cache } = asked;
  const sites = readSites(asked.sitesFile);
  const shared = sharedStart(asked);
  return { kind: 'resume', ...shared, folder, sites, limits, newUrlRules, trustSettings, cache };
}

/**
 * SIGINT, SIGTERM and SIGHUP end the turns, which commit what they have; a second one ends the process at
 * once, as does the first one while there is nothing to commit.
 */
function listenForSignals(isBegun: () => boolean) {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted || !isBegun()) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

function printSummary({ summary, accounts }: Ended, dir: string, { config, json }: RunSettings): void {
  const { colour } = terminalOf(process.stdout, process.env);
  const text = json ? summaryJson(summary) : summaryText(summary, colour, { dir, config }, accounts);
  process.stdout.write(`${text}\n`);
}
