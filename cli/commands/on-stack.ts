/** `strand --stack NAME VERB ...`: questions to a deployed stack, and how the answers are printed. */
import { connect } from '../../api/load-stack.ts';
import type { StackConnection } from '../../api/stack/connect-stack.ts';
import { addAllSeeds } from '../../api/stack/seed-batches.ts';
import { beginStackCrawl } from '../../api/stack/start-stack-crawl.ts';
import { ControlError } from '../../shared/control/control.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { readProject } from '../../shared/project/project-file.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import { printable } from '../../shared/text/printable.ts';
import type { StackCommand } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { type LiveStream, type TerminalEnvironment, terminalOf } from '../drawn-line.ts';
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { urlText } from '../export-rows.ts';
import { formatCounted } from '../format.ts';
import type { RowFormat } from '../option-spec.ts';
import { optionsOf } from '../options.ts';
import { commandAt, stackProgram } from '../place.ts';
import { addedText, crawlsText, hostsText, hostText } from '../stack-text.ts';
import { summaryJson, summaryText } from '../summary.ts';
import { UsageError } from '../usage-error.ts';
import { withNetworkFiles } from './network-options.ts';
import { readSeeds } from './read-seeds.ts';
import { type WatchOptions, watchCrawl } from './watch.ts';
import { type RowStream, writeRows } from './write-rows.ts';

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
    // Only a watch listens: all else ends at once, as what it asked for is done or not done in one call.
    const isWatch = command.verb === 'watch' || ('watch' in command && command.watch);
    if (isWatch) process.once('SIGINT', stop).once('SIGTERM', stop);
    return await answer(connection, command, {
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

/** What commands need of the connection. */
export type StackSession = Pick<StackConnection, 'control' | 'rows' | 'refusedKeys'>;

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

/** What the field at fault is set by, `(--max-pages N)`, or where to look. */
function hintOf({ code, field = '' }: ControlError, command: StackCommand): string {
  if (code === 'notFound' && field === 'crawl') return `; all there are: ${stackProgram(command)} list`;
  const key = field.replace(/^config\./, '');
  const option = optionsOf(command.verb, 'stack').find(
    (one) => one.key === key || (one.name === 'name' && key === 'crawl'),
  );
  return option ? ` (--${option.name}${option.argument ? ` ${option.argument}` : ''})` : '';
}

async function ask(session: StackSession, command: StackCommand, output: StackOutput): Promise<ExitCode> {
  const { control, rows } = session;
  const { json } = command;
  const place = (crawl: CrawlId) => ({ stack: command.stack, region: command.region, crawl });
  const print = (value: unknown, text: string): ExitCode => {
    output.out.write(`${json ? JSON.stringify(value) : text}\n`);
    return exitCodes.finished;
  };
  const printSummary = (summary: CrawlSummary): ExitCode => {
    const { colour } = terminalOf(output.out, output.environment);
    const text = json ? summaryJson(summary) : summaryText(summary, colour, place(summary.crawl));
    output.out.write(`${text}\n`);
    return exitCodes.finished;
  };
  const watch = async (crawl: CrawlId): Promise<ExitCode> => {
    const last = await watchCrawl(control, crawl, { ...output, stream: output.err });
    if (last) {
      printSummary(last);
      return exitCodeOf(last);
    }
    output.err.write(`The crawl goes on; watch it again with: ${commandAt(place(crawl), 'watch')}\n`);
    return exitCodes.interrupted;
  };

  switch (command.verb) {
    case 'crawl': {
      const seeds = readSeeds(command);
      const { crawl, file } = await readProject(command.config);
      const warn = (line: string) => output.err.write(`${printable(line)}\n`);
      const options = withNetworkFiles(command.options, command.network, seeds, warn);
      parseCrawlConfig({ ...crawl, ...options });
      const start = { crawl: command.name, seeds, options, projectOptions: async () => crawl };
      const summary = await beginStackCrawl(session, start);
      const begun = `The crawl ${summary.crawl} begins with ${formatCounted(seeds.length, 'seed')}${file ? ` and ${file}` : ''}`;
      if (command.watch) {
        output.err.write(`${begun}\n`);
        return watch(summary.crawl);
      }
      if (json) return printSummary(summary);
      return print(summary, `${begun}\nWatch it with: ${commandAt(place(summary.crawl), 'watch')}`);
    }
    case 'add': {
      const added = await addAllSeeds(control, command.crawl, readSeeds(command));
      print(added, addedText(added));
      return added.added > 0 ? exitCodes.finished : exitCodes.usage;
    }
    case 'status':
      return printSummary(await control.status(command.crawl));
    case 'pause':
      return printSummary(await control.pause(command.crawl));
    case 'stop':
      return printSummary(await control.stop(command.crawl));
    case 'resume': {
      parseCrawlConfig(command.limits);
      const summary = await control.resume(command.crawl, command.limits);
      return command.watch ? watch(command.crawl) : printSummary(summary);
    }
    case 'watch':
      return watch(command.crawl);
    case 'list': {
      const crawls = await control.list();
      return print({ crawls }, crawlsText(crawls, `${stackProgram(command)} crawl SEED...`));
    }
    case 'hosts': {
      const { crawl, host, cursor, limit } = command;
      if (host !== undefined) {
        const detail = await control.host(crawl, host);
        return print(detail, hostText(detail));
      }
      let page = await control.hosts(crawl, { cursor, limit });
      // A page may have no host though there are more, where the table holds those of many crawls.
      while (page.hosts.length === 0 && page.cursor !== undefined)
        page = await control.hosts(crawl, { cursor: page.cursor, limit });
      return print(page, hostsText(page, place(crawl), limit));
    }
    case 'url': {
      const detail = await control.url(command.crawl, command.url);
      return print(detail, urlText(detail, place(command.crawl)));
    }
    case 'export':
      // So that an unknown name is reported.
      await control.status(command.crawl);
      await writeRows(rows, command.crawl, command.format as RowFormat, output.out);
      return exitCodes.finished;
  }
}
