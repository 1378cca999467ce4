import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../shared/core/base/error-message.ts';
import type { SiteOptions } from '../../shared/core/crawl/sites.ts';
import { siteLines } from '../site-lines.ts';
import { textOfBytes } from '../text-of-bytes.ts';
import { UsageError } from '../usage-error.ts';

const MAX_BYTES = 32 * 1024 * 1024;

/** The sites of the file, checked. Undefined if there is no file. Throws {@link UsageError}. */
export function readSites(file: string | undefined): SiteOptions[] | undefined {
  return file === undefined ? undefined : siteLines(readText(file), file);
}

function readText(file: string): string {
  try {
    if (file !== '-' && statSync(file).size > MAX_BYTES)
      throw new Error(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    return textOfBytes(readFileSync(file === '-' ? 0 : file));
  } catch (cause) {
    throw new UsageError(`--sites: ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
