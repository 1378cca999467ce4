/**
 * The engine below an operator's control of a deployed stack: the same for the API, the router and the
 * command line.
 */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { SIZES } from '../../core/base/sizes.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { ControlError } from '../../services/control/control.ts';
import type { ControlEngine } from '../../services/control/control-engine.ts';
import { warcFolder } from './archive/archives.ts';
import { CapturePages } from './archive/capture-pages.ts';
import { resolveLocation } from './archive/joined-warcs.ts';
import { costOf } from './cost/prices.ts';
import { stackPrices } from './cost/stack-prices.ts';
import { createDeletions } from './deletion/begin-deletion.ts';
import { createReferrers } from './deletion/referrers.ts';
import { ExportJobs } from './exports/export-jobs.ts';
import { wakeAllText } from './queues/link-message.ts';
import { withRetry } from './retry.ts';
import type { StackSettings } from './settings.ts';
import type { OpenedStack } from './stack.ts';
import { spentToday } from './state/daily-spend.ts';
import { InvalidCursor } from './state/host-page.ts';

/** WARC files named. */
const MAX_FILES = 1000;
/** Each lists 1,000 objects, indexes among them. */
const MAX_LISTS = 3;

export interface ControlEngineOptions {
  /** Has the function that makes exports run at once. Default: it runs within the hour. */
  readonly wakeExporter?: () => Promise<unknown>;
}

/** Whatever it does for a crawl, that crawl pays. */
export function controlEngineOf(
  { engine, clients, meter }: Pick<OpenedStack, 'engine' | 'clients' | 'meter'>,
  settings: Pick<StackSettings, 'bucket' | 'crawlState' | 'linkQueueUrl'>,
  { wakeExporter }: ControlEngineOptions = {},
): ControlEngine {
  const { registry, exchange, ledgers, clock } = engine;
  const { s3, dynamo } = clients;
  const prices = stackPrices(settings);
  const mapping = { dynamo, clock, table: settings.crawlState };
  const { bucket } = settings;
  const capturePages = new CapturePages({ s3, bucket, clock, sizes: SIZES, mapping });

  const jobs = new ExportJobs({ dynamo, clock, table: settings.crawlState, bucket });

  async function warcFiles(crawl: CrawlId): Promise<string[]> {
    const prefix = `${warcFolder(crawl)}/`;
    const files: string[] = [];
    let token: string | undefined;
    for (let lists = 0; lists < MAX_LISTS && files.length < MAX_FILES; lists++) {
      const command = new ListObjectsV2Command({
        Bucket: settings.bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const page = await withRetry('listing WARC files', () => s3.send(command), { clock });
      for (const { Key = '' } of page.Contents ?? [])
        if (Key.endsWith('.warc.gz')) files.push(Key.slice(prefix.length));
      token = page.NextContinuationToken;
      if (token === undefined) break;
    }
    return files.slice(0, MAX_FILES);
  }

  return {
    registry,
    exchange,
    clock,
    spentToday: () => spentToday({ dynamo, clock, table: settings.crawlState }),
    referrers: createReferrers({ dynamo, clock, table: settings.crawlState }),
    exports: {
      begin: async (crawl, request) => {
        const begun = await meter.run(crawl, () => jobs.begin(crawl, request));
        // Otherwise it runs within the hour.
        await wakeExporter?.().catch(() => {});
        return begun;
      },
      list: (crawl) => meter.run(crawl, () => jobs.list(crawl)),
      load: (crawl, id) => meter.run(crawl, () => jobs.load(crawl, id)),
    },
    deletions: createDeletions({ ...engine, dynamo, table: settings.crawlState }),
    ledgers: {
      ...ledgers,
      async hostPage(crawl, cursor, limit) {
        try {
          return await ledgers.hostPage(crawl, cursor, limit);
        } catch (error) {
          if (error instanceof InvalidCursor) throw new ControlError('invalid', error.message, 'cursor');
          throw error;
        }
      },
    },
    // The router does it, page by page: there may be more hosts than one call has time for.
    wakeAll: (crawl, resume) => meter.run(crawl, () => exchange.sendTexts([wakeAllText(crawl, resume)])),
    warcFiles: (crawl) => meter.run(crawl, () => warcFiles(crawl)),
    locate: (crawl, location) => meter.run(crawl, () => resolveLocation(mapping, crawl, location)),
    captures: (crawl, asked) => meter.run(crawl, () => capturePages.page(crawl, asked)),
    costOf: (usage) => costOf(usage, prices),
  };
}
