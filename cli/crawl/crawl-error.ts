/** Why a crawl could not continue, in the words of the command line: names of options, commands to copy. */

import { StorageFailed } from '../../shared/core/base/storage-failed.ts';
import { InvalidConfig } from '../../shared/core/crawl/config.ts';
import { CrawlExists, NoContact } from '../../shared/core/crawl/crawl-errors.ts';
import { commandAt } from '../command-at.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { contactText } from '../seeds.ts';
import { UsageError } from '../usage-error.ts';

/** `folder`: of the crawl, if it was opened. `config`: the project's file, if one was named. */
export function crawlError(error: unknown, folder: string | undefined, config?: string): unknown {
  const dir = folder ?? (error instanceof StorageFailed ? error.folder : undefined);
  if (error instanceof StorageFailed && dir !== undefined) {
    const next = commandAt({ dir, ...(config !== undefined && { config }) }, 'resume');
    return new StorageFailed(`${error.message}. Then continue with: ${next}`, { cause: error });
  }
  if (error instanceof CrawlExists) {
    const { folder: dir } = error;
    return new UsageError(
      `${dir} holds a crawl already. Continue it: ${commandAt({ dir }, 'resume')}. Or choose another folder by --out`,
      { cause: error },
    );
  }
  if (error instanceof NoContact) return new UsageError(contactText(error), { cause: error });
  if (error instanceof InvalidConfig && 'given' in error) return invalidOptions(error.given) ?? error;
  return error;
}

/** Returns the error with the options' names. */
function invalidOptions(given: unknown): unknown {
  try {
    parseCrawlConfig(given);
    return undefined;
  } catch (error) {
    return error;
  }
}
