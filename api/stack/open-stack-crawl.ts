/** A crawl of a stack as a {@link StackCrawl}. */

import { messageOf } from '../../shared/core/base/error-message.ts';
import { explainErrors } from '../../shared/core/base/explain-errors.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { leftOutLines } from '../../shared/services/begin/sort-seeds.ts';
import type { AddedSeeds } from '../../shared/services/control/control.ts';
import { createFinder } from '../../shared/services/control/find-crawl.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { createStoredCrawl } from '../create-stored-crawl.ts';
import type { StackCrawl } from '../stack-crawl.ts';
import type { OpenCrawlOptions } from '../stored-crawl.ts';
import type { StackConnection } from './connect-stack.ts';
import { addAllSeeds } from './seed-batches.ts';
import { createStackEvents, isOver } from './stack-events.ts';
import { stackPlace } from './stack-place.ts';
import { watchStatus } from './watch-status.ts';

const POLL_MS = 4000;
const MIN_POLL_MS = 1000;

interface StackOpenOptions extends OpenCrawlOptions {
  /** Seeds that the crawl has begun without: its events begin with them. */
  readonly refused?: AddedSeeds['refused'];
}

/** Opens the crawl of that name. Throws `ControlError` (`notFound`) if there is none. `close` closes the connection. */
export async function openStackCrawl(
  connection: StackConnection,
  crawl: CrawlId,
  options: StackOpenOptions = {},
): Promise<StackCrawl> {
  const { recordOf } = explainErrors(createFinder(connection.registry), connection.explained);
  return stackCrawl(connection, crawl, await recordOf(crawl), options);
}

function stackCrawl(
  connection: StackConnection,
  crawl: CrawlId,
  record: CrawlRecord,
  options: StackOpenOptions,
): StackCrawl {
  const { stack, control } = connection;
  const watch = new CrawlWatch(connection, crawl, leftOutLines(options.refused ?? []));
  const place = stackPlace(connection, crawl, record);
  const stored = createStoredCrawl(
    {
      ...place,
      async close() {
        watch.close();
        await place.close();
      },
    },
    options,
  );
  return {
    ...stored,
    stack,
    events: (asked) => watch.events(asked),
    get done() {
      return watch.done;
    },
    resume: ({ newUrlRules, ...limits } = {}) => control.resume(crawl, limits, { newUrlRules }),
    addSeeds: (seeds) => addAllSeeds(control, crawl, seeds),
  };
}

/** Polls the crawl's state until it is closed. */
class CrawlWatch {
  readonly #connection: StackConnection;
  readonly #crawl: CrawlId;
  readonly #warnings: readonly string[];
  readonly #closing = new AbortController();
  #done: Promise<CrawlSummary> | undefined;

  constructor(connection: StackConnection, crawl: CrawlId, warnings: readonly string[]) {
    this.#connection = connection;
    this.#crawl = crawl;
    this.#warnings = warnings;
  }

  close(): void {
    this.#closing.abort();
  }

  async *events({ pollMs = POLL_MS } = {}): ReturnType<StackCrawl['events']> {
    if (!(pollMs >= MIN_POLL_MS))
      throw new RangeError(`Expected pollMs to be at least ${MIN_POLL_MS}, got ${pollMs}`);
    for (const message of this.#warnings) yield { type: 'warning', message };
    const eventsOf = createStackEvents();
    for await (const look of this.#look(pollMs)) {
      if (look.summary) yield* eventsOf(look.summary);
      else yield { type: 'warning', message: messageOf(look.error) };
    }
  }

  /** Shared by those who wait at the same time. */
  get done(): Promise<CrawlSummary> {
    this.#done ??= this.#untilOver().finally(() => {
      this.#done = undefined;
    });
    return this.#done;
  }

  async #untilOver(): Promise<CrawlSummary> {
    for await (const { summary } of this.#look(POLL_MS)) if (summary && isOver(summary)) return summary;
    throw new Error(`The crawl ${this.#crawl} was closed while it was waited for`);
  }

  #look(pollMs: number): ReturnType<typeof watchStatus> {
    const { control, clock } = this.#connection;
    return watchStatus(control, this.#crawl, { clock, signal: this.#closing.signal, pollMs, isOver });
  }
}
