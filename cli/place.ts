/** Where a command runs: on this machine, or on a deployed stack. It opens crawls, and takes the answers. */
import type { CopiedCrawl, CopyOptions, PushOptions } from '../api/copy-options.ts';
import type { OpenedCrawl } from '../api/crawl-place.ts';
import type { StackConnection } from '../api/stack/connect-stack.ts';
import type { StackAddress } from '../api/stack-address.ts';
import type { StackCrawl } from '../api/stack-crawl.ts';
import type { OpenCrawlOptions, StoredCrawl } from '../api/stored-crawl.ts';
import type { AccountReport } from '../shared/core/access/account-report.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import { printable } from '../shared/core/text/printable.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { hasAccounts } from '../shared/services/report/crawl-outcome.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { UnreadableHost } from '../shared/services/report/unreadable-hosts.ts';
import type { CrawlPlace } from './command-at.ts';
import { type LiveStream, type TerminalEnvironment, terminalOf } from './drawn-line.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { RowStream } from './export/row-stream.ts';
import { formatCounted } from './format.ts';

/** Where answers go, and what watching needs. */
export interface PlaceOutput {
  readonly out: RowStream & Pick<LiveStream, 'isTTY'>;
  readonly err: LiveStream;
  readonly environment: TerminalEnvironment;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborted by Ctrl-C. From its first use on, Ctrl-C does not end the process. */
  readonly signal: AbortSignal;
}

/** The questions that one request to a stack answers. */
export type AskedCrawl = Pick<
  StoredCrawl,
  'summary' | 'hosts' | 'host' | 'domains' | 'sites' | 'url' | 'pause' | 'stop'
>;

/** The parts of a connection that commands need. */
export interface StackSession
  extends Pick<StackConnection, 'control' | 'deletions' | 'archiveOf' | 'refusedKeys' | 'putIdentity'> {
  /** Throws `ControlError` if there is no such crawl. */
  readonly openCrawl: (crawl: CrawlId, options?: OpenCrawlOptions) => Promise<StackCrawl>;
  readonly push: (dir: string, options: PushOptions & { readonly crawl?: CrawlId }) => Promise<CopiedCrawl>;
  readonly pull: (crawl: CrawlId, dir: string, options: CopyOptions) => Promise<CopiedCrawl>;
}

export interface PlaceParts {
  readonly output: PlaceOutput;
  readonly json: boolean;
  /** Absent: this machine. */
  readonly stack?: StackSession & StackAddress;
  /** Opens the crawl of that folder, or of that name on the stack. It is closed when the command has ended. */
  open(crawl: string, options?: OpenCrawlOptions): Promise<OpenedCrawl>;
  ask(crawl: string): Promise<AskedCrawl>;
}

const MAX_NAMED = 10;

export class Place {
  readonly json: boolean;
  readonly stack: PlaceParts['stack'];
  readonly open: PlaceParts['open'];
  readonly ask: PlaceParts['ask'];
  readonly out: PlaceOutput['out'];
  readonly err: PlaceOutput['err'];
  readonly environment: TerminalEnvironment;
  readonly clock: PlaceOutput['clock'];
  readonly #output: PlaceOutput;
  readonly #leftOut = new Set<string>();

  constructor({ output, json, stack, open, ask }: PlaceParts) {
    this.json = json;
    this.stack = stack;
    this.open = (crawl, options) => open(crawl, { ...options, leaveOut: (lost) => this.#leaveOut(lost) });
    this.ask = ask;
    this.out = output.out;
    this.err = output.err;
    this.environment = output.environment;
    this.clock = output.clock;
    this.#output = output;
  }

  /** As {@link PlaceOutput.signal}. */
  get signal(): AbortSignal {
    return this.#output.signal;
  }

  /** Whether standard output shows colours. */
  get colour(): boolean {
    return terminalOf(this.out, this.environment).colour;
  }

  /** Whether answers lack hosts whose stored state cannot be read. */
  get isIncomplete(): boolean {
    return this.#leftOut.size > 0;
  }

  #leaveOut({ host, urls, reason }: UnreadableHost): void {
    if (this.#leftOut.has(host)) return;
    this.#leftOut.add(host);
    if (this.#leftOut.size <= MAX_NAMED)
      this.err.write(
        `strand: ${formatCounted(urls, 'URL')} of ${printable(host)} left out, as its stored state cannot be read: ${printable(reason)}\n`,
      );
    else if (this.#leftOut.size === MAX_NAMED + 1) this.err.write('strand: more hosts like these\n');
  }

  /** Opens the crawl for documents. `config`: the project's file, whose modules make them. */
  async openForDocuments(crawl: string, config: string | undefined): Promise<OpenedCrawl> {
    const { projectModules } = await import('./project-modules.ts');
    return this.open(crawl, await projectModules(config));
  }

  /** The crawl, for {@link commandAt}. */
  addressOf(crawl: string): CrawlPlace {
    if (this.stack === undefined) return { dir: crawl };
    const { stack, region } = this.stack;
    return { stack, region, crawl };
  }

  /** Prints the value as a line of JSON, or the text. */
  print(value: unknown, text: string): ExitCode {
    this.out.write(`${this.json ? JSON.stringify(value) : text}\n`);
    return exitCodes.finished;
  }

  /** The accounts that a summary for people shows. */
  async accountsOf(summary: CrawlSummary, crawl: CrawlId): Promise<readonly AccountReport[]> {
    return !this.json && hasAccounts(summary) ? (await this.open(crawl)).accounts() : [];
  }

  /** `crawl`: the folder of a crawl on this machine. */
  async printSummary(
    summary: CrawlSummary,
    crawl = summary.crawl,
    accounts: readonly AccountReport[] = [],
  ): Promise<ExitCode> {
    const { summaryJson, summaryText } = await import('./summary.ts');
    const at = this.addressOf(this.stack === undefined ? crawl : summary.crawl);
    this.out.write(`${this.json ? summaryJson(summary) : summaryText(summary, this.colour, at, accounts)}\n`);
    return exitCodes.finished;
  }
}
