import { isoTime } from '../../core/base/iso-time.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import type { CrawlDeletion, DeleteOptions, Deletion } from './deletion.ts';
import { checkUnreferred } from './earlier-crawls.ts';
import { createFinder } from './find-crawl.ts';

/**
 * Safe to repeat. Throws {@link ControlError} if the crawl does not exist and was not deleted lately, or if its archive
 * is to be deleted and other crawls refer to it.
 */
export async function deleteCrawl(
  engine: Pick<ControlEngine, 'registry' | 'deletions' | 'referrers'>,
  crawl: CrawlId,
  { archive = false }: DeleteOptions,
): Promise<CrawlDeletion> {
  const { registry, deletions } = engine;
  if (!deletions) throw new ControlError('conflict', 'This engine deletes no crawls');
  const finder = createFinder(registry);
  // A crawl whose data is gone may still have an archive.
  if (!(await finder.find(crawl)) && !(await deletions.load(crawl))) await finder.recordOf(crawl);
  if (archive) await checkUnreferred(engine, crawl);
  return described(crawl, await deletions.begin(crawl, { archive }), deletions.settleMs);
}

/** Throws {@link ControlError} if a crawl of this name was deleted, and messages of it may still come. */
export async function checkNotDeleted(
  { deletions }: Pick<ControlEngine, 'deletions'>,
  crawl: CrawlId,
): Promise<void> {
  const { nameFreeAt, requestedAt } = (await deletions?.load(crawl)) ?? {};
  if (requestedAt === undefined) return;
  const until = nameFreeAt === undefined ? '15 days after that' : isoTime(nameFreeAt);
  throw new ControlError(
    'conflict',
    `The crawl ${quoted(crawl)} was deleted at ${isoTime(requestedAt)}. Late messages of it would count for a new crawl ` +
      `of this name, so choose another name, or wait until ${until}`,
    'crawl',
  );
}

export function described(crawl: CrawlId, deletion: Deletion, settleMs: number): CrawlDeletion {
  const { requestedAt, archive, archiveKeptFor, stoppedAt = requestedAt, deletedAt, nameFreeAt } = deletion;
  const shown = {
    crawl,
    archive,
    ...(archiveKeptFor !== undefined && { archiveKeptFor }),
    requestedAt: isoTime(requestedAt),
  };
  if (deletedAt === undefined)
    return { ...shown, state: 'deleting', dataDeletedFrom: isoTime(stoppedAt + settleMs) };
  return {
    ...shown,
    state: 'deleted',
    deletedAt: isoTime(deletedAt),
    ...(nameFreeAt !== undefined && { nameFreeAt: isoTime(nameFreeAt) }),
  };
}
