/** `strand --stack NAME VERB ...`: questions to a deployed stack, and how the answers are printed. */

import type { CopiedCrawl, CopyOptions, PushOptions } from '../../api/copy-options.ts';
import { connect } from '../../api/load-stack.ts';
import { cacheFiles } from '../../api/stack/cache-folder.ts';
import type { StackConnection } from '../../api/stack/connect-stack.ts';
import { addAllSeeds } from '../../api/stack/seed-batches.ts';
import { beginStackCrawl } from '../../api/stack/start-stack-crawl.ts';
import type { StackCrawl } from '../../api/stack-crawl.ts';
import type { OpenCrawlOptions } from '../../api/stored-crawl.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { siteChangesText } from '../../shared/core/crawl/sites.ts';
import { printable } from '../../shared/core/text/printable.ts';
import {
  ControlError,
  type CrawlEntry,
  type SitePageRequest,
} from '../../shared/services/control/control.ts';
import type { CrawlExport } from '../../shared/services/control/crawl-export.ts';
import { crawlPages } from '../../shared/services/control/list-crawls.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import type { StackCommand } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { type LiveStream, type TerminalEnvironment, terminalOf } from '../drawn-line.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { explanationText } from '../explain-text.ts';
import { urlText } from '../export-rows.ts';
import { formatCounted } from '../format.ts';
import { isRowFormat } from '../option-spec.ts';
import { optionsOf } from '../options.ts';
import { commandAt, stackProgram } from '../place.ts';
import { addedText, crawlsText, domainsText, hostsText, hostText } from '../stack-text.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { UsageError } from '../usage-error.ts';
import { withNetworkFiles } from './network-options.ts';
import { withOutput } from './output-file.ts';
import { readSeeds } from './read-seeds.ts';
import { readSites } from './read-sites.ts';
import { type WatchOptions, watchCrawl } from './watch.ts';
import { writeItems } from './write-items.ts';
import { type RowStream, writeRows } from './write-rows.ts';
import { writeSites } from './write-sites.ts';

/** Where answers go, and what watching needs. */
export interface StackOutput extends Omit<WatchOptions, 'stream'> {
  readonly out: RowStream & Pick<LiveStream, 'isTTY'>;
  readonly err: LiveStream;
  readonly environment: TerminalEnvironment;
}

export async function onStack(command: StackCommand): Promise<ExitCode> {
  const connection = await connect(command);
  try {
    const seenEnough = new AbortController();
    const stop = () => seenEnough.abort();
    // Only a watch listens: all else ends at once, as what it requested is done or not done in one call.
    const isWatch = command.verb === 'watch' || ('watch' in command && command.watch);
    if (isWatch) process.once('SIGINT', stop).once('SIGTERM', stop);
    const openCrawl = async (crawl: CrawlId, options?: OpenCrawlOptions) =>
      (await import('../../api/stack/open-stack-crawl.ts')).openStackCrawl(connection, crawl, options);
    const session: StackSession = {
      ...connection,
      openCrawl,
      push: async (dir, options) =>
        (await import('../../api/stack/copy/push-crawl.ts')).pushCrawl(dir, connection, options),
      pull: async (crawl, dir, options) =>
        (await import('../../api/stack/copy/pull-crawl.ts')).pullCrawl(connection, crawl, dir, options),
    };
    return await answer(session, command, {
      out: process.stdout,
      err: process.stderr,
      environment: process.env,
      clock: connection.clock,
      signal: seenEnough.signal,
    });
  } catch (error) {
    throw connection.explained(error);
  } finally {
    await connection.close();
  }
}

/** The parts of the connection that commands need. */
export interface StackSession
  extends Pick<
    StackConnection,
    'control' | 'deletions' | 'rows' | 'itemsOf' | 'archiveOf' | 'refusedKeys' | 'putIdentity'
  > {
  /** Throws `ControlError` if there is no such crawl. */
  readonly openCrawl: (crawl: CrawlId, options?: OpenCrawlOptions) => Promise<AskedCrawl>;
  readonly push: (dir: string, options: PushOptions & { readonly crawl?: CrawlId }) => Promise<CopiedCrawl>;
  readonly pull: (crawl: CrawlId, dir: string, options: CopyOptions) => Promise<CopiedCrawl>;
}

