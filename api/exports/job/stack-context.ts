/** The parts of a stack that an export is made of. */

import { SIZES, type Sizes } from '../../../shared/core/base/sizes.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { HeldExport } from '../../../shared/engines/aws/exports/export-jobs.ts';
import { ExportObjects } from '../../../shared/engines/aws/exports/export-objects.ts';
import type { StackSettings } from '../../../shared/engines/aws/settings.ts';
import type { OpenedStack } from '../../../shared/engines/aws/stack.ts';
import { hasDocuments } from '../../../shared/services/control/crawl-export.ts';
import type { MediaModule } from '../../../shared/services/project/media-module.ts';
import { moduleReading } from '../../module-reading.ts';
import { createStackArchive } from '../../stack/stack-archive.ts';
import { payloadsOf } from '../../stack/stack-payloads.ts';
import { stackRows } from '../../stack/stack-rows.ts';
import type { ExportContext } from './export-context.ts';

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
  const context = { s3, bucket, clock, sizes, mapping: { dynamo, clock, names: settings } };
  const rows = stackRows(opened, settings);

  return async (
    crawl: CrawlId,
    record: CrawlRecord,
    { id, request }: HeldExport,
  ): Promise<Omit<ExportContext, 'now' | 'isLate' | 'isOver' | 'warn'>> => {
    const run = <T>(call: () => Promise<T>) => meter.run(crawl, call);
    const archive = createStackArchive(context, crawl, run);
    return {
      crawl,
      record,
      request,
      rows,
      hostPages: (...page) => engine.ledgers.hostPage(...page),
      hosts: (await engine.registry.totals(crawl)).hosts,
      archive,
      payloads: payloadsOf({ archiveOf: () => archive }, crawl),
      modules: moduleReading(hasDocuments(request) ? await loadModules?.() : undefined, record, clock),
      items: { context, crawl, run },
      objects: new ExportObjects({ s3, bucket, clock }, crawl, id),
      maxFileBytes,
      maxListed,
    };
  };
}
