/**
 * Errors on their way from the thread that crawls to the thread that watches it: both throw the same class.
 */

import { isInstance, messageOf, textOf } from '../../shared/core/base/error-message.ts';
import { StorageFailed, storageFailure } from '../../shared/core/base/storage-failed.ts';
import { CrawlExists, FolderInUse, NoContact, NoCrawl } from '../../shared/core/crawl/crawl-errors.ts';
import { InvalidConfig } from '../../shared/core/crawl/invalid-config.ts';
import type { ThreadError } from './messages.ts';

/** Errors that both threads know, with what they have besides. */
const OURS = [InvalidConfig, CrawlExists, FolderInUse, NoContact, NoCrawl, StorageFailed];

const isRefusal = (error: unknown): boolean =>
  isInstance(error, InvalidConfig) || isInstance(error, FolderInUse);

export function toThreadError(thrown: unknown): ThreadError {
  // A failure of the storage is known by its cause, which does not leave the thread. A refusal may have such
  // a cause, too.
  const error = isRefusal(thrown) ? thrown : (storageFailure(thrown) ?? thrown);
  const message = messageOf(error);
  if (!isInstance(error, Error)) return { name: 'Error', message };
  const stack = textOf(error, 'stack');
  // Only these properties: a project may add values to its errors that cannot be sent between threads.
  const own: Partial<ThreadError> = OURS.some((type) => isInstance(error, type)) ? error : {};
  const { folder, given, fault, contact } = own;
  return {
    // Classes derived from it have names of their own.
    name: isInstance(error, StorageFailed) ? 'StorageFailed' : (textOf(error, 'name') ?? 'Error'),
    message,
    ...(stack !== undefined && { stack }),
    ...(folder !== undefined && { folder }),
    ...(given !== undefined && { given }),
    ...(fault !== undefined && { fault }),
    ...(contact !== undefined && { contact }),
  };
}

export function reviveError(error: ThreadError): Error {
  const { name, message, stack, folder = '', given, fault = 'missing', contact } = error;
  const make: Readonly<Record<string, () => Error>> = {
    StorageFailed: () => Object.assign(new StorageFailed(message), folder !== '' && { folder }),
    InvalidConfig: () => Object.assign(new InvalidConfig(message), given !== undefined && { given }),
    NoCrawl: () => new NoCrawl(folder),
    CrawlExists: () => new CrawlExists(folder),
    NoContact: () => new NoContact(fault, contact),
    FolderInUse: () => new FolderInUse(message),
  };
  const revived = Object.hasOwn(make, name) ? make[name]!() : new Error(message);
  return Object.assign(revived, { name, ...(stack !== undefined && { stack }) });
}
