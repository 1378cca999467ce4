import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { orStorageFailed } from '../../core/base/storage-failed.ts';
import type { CrawlOptions } from '../../core/crawl/config.ts';
import { hasSecrets } from '../../core/crawl/secret-keys.ts';
import { entriesOf, isOwnEntry } from './folder-guard.ts';

/**
 * Lets only its owner read a crawl's folder whose settings hold secrets, or whose pages may be behind a login: 700, its files 600.
 * With an identity, whose key is in a file of its own, only the database. Windows has no such modes.
 */
export function hideFolder(folder: string, { identity, ...options }: CrawlOptions): void {
  const isHidden = hasSecrets(options);
  if (!isHidden && identity === undefined) return;
  orStorageFailed(folder, () => {
    if (isHidden) chmodSync(folder, 0o700);
    for (const entry of entriesOf(folder)) {
      if (!isOwnEntry(entry.name) || !(isHidden || entry.name.startsWith('crawl.sqlite'))) continue;
      if (entry.isDirectory()) chmodSync(join(folder, entry.name), 0o700);
      if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600);
    }
  });
}