type AskedCrawl = Pick<
  StackCrawl,
  | 'sites'
  | 'urls'
  | 'report'
  | 'changes'
  | 'history'
  | 'diff'
  | 'explain'
  | 'cdxj'
  | 'wacz'
  | 'skipped'
  | 'skippedBeyond'
  | 'documents'
  | 'exportMarkdown'
  | 'exportLlms'
  | 'exportMirror'
  | 'exportParquet'
  | 'exportDerived'
  | 'exportGraph'
  | 'sendDocuments'
  | 'inlinks'
  | 'brokenLinks'
  | 'search'
  | 'duplicates'
>;

/** Runs the command and prints the answer. Throws `UsageError` for what cannot be done. */
export async function answer(
  session: StackSession,
  command: StackCommand,
  output: StackOutput,
): Promise<ExitCode> {
  try {
    return await ask(session, command, output);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new UsageError(printable(error.message + hintOf(error, command)), { cause: error });
  }
}

/** Returns the option that sets the faulty field, `(--max-pages N)`, or where to look. */
function hintOf({ code, field = '' }: ControlError, command: StackCommand): string {
  if (code === 'notFound' && field === 'crawl') return `; all there are: ${stackProgram(command)} list`;
  const key = field.replace(/^config\./, '');
  const option = optionsOf(command.verb, 'stack').find(
    (one) => one.key === key || camelCase(one.name) === key || (one.name === 'name' && key === 'crawl'),
  );
  return option ? ` (--${option.name}${option.argument ? ` ${option.argument}` : ''})` : '';
}

/** `new-url-rules`: `newUrlRules`. */
const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function ask(session: StackSession, command: StackCommand, output: StackOutput): Promise<ExitCode> {
  const { control } = session;
  const printed = new StackAnswer(session, command, output);
  switch (command.verb) {
    case 'crawl':
      return printed.crawl(command);
    case 'add':
      return printed.add(command);
    case 'status':
      return printed.summary(await control.status(command.crawl));
    case 'pause':
      return printed.summary(await control.pause(command.crawl));
    case 'stop':
      return printed.summary(await control.stop(command.crawl));
    case 'resume':
      return printed.resume(command);
    case 'watch':
      return printed.watch(command.crawl);
    case 'delete':
      return printed.delete(command);
    case 'push':
      return printed.push(command);
    case 'pull':
      return printed.pull(command);
    case 'list': {
      const { prefix, state } = command;
      const crawls: CrawlEntry[] = [];
      for await (const page of crawlPages(control, { prefix, state })) crawls.push(...page);
      return printed.value({ crawls }, crawlsText(crawls, `${stackProgram(command)} crawl SEED...`));
    }
    case 'hosts':
      return printed.hosts(command);
    case 'url':
      return printed.url(command);
    case 'history':
      return printed.history(command);
    case 'diff':
      return printed.diff(command);
    case 'report':
      return printed.report(command);
    case 'explain':
      return printed.explain(command);
    case 'warc':
      return printed.warc(command);
    case 'identity':
      return printed.identity(command);
    case 'changes':
      return printed.changes(command);
    case 'inlinks':
      return printed.inlinks(command);
    case 'send':
      return printed.send(command);
    case 'search':
      return printed.search(command);
    case 'duplicates':
      return printed.duplicates(command);
    case 'export':
      return printed.export(command);
    case 'exports':
      return printed.exports(command);
  }
}

type CommandOf<Verb extends StackCommand['verb']> = Extract<StackCommand, { verb: Verb }>;

