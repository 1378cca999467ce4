/** Crawls whose archives refer to records of earlier ones. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { checkKept, createFinder } from './find-crawl.ts';

/** Throws {@link ControlError} on a stack that deletes records without regard to references. */
export function checkArchiveKept({ archiveDays }: { readonly archiveDays?: number }): void {
  if (archiveDays === undefined) return;
  throw invalid(
    `This stack deletes WARC files after ${archiveDays} days (archiveDays), and an archive that is younger would refer to ` +
      'payloads that are gone: begin the crawl without dedupeFrom',
  );
}

/** Crawls that one archive may refer to. */
const MAX_EARLIER = 100;
/** Crawls that a message names. */
const MAX_NAMED = 5;

/**
 * The crawls that the archive of the new crawl `by` may refer to if payloads of `dedupeFrom` are not stored again: that
 * one, and those that it refers to itself. From now on their archives are kept. Throws {@link ControlError}.
 */
export async function beginReferring(
  engine: Pick<ControlEngine, 'registry' | 'referrers' | 'deletions'>,
  by: CrawlId,
  dedupeFrom: CrawlId,
): Promise<readonly CrawlId[]> {
  const { referrers, registry, deletions } = engine;
  if (referrers === undefined) throw invalid('Crawls of this engine know no earlier crawls');
  const record = await createFinder(registry).find(dedupeFrom);
  if (record === undefined) throw invalid(`There is no crawl ${quoted(dedupeFrom)} to be deduplicated from`);
  checkKept(dedupeFrom, record);
  const earlier = [dedupeFrom, ...(record.dedupeFrom ?? [])];
  if (earlier.length > MAX_EARLIER)
    throw invalid(
      `The archive of the crawl ${quoted(dedupeFrom)} refers to those of ${MAX_EARLIER} crawls before it, the most there ` +
        'may be: begin this crawl without it, so that one archive is whole again',
    );
  await referrers.add(by, earlier);
  // After the note: a deletion that begins from now on finds it.
  for (const crawl of earlier) {
    if (!(await deletions?.load(crawl))?.archive) continue;
    await referrers.remove(by);
    throw new ControlError(
      'conflict',
      `The archive of the crawl ${quoted(crawl)} is being deleted`,
      'dedupeFrom',
    );
  }
  return earlier;
}

const invalid = (message: string): ControlError => new ControlError('invalid', message, 'dedupeFrom');

/** Throws {@link ControlError} if other archives refer to the crawl's. */
export async function checkUnreferred(
  { referrers }: Pick<ControlEngine, 'referrers'>,
  crawl: CrawlId,
): Promise<void> {
  const by = (await referrers?.of(crawl)) ?? [];
  if (by.length === 0) return;
  throw new ControlError(
    'conflict',
    `The archives of ${named(by)} refer to payloads in the archive of the crawl ${quoted(crawl)}, as they were begun with ` +
      'dedupeFrom: delete those with their archives first, or this one without its archive',
    'archive',
  );
}

/** `"a", "b" and 3 more`. */
export function named(crawls: readonly CrawlId[]): string {
  const names = crawls.slice(0, MAX_NAMED).map(quoted).join(', ');
  return crawls.length > MAX_NAMED ? `${names} and ${crawls.length - MAX_NAMED} more` : names;
}
