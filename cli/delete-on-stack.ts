import type { StackConnection } from '../api/stack/connect-stack.ts';
import type { StackAddress } from '../api/stack-address.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import { SETTLE_MS } from '../shared/engines/aws/deletion/begin-deletion.ts';
import { ControlError } from '../shared/services/control/control.ts';
import { described } from '../shared/services/control/delete-crawl.ts';
import type { CrawlDeletion } from '../shared/services/control/deletion.ts';
import { named } from '../shared/services/control/earlier-crawls.ts';
import { stackProgram } from './command-at.ts';
import { isConfirmed } from './confirm.ts';
import { formatCounted } from './format.ts';

export interface StackDeletion {
  readonly crawl: string;
  readonly archive: boolean;
  readonly yes: boolean;
  readonly watch: boolean;
}

export type DeleteSession = Pick<StackConnection, 'control' | 'deletions'> & StackAddress;

export interface DeleteOutput {
  readonly err: { write(text: string): unknown };
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly signal: AbortSignal;
}

/** The state of a deletion is looked up this often. */
const LOOK_MS = 15_000;

/** Asks first, unless `--yes` was given. Undefined: the user does not want it. */
export async function deleteOnStack(
  session: DeleteSession,
  command: StackDeletion,
  output: DeleteOutput,
): Promise<CrawlDeletion | undefined> {
  const { crawl, archive, watch } = command;
  if (!command.yes && !(await mayDelete(session, command))) return undefined;
  const deletion = await session.control.delete(crawl, { archive });
  if (!watch || deletion.state === 'deleted') return deletion;
  output.err.write(`${deletionText(deletion)}\n`);
  return (await untilDeleted(session, command, output)) ?? deletion;
}

async function mayDelete(session: DeleteSession, { crawl, archive }: StackDeletion): Promise<boolean> {
  const { control, stack } = session;
  const which = `the crawl ${crawl} of the stack ${stack}`;
  const withArchive = archive ? ', with its archive and items' : ', but not its archive and items';
  const confirmation = {
    word: crawl,
    command: `${stackProgram(session)} delete ${crawl}${archive ? ' --archive' : ''} --yes`,
  };
  try {
    const { state, pages, hosts } = await control.status(crawl);
    const size = `${formatCounted(pages, 'page')} of ${formatCounted(hosts, 'host')}`;
    return await isConfirmed({ ...confirmation, what: `${which} (${state}, ${size})${withArchive}` });
  } catch (error) {
    // Its data is deleted already, and the archive is to follow.
    if (!(archive && error instanceof ControlError && error.code === 'notFound')) throw error;
    return isConfirmed({ ...confirmation, what: `what is left of ${which}, with its archive and items` });
  }
}

/** Deletes the data as soon as it may be deleted, and shows the progress. Undefined: the user has waited enough. */
async function untilDeleted(
  { deletions }: DeleteSession,
  { crawl }: StackDeletion,
  { err, clock, signal }: DeleteOutput,
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
