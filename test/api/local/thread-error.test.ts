import { expect, test } from 'vitest';
import { reviveError, toThreadError } from '../../../api/local/thread-error.ts';
import { StorageFailed } from '../../../shared/core/base/storage-failed.ts';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import { ArchiveFailed } from '../../../shared/engines/local/archive/archive.ts';

const full = () => Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', syscall: 'write' });

test.each([
  ['a failure of the storage', new StorageFailed('The disk is full'), StorageFailed, 'The disk is full'],
  ['a failure of the archive', new ArchiveFailed('The disk is full'), StorageFailed, 'The disk is full'],
  ['an error of the file system', full(), StorageFailed, /^The disk is full \(ENOSPC/],
  ['an error that one has caused', new Error('x', { cause: full() }), StorageFailed, /^The disk is full/],
  ['a refusal that one has caused', new InvalidConfig('no', { cause: full() }), InvalidConfig, 'no'],
  ['a bug', new TypeError('x'), Error, 'x'],
])('%s is thrown as the same class in the other thread', (_, error, kind, message) => {
  const revived = reviveError(structuredClone(toThreadError(error)));
  expect(revived).toBeInstanceOf(kind);
  expect(revived.message).toMatch(message);
  expect(revived instanceof StorageFailed).toBe(kind === StorageFailed);
});
