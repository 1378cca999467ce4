/** The parts of a stack that an export is made of. */

import { SIZES, type Sizes } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { mayHaveRendered } from '../../../core/crawl/renders-pages.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import { hasDocuments } from '../../../services/control/crawl-export.ts';
import type { HeldExport } from '../../../services/exports/held-export.ts';
import { moduleReading } from '../../../services/exports/module-reading.ts';
import type { ExportJob } from '../../../services/exports/run-export.ts';
import type { MediaModule } from '../../../services/project/media-module.ts';
import { itemsPrefix, skipsPrefix } from '../archive/item-folders.ts';
import { createStackArchive } from '../archive/stack-archive.ts';
import { storedLinesBehind } from '../archive/stack-items.ts';
import { payloadsOf } from '../archive/stack-payloads.ts';
import { stackRows } from '../archive/stack-rows.ts';
import type { StackSettings } from '../settings.ts';
import type { OpenedStack } from '../stack.ts';
import { ExportObjects } from './export-objects.ts';

export interface ExportedStack {
  readonly opened: Pick<OpenedStack, 'clients' | 'engine' | 'meter'>;
  readonly settings: Pick<StackSettings, 'bucket' | 'crawlState'>;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  readonly maxFileBytes?: number | undefined;
  readonly maxListed?: number | undefined;
  /** Loads the modules of the project. Default: it has none. */
  readonly loadModules?: (() => Promise<readonly MediaModule[] | undefined>) | undefined;
}

/** From one stack, any number of exports. */
export function exportContextOf({
  opened,
  settings,
  clock,
  sizes = SIZES,
  maxFileBytes,
  maxListed,
  loadModules,
}: ExportedStack) {
  const { clients, engine, meter } = opened;
  const { s3, dynamo } = clients;
  const { bucket } = settings;
  const context = { s3, bucket, clock, sizes, mapping: { dynamo, clock, table: settings.crawlState } };
  const rows = stackRows(opened, settings);

  return async (
    crawl: CrawlId,
    record: CrawlRecord,
    { id, request }: HeldExport,
  ): Promise<Omit<ExportJob, 'now' | 'isLate' | 'isOver' | 'warn' | 'skip'>> => {
    const run = <T>(call: () => Promise<T>) => meter.run(crawl, call);
    const archive = createStackArchive(context, crawl, run);
    const totals = await engine.registry.totals(crawl);
    const hasRendered = async () => mayHaveRendered(record.config, totals);
    return {
      crawl,
      record,
      request,
      rows,
      hosts: totals.hosts,
      archive,
      payloads: { ...payloadsOf(archive, crawl), hasRendered },
      modules: moduleReading(hasDocuments(request) ? await loadModules?.() : undefined, record, clock),
      items: (after) => storedLinesBehind({ context, crawl, run }, itemsPrefix(crawl), after),
      skips: (after) => storedLinesBehind({ context, crawl, run }, skipsPrefix(crawl), after),
      objects: new ExportObjects({ s3, bucket, clock }, crawl, id),
      maxFileBytes,
      maxListed,
    };
  };
}
