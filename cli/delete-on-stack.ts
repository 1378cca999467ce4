import { SETTLE_MS } from '../shared/engines/aws/deletion/begin-deletion.ts';
import { ControlError } from '../shared/services/control/control.ts';
import { described } from '../shared/services/control/delete-crawl.ts';
import type { CrawlDeletion } from '../shared/services/control/deletion.ts';
import { named } from '../shared/services/control/earlier-crawls.ts';
import { formatCounted } from './format.ts';
import type { Place } from './place.ts';

interface StackDeletion {
  readonly crawl: string;
  readonly archive: boolean;
  readonly watch: boolean;
}

type Session = NonNullable<Place['stack']>;

/** The state of a deletion is looked up this often. */
const LOOK_MS = 15_000;

export async function deleteOnStack(
  session: Session,
  { crawl, archive, watch }: StackDeletion,
  place: Place,
): Promise<CrawlDeletion> {
  const deletion = await session.control.delete(crawl, { archive });
  if (!watch || deletion.state === 'deleted') return deletion;
  place.err.write(`${deletionText(deletion)}\n`);
  return (await untilDeleted(session, crawl, place)) ?? deletion;
}

/** The crawl in words, and the word that confirms that it is meant. */
export async function crawlOnStack(
  { control, stack }: Session,
  { crawl, archive }: Pick<StackDeletion, 'crawl' | 'archive'>,
): Promise<{ readonly what: string; readonly word: string }> {
  const which = `the crawl ${crawl} of the stack ${stack}`;
  const withArchive = archive ? ', with its archive and items' : ', but not its archive and items';
  try {
    const { state, pages, hosts } = await control.status(crawl);
    const size = `${formatCounted(pages, 'page')} of ${formatCounted(hosts, 'host')}`;
    return { what: `${which} (${state}, ${size})${withArchive}`, word: crawl };
  } catch (error) {
    // Its data is deleted already, and the archive is to follow.
    if (!(archive && error instanceof ControlError && error.code === 'notFound')) throw error;
    return { what: `what is left of ${which}, with its archive and items`, word: crawl };
  }
}

/** Deletes the data as soon as it may be deleted, and shows the progress. Undefined: the user has waited enough. */
async function untilDeleted(
  { deletions }: Session,
  crawl: string,
  { err, clock, signal }: Place,
): Promise<CrawlDeletion | undefined> {
  let shownAt = clock.now();
  while (!signal.aborted) {
    const deletion = await deletions.proceed(crawl, {
      onProgress({ hosts, rows, objects }) {
        if (clock.now() - shownAt < LOOK_MS) return;
        shownAt = clock.now();
        err.write(`Deleted so far: ${formatCounted(hosts, 'host')}, ${rows} rows, ${objects} objects\n`);
      },
    });
    if (deletion?.deletedAt !== undefined) return described(crawl, deletion, SETTLE_MS);
    await clock.sleep(LOOK_MS, signal);
  }
  return undefined;
}

export function deletionText({
  crawl,
  state,
  archive,
  archiveKeptFor,
  dataDeletedFrom = '',
  nameFreeAt = '',
}: CrawlDeletion): string {
  const why = archiveKeptFor ? `, as the archives of ${named(archiveKeptFor)} refer to it` : '';
  const kept = archive
    ? ''
    : `. Its archive and items stay in the bucket, in warc/${crawl}/ and items/${crawl}/${why}`;
  if (state === 'deleted') return `The crawl ${crawl} is deleted; its name is free from ${nameFreeAt}${kept}`;
  return (
    `The crawl ${crawl} is stopped, and nothing can resume it. Its data is deleted when no worker holds a part of it: ` +
    `in the first hourly run after ${dataDeletedFrom}${kept}`
  );
}
