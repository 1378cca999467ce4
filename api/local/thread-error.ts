/**
 * Errors on their way from the thread that crawls to the thread that watches it: both throw the same class.
 */

import { InvalidConfig } from '../../shared/crawl/config.ts';
import { CrawlExists, FolderInUse, NoContact, NoCrawl } from '../../shared/crawl/crawl-errors.ts';
import { StorageFailed, storageFailure } from '../../shared/storage-failed.ts';
import type { ThreadError } from './messages.ts';

const isRefusal = (error: unknown): boolean => error instanceof InvalidConfig || error instanceof FolderInUse;

export function toThreadError(thrown: unknown): ThreadError {
  // A failure of the storage is known by its cause, which does not leave the thread. A refusal may have such
  // a cause, too.
  const error = isRefusal(thrown) ? thrown : (storageFailure(thrown) ?? thrown);
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { message, stack, folder, given, fault, contact } = error as Error & Omit<ThreadError, 'stack'>;
  return {
    // Those derived from it have names of their own.
    name: error instanceof StorageFailed ? 'StorageFailed' : error.name,
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
