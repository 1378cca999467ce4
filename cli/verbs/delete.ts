import { basename, resolve } from 'node:path';
import { storageFailure } from '../../shared/core/base/storage-failed.ts';
import { NoCrawl } from '../../shared/core/crawl/crawl-errors.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { commandAt } from '../command-at.ts';
import { isConfirmed } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { isSet, readCrawl } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import type { Place } from '../place.ts';
import { verb } from '../verb.ts';

interface Asked {
  readonly crawl: string;
  /** The archive and the items, too. */
  readonly archive: boolean;
  /** The user is not asked. */
  readonly yes: boolean;
}

interface StackAsked extends Asked {
  readonly watch: boolean;
}

export const command = verb({
  usage: 'delete DIR [options]',
  more: 'Its state; WARC files and items only with --archive. Asks first.',
  examples: [
    'delete crawls/example.org',
    'delete crawls/example.org --archive --yes',
    '--stack Strand delete news --archive',
  ],
  options: [
    JSON_OPTION,
    {
      name: 'archive',
      type: 'flag',
      group: 'Output',
      help: 'delete the WARC files, their indexes and the items, too; without it, only what the crawl needs to be resumed or asked',
    },
    { name: 'yes', type: 'flag', group: 'Output', help: 'do not ask for confirmation' },
    {
      name: 'watch',
      type: 'flag',
      only: 'stack',
      reason: 'a folder is deleted at once',
      group: 'Stack',
      help: 'show the progress until the crawl is deleted',
    },
  ],
  read(given): Asked | StackAsked {
    const asked = { crawl: readCrawl(given), archive: isSet(given, 'archive'), yes: isSet(given, 'yes') };
    return given.isOnStack ? { ...asked, watch: isSet(given, 'watch') } : asked;
  },
  /** Asks first, unless `--yes` was given. */
  async run(asked, place) {
    if (!asked.yes && !(await isMeant(asked, place))) {
      place.err.write('Nothing was deleted\n');
      return exitCodes.interrupted;
    }
    if ('watch' in asked) {
      const { deleteOnStack, deletionText } = await import('../delete-on-stack.ts');
      const deletion = await deleteOnStack(place.stack!, asked, place);
      return place.print(deletion, deletionText(deletion));
    }
    const { crawl, archive } = asked;
    const { deleteCrawl } = await import('../../api/delete-crawl.ts');
    const deleted = await deleteCrawl(crawl, { archive });
    const more = archive ? '' : ' (--archive deletes WARC files and items, too)';
    const left =
      deleted.left.length > 0 ? `; still there: ${deleted.left.map(printable).join(', ')}${more}` : '';
    return place.print(deleted, `Deleted the crawl in ${printable(crawl)}${left}`);
  },
});

async function isMeant(asked: Asked, place: Place): Promise<boolean> {
  const { crawl, archive } = asked;
  const options = [...(archive ? ['--archive'] : []), '--yes'];
  const command = commandAt(place.addressOf(crawl), 'delete', ...options);
  if (place.stack === undefined) return isConfirmed({ ...(await crawlIn(asked, place)), command });
  const { crawlOnStack } = await import('../delete-on-stack.ts');
  return isConfirmed({ ...(await crawlOnStack(place.stack, asked)), command });
}

/** The crawl in words, and the word that confirms that it is meant: if its database cannot be read, the folder's name. */
async function crawlIn({ crawl: dir, archive }: Asked, place: Place) {
  try {
    await using crawl = await place.open(dir);
    const { pages, warcFiles } = await crawl.summary();
    const files = formatCounted(warcFiles.length, 'WARC file');
    return {
      what: `${crawl.name} in ${printable(dir)}, ${formatCounted(pages, 'page')}, ${archive ? files : `but not its ${files}`}`,
      word: printable(crawl.name),
    };
  } catch (error) {
    const word = printable(basename(resolve(dir)));
    // Its state is deleted already, and the archive is to follow.
    if (archive && error instanceof NoCrawl)
      return { what: `what is left of the crawl in ${printable(dir)}`, word };
    const failure = storageFailure(error);
    if (failure === undefined) throw error;
    return {
      what: `the crawl in ${printable(dir)}${archive ? '' : ', but not its WARC files'} (${printable(failure.message)})`,
      word,
    };
  }
}
