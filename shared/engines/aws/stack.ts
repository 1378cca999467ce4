/** The engine of a deployed stack, as each of its functions and its operators' command line open it. */

import type { Sizes } from '../../core/base/sizes.ts';
import { version } from '../../core/base/version.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import { createClients } from './clients.ts';
import { createMeter, type Meter } from './cost/meter.ts';
import { meterEngine } from './cost/metered-engine.ts';
import { costOf } from './cost/prices.ts';
import { stackPrices } from './cost/stack-prices.ts';
import { type AwsClients, type AwsEngine, createAwsEngine } from './engine.ts';
import type { UnreadHandlers } from './queues/delivery.ts';
import { regionOf, type StackSettings, timesOf } from './settings.ts';
import { createSpendCounter } from './state/daily-spend.ts';
import type { StartSmall } from './workers/worker-pool.ts';

export interface OpenStackOptions extends UnreadHandlers {
  readonly clock: Clock;
  /** Default: the SDK's own, by its own chain of region, credentials and endpoint. */
  readonly clients?: AwsClients;
  /** Memory of this function, in MB; undefined for a process elsewhere, whose time costs nothing. */
  readonly memoryMb?: number;
  /** Which of the turn queues is received from: the one whose event this is. Default: all in turn. */
  readonly turnQueueUrl?: string;
  readonly sizes?: Sizes;
  /** Starts small workers, where the stack has them. Default: this process starts none. */
  readonly startSmall?: StartSmall | undefined;
  /** The project has accounts at sites, or may give cookies to hosts. */
  readonly keepsCookies?: boolean;
  readonly warn?: (message: string) => void;
}

export interface OpenedStack {
  /** Everything it uses is metered, by crawl. */
  readonly engine: AwsEngine;
  readonly clients: AwsClients;
  readonly meter: Meter;
  /**
   * Stores what the meter has gathered: to be called at an invocation's end. Begins nothing from `until` on: the rest is
   * stored the next time.
   */
  flushMeter(until?: number): Promise<void>;
  /** Adds it to the cost of the day, which `flushMeter` does, too: to be called each minute. Never rejects. */
  noteSpend(): Promise<void>;
  close(): void;
}

/** Opens nothing yet: connections are made when they are needed, and closed by `close`. */
export function openStack(settings: StackSettings, options: OpenStackOptions): OpenedStack {
  const { clock, memoryMb, turnQueueUrl, sizes, startSmall, keepsCookies, onCorrupt, onNewer, warn } =
    options;
  const clients = options.clients ?? createClients(settings.hostsPerWorker, clock);
  const meter = createMeter({ clock, memoryMb });
  for (const client of [clients.dynamo, clients.s3, clients.sqs]) meter.watch(client);
  const engine = createAwsEngine({
    clients,
    names: settings,
    clock,
    visibilityMs: timesOf(settings).leaseMs,
    turnQueueUrl,
    sizes,
    archive: { software: `Strand/${version}`, prefix: archivePrefix(settings.stack), keepsCookies },
    region: regionOf(settings),
    meter,
    onCorrupt,
    onNewer,
    startSmall,
    warn,
  });
  const { limits: { maxCostPerDay } = {}, crawlState: table } = settings;
  const prices = stackPrices(settings);
  const takeCost = () => costOf(meter.takeSpent(), prices).total;
  const noteSpend =
    maxCostPerDay === undefined
      ? async () => {}
      : createSpendCounter({ dynamo: clients.dynamo, clock, table, maxCostPerDay, takeCost, warn });
  return {
    engine: meterEngine(engine, meter),
    clients,
    meter,
    noteSpend,
    async flushMeter(until) {
      // At most one write, before many.
      await noteSpend();
      await engine.registry.flushUsage(until);
    },
    close() {
      for (const client of [clients.dynamo, clients.s3, clients.sqs]) client.destroy();
    },
  };
}

/** A stack's name as WARC files may begin with it. */
const archivePrefix = (stack: string): string => stack.replace(/[^A-Za-z0-9._-]+/g, '-');