/** Does what a command asks for, and prints the answer: as text, or as JSON. */
class StackAnswer {
  readonly #session: StackSession;
  readonly #command: StackCommand;
  readonly #output: StackOutput;

  constructor(session: StackSession, command: StackCommand, output: StackOutput) {
    this.#session = session;
    this.#command = command;
    this.#output = output;
  }

  value(value: unknown, text: string): ExitCode {
    this.#output.out.write(`${this.#command.json ? JSON.stringify(value) : text}\n`);
    return exitCodes.finished;
  }

  summary(summary: CrawlSummary): ExitCode {
    const { out, environment } = this.#output;
    const { colour } = terminalOf(out, environment);
    const isJson = this.#command.json;
    out.write(
      `${isJson ? summaryJson(summary) : summaryText(summary, colour, this.#place(summary.crawl))}\n`,
    );
    return exitCodes.finished;
  }

  async crawl(command: CommandOf<'crawl'>): Promise<ExitCode> {
    const { err } = this.#output;
    const sites = readSites(command.sitesFile);
    const own = readSeeds(command);
    const seeds = [...own, ...(sites?.map(({ url }) => url) ?? [])];
    const { crawl, file } = await readProject(command.config);
    const warn = (line: string) => err.write(`${printable(line)}\n`);
    const options = withNetworkFiles(command.options, command.network, seeds, warn);
    parseCrawlConfig({ ...crawl, ...options });
    const { name, dedupeFrom } = command;
    const projectOptions = async () => crawl;
    const start = { crawl: name, seeds: own, sites, dedupeFrom, options, projectOptions };
    const summary = await beginStackCrawl(this.#session, start);
    const begun = `The crawl ${summary.crawl} begins with ${formatCounted(seeds.length, 'seed')}${file ? ` and ${file}` : ''}`;
    if (command.watch) {
      err.write(`${begun}\n`);
      return this.watch(summary.crawl);
    }
    if (command.json) return this.summary(summary);
    return this.value(summary, `${begun}\nWatch it with: ${commandAt(this.#place(summary.crawl), 'watch')}`);
  }

  async add(command: CommandOf<'add'>): Promise<ExitCode> {
    const added = await addAllSeeds(this.#session.control, command.crawl, readSeeds(command));
    this.value(added, addedText(added));
    return added.added > 0 ? exitCodes.finished : exitCodes.usage;
  }

  async resume({ crawl, sitesFile, limits, newUrlRules, watch }: CommandOf<'resume'>): Promise<ExitCode> {
    parseCrawlConfig(limits);
    const sites = readSites(sitesFile);
    if (sites) {
      const changes = await this.#session.control.setSites(crawl, sites);
      this.#output.err.write(`${printable(siteChangesText(changes))}\n`);
    }
    const summary = await this.#session.control.resume(crawl, limits, { newUrlRules });
    return watch ? this.watch(crawl) : this.summary(summary);
  }

  async watch(crawl: CrawlId): Promise<ExitCode> {
    const output = this.#output;
    const last = await watchCrawl(this.#session.control, crawl, { ...output, stream: output.err });
    if (last) {
      this.summary(last);
      return exitCodeOf(last);
    }
    output.err.write(`The crawl continues; watch it again with: ${commandAt(this.#place(crawl), 'watch')}\n`);
    return exitCodes.interrupted;
  }

  async identity({ file }: CommandOf<'identity'>): Promise<ExitCode> {
    const { uploadedText, uploadIdentity } = await import('./upload-identity.ts');
    const uploaded = await uploadIdentity(this.#session, file);
    return this.value(uploaded, uploadedText(uploaded));
  }

  async delete(command: CommandOf<'delete'>): Promise<ExitCode> {
    const { deleteOnStack, deletionText } = await import('./delete-on-stack.ts');
    const deletion = await deleteOnStack(this.#session, command, this.#output);
    if (deletion) return this.value(deletion, deletionText(deletion));
    this.#output.err.write('Nothing was deleted\n');
    return exitCodes.interrupted;
  }

  async push(command: CommandOf<'push'>): Promise<ExitCode> {
    const { copyProgress, pushedText } = await import('./copy-crawl.ts');
    const { dir, name, trustSettings } = command;
    const onProgress = copyProgress(this.#output);
    const copied = await this.#session.push(dir, {
      onProgress,
      trustSettings,
      ...(name !== undefined && { crawl: name }),
    });
    return this.value(copied, pushedText(copied, dir, command));
  }

  async pull({ crawl, dir, stack }: CommandOf<'pull'>): Promise<ExitCode> {
    const { copyProgress, pulledText } = await import('./copy-crawl.ts');
    const copied = await this.#session.pull(crawl, dir, { onProgress: copyProgress(this.#output) });
    return this.value(copied, pulledText(copied, dir, stack));
  }

  async hosts(command: CommandOf<'hosts'>): Promise<ExitCode> {
    const { crawl, host, cursor, limit, domains, sites } = command;
    const { control } = this.#session;
    if (sites) {
      const pageOf = (page: SitePageRequest) => control.sites(crawl, page);
      await writeSites(pageOf, command, this.#output.out);
      return exitCodes.finished;
    }
    if (host !== undefined) {
      const detail = await control.host(crawl, host);
      return this.value(detail, hostText(detail));
    }
    if (domains) {
      const found = await control.domains(crawl, { cursor, limit });
      return this.value(found, domainsText(found, this.#place(crawl), limit));
    }
    let page = await control.hosts(crawl, { cursor, limit });
    // A page may have no host though there are more, where the table holds those of many crawls.
    while (page.hosts.length === 0 && page.cursor !== undefined)
      page = await control.hosts(crawl, { cursor: page.cursor, limit });
    return this.value(page, hostsText(page, this.#place(crawl), limit));
  }

  async url({ crawl, url }: CommandOf<'url'>): Promise<ExitCode> {
    const known = await this.#session.control.url(crawl, url);
    // Loads SQLite, which other commands do not need.
    const { detailWithClusters } = await import('../../api/exports/known-clusters.ts');
    const detail = detailWithClusters(cacheFiles(this.#command.stack, crawl).sketches, known);
    return this.value(detail, urlText(detail, this.#place(crawl)));
  }

  async history({ crawl, url, json }: CommandOf<'history'>): Promise<ExitCode> {
    const { printHistory } = await import('./history.ts');
    const visits = await (await this.#session.openCrawl(crawl)).history(url);
    return printHistory(visits, { url, json, place: this.#place(crawl) }, this.#output.out);
  }

  async diff({ crawl, json, ...asked }: CommandOf<'diff'>): Promise<ExitCode> {
    const { printDiff } = await import('./diff.ts');
    const { out, environment } = this.#output;
    const { colour } = terminalOf(out, environment);
    return printDiff(await this.#session.openCrawl(crawl), { ...asked, json, colour }, out);
  }

  async report({ crawl, html, json, broken, changes }: CommandOf<'report'>): Promise<ExitCode> {
    const stored = await this.#session.openCrawl(crawl);
    const { printBroken, printReport } = await import('./report.ts');
    if (broken) return printBroken(stored, json, this.#output.out);
    const place = this.#place(crawl);
    return printReport(await stored.report(), { html, json, changes, place }, this.#output.out);
  }

  async inlinks({ crawl, ...asked }: CommandOf<'inlinks'>): Promise<ExitCode> {
    const { printInlinks } = await import('./inlinks.ts');
    return printInlinks(await this.#session.openCrawl(crawl), asked, this.#output.out);
  }

  async send({ crawl, to, config, json }: CommandOf<'send'>): Promise<ExitCode> {
    const { printSent } = await import('./send.ts');
    return printSent(await this.#openForDocuments(crawl, config), { to, json }, this.#output.out);
  }

  async #openForDocuments(crawl: CrawlId, config: string | undefined): Promise<AskedCrawl> {
    const { projectModules } = await import('./project-modules.ts');
    return this.#session.openCrawl(crawl, await projectModules(config));
  }

  async duplicates({ crawl, ...asked }: CommandOf<'duplicates'>): Promise<ExitCode> {
    const { printDuplicates } = await import('./duplicates.ts');
    return printDuplicates(await this.#session.openCrawl(crawl), asked, this.#output.out);
  }

  async search({ crawl, config, ...asked }: CommandOf<'search'>): Promise<ExitCode> {
    const { printHits } = await import('./search.ts');
    return printHits(await this.#openForDocuments(crawl, config), asked, this.#output.out);
  }

  async explain({ crawl, url }: CommandOf<'explain'>): Promise<ExitCode> {
    const stored = await this.#session.openCrawl(crawl);
    const explained = await stored.explain(url);
    return this.value(explained, explanationText(explained));
  }

  async warc({ crawl, ask, json }: CommandOf<'warc'>): Promise<ExitCode> {
    // So that an unknown name is reported.
    await this.#session.openCrawl(crawl);
    const { warcOnStack } = await import('./warc-on-stack.ts');
    return warcOnStack(this.#session.archiveOf(crawl), ask, { crawl, json, out: this.#output.out });
  }

  async changes({ crawl, since }: CommandOf<'changes'>): Promise<ExitCode> {
    const { writeChanges } = await import('./changes.ts');
    await writeChanges(await this.#session.openCrawl(crawl), since, this.#output.out);
    return exitCodes.finished;
  }

  async export(command: CommandOf<'export'>): Promise<ExitCode> {
    const { crawl, format, skipped, items, out } = command;
    const { control, rows, itemsOf, openCrawl } = this.#session;
    if (command.inCloud) {
      const request = { format: command.inCloud, ...(command.tables && { tables: [...command.tables] }) };
      return this.#cloudExport(await control.beginExport(crawl, request));
    }
    if (command.bySite) {
      const { exportBySite } = await import('./export-by-site.ts');
      const { sites, urls } = await openCrawl(crawl);
      const answer = { format: format as RowFormat, out: out!, group: command.group };
      this.#output.err.write(`${formatCounted(await exportBySite({ sites, urls }, answer), 'file')}\n`);
      return exitCodes.finished;
    }
    if (!isRowFormat(format)) {
      const { exportArchiveOf, makesDocuments } = await import('./export.ts');
      const opened = makesDocuments(command)
        ? await this.#openForDocuments(crawl, command.config)
        : await openCrawl(crawl);
      return exportArchiveOf(opened, { ...command, format });
    }
    if (skipped) {
      const { exportSkipped } = await import('./export.ts');
      await exportSkipped(await openCrawl(crawl), format, out);
      return exitCodes.finished;
    }
    // So that an unknown name is reported.
    await control.status(crawl);
    const write = (stream: RowStream) =>
      items ? writeItems(() => itemsOf(crawl), format, stream) : writeRows(rows, crawl, format, stream);
    await (out === undefined ? write(this.#output.out) : withOutput(out, write));
    return exitCodes.finished;
  }

  async exports({ crawl, id }: CommandOf<'exports'>): Promise<ExitCode> {
    const { control } = this.#session;
    if (id !== undefined) return this.#cloudExport(await control.exportOf(crawl, id));
    const exports = await control.exports(crawl);
    const { cloudExportsText } = await import('./cloud-exports.ts');
    const begin = `${commandAt(this.#place(crawl), 'export')} --in-cloud`;
    return this.value({ exports }, cloudExportsText(exports, begin));
  }

  async #cloudExport(shown: CrawlExport): Promise<ExitCode> {
    const { cloudExportText } = await import('./cloud-exports.ts');
    this.value(shown, cloudExportText(shown));
    return shown.state === 'failed' ? exitCodes.unexpected : exitCodes.finished;
  }

  #place(crawl: CrawlId) {
    return { stack: this.#command.stack, region: this.#command.region, crawl };
  }
}
