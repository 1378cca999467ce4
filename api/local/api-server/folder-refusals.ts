/** Refusals of the API over folders, and the faults of a folder as its answers. */
import { basename } from 'node:path';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { CrawlExists, FolderInUse, NoCrawl } from '../../../shared/core/crawl/crawl-errors.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { openingSettings, openingText } from '../../../shared/core/crawl/opening-settings.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import { asRefusal } from '../../../shared/services/control/as-refusal.ts';
import { ControlError, type CrawlEntry } from '../../../shared/services/control/control.ts';
import type { FolderEntry } from '../../folder-types.ts';

/** A caller of the API begins crawls, but opens nothing of the operator's machine: that is for the operator's own settings. */
export function checkOpen(config: CrawlOptions): void {
  const [opening] = openingSettings(config);
  if (opening)
    throw new ControlError(
      'invalid',
      `${openingText(opening)}: only the operator of this server sets it`,
      `config.${opening[0]}`,
    );
}

/** Names are those of folders. A crawl without a process continues when it is resumed. */
export function entryOf({ folder, state, reason, pages }: FolderEntry): CrawlEntry {
  const crawl = basename(folder);
  const isEnded = state === 'interrupted' || state === 'sleeping';
  if (state === 'unreadable') return { crawl, state: 'stopped', reason: reason ?? state, pages };
  return { crawl, state: isEnded ? 'paused' : state, ...(reason !== undefined && { reason }), pages };
}

/** Throws {@link ControlError} for what the folder of a crawl does not allow. */
export async function refused<T>(crawl: CrawlId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoCrawl)
      throw new ControlError('notFound', `There is no crawl ${quoted(crawl)}`, 'crawl', { cause: error });
    if (error instanceof CrawlExists)
      throw new ControlError('conflict', `There is a crawl ${quoted(crawl)} already`, 'crawl', {
        cause: error,
      });
    if (error instanceof FolderInUse)
      throw new ControlError('conflict', `A process works on the crawl ${quoted(crawl)}`, 'crawl', {
        cause: error,
      });
    throw asRefusal(error);
  }
}
