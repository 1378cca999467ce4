/** `strand crawl` and `strand resume`. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { keptIn, noteKept } from '../../api/local/kept-outputs.ts';
import type { Begun, CrawlMessage, LocalStart } from '../../api/local/messages.ts';
import { superviseCrawl } from '../../api/local/supervise-crawl.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { type CrawlCommand, createCrawlDisplay } from './crawl-display.ts';
import { crawlError } from './crawl-error.ts';
import { withNetworkFiles } from './network-options.ts';
import { printSummary } from './print-summary.ts';
import { openForDocuments } from './project-modules.ts';
import { readSeeds } from './read-seeds.ts';
import { readSites } from './read-sites.ts';

/** Crawls in a thread of its own. This one shows its progress and receives signals. */
export async function crawl(command: CrawlCommand): Promise<number> {
  if (command.save !== undefined) checkFolder(command.save);
  let begun: Begun | undefined;
  let noted: Promise<void> | undefined;
  const stopping = listenForSignals(() => begun !== undefined);
  const display = createCrawlDisplay(command, () => stopping.signal.aborted);

  function onMessage(message: CrawlMessage): void {
    display.onMessage(message);
    if (message.kind === 'begun') {
      begun = message;
      if (command.keep) {
        noted = noteKept(message.folder, command.keep);
        // It is said when the crawl ends, and must not end this process before.
        noted.catch(() => {});
      }
    }
    if (message.kind === 'summary') printSummary(message.summary, { ...command, dir: begun?.folder ?? '' });
  }

  try {
    const start = startOf(command, (line) => onMessage({ kind: 'warning', line }));
    const summary = await superviseCrawl({ start, onMessage, signal: stopping.signal });
    display.end();
    await noted;
    const code = exitCodeOf(summary);
    if (begun === undefined) return code;
    const made = await makeOutputs(begun, command);
    return code === exitCodes.finished ? made : code;
  } catch (error) {
    const shown = crawlError(error, begun?.folder, command.config);
    display.end(shown);
    throw shown;
  } finally {
    stopping.end();
  }
}

/** Makes the files that were requested, by this process or an earlier one of the crawl. */
async function makeOutputs(
  { folder, config }: Begun,
  { save, config: projectFile }: Pick<CrawlCommand, 'save' | 'config'>,
): Promise<ExitCode> {
  const kept = await keptIn(folder, config);
  const keepsAny = kept.documents || kept.search;
  if (!keepsAny && save === undefined) return exitCodes.finished;
  await using stored = await openForDocuments(folder, projectFile);
  let code: ExitCode = exitCodes.finished;
  if (keepsAny) {
    const { updateOutputs } = await import('./update-outputs.ts');
    code = await updateOutputs(stored, kept);
  }
  if (save === undefined) return code;
  const { exportMirror } = await import('./export-mirror.ts');
  const saved = await exportMirror(stored, save);
  return code === exitCodes.finished ? saved : code;
}

/** Throws {@link UsageError} before the crawl, not after it. */
function checkFolder(folder: string): void {
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    throw new UsageError(`Expected --save FOLDER to be a new or empty folder, got ${quoted(folder)}`);
}

function startOf(command: CrawlCommand, warn: (line: string) => void): LocalStart {
  const { workers, once } = command;
  const proxies = environmentProxies(process.env);
  const reportsEvents = command.logLevel === 'debug';
  const project = { file: command.config };
  const shared = { workers, project, proxies, reportsEvents, ...(once && { once }) };
  if (command.verb === 'crawl') {
    const { out: folder, dedupeFrom, cache } = command;
    const sites = readSites(command.sitesFile);
    const seeds = readSeeds(command);
    const all = [...seeds, ...(sites?.map(({ url }) => url) ?? [])];
    const options = withNetworkFiles(command.options, command.network, all, warn);
    return { kind: 'begin', ...shared, seeds, sites, options, folder, dedupeFrom, cache };
  }
  const { dir: folder, limits, newUrlRules, trustSettings, cache } = command;
  const sites = readSites(command.sitesFile);
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
