import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { ServiceUnavailable, UsageError } from '../usage-error.ts';
import type { RowStream } from './row-stream.ts';

/**
 * Gives `write` standard output, or a file that gets its name only when all is written: a file with that name
 * is complete. What is there and no plain file (a device, a pipe, a link) is written into instead, as it must
 * not be replaced. Throws {@link UsageError} where the file cannot be made, {@link ServiceUnavailable} where
 * its disk fails or is full.
 */
export async function withOutput(
  path: string | undefined,
  write: (out: RowStream) => Promise<void>,
  standard: RowStream = process.stdout,
): Promise<void> {
  if (path === undefined) return write(standard);
  const isInPlace = await isSpecial(path);
  // No name that a file of the user may have.
  const part = isInPlace ? path : `${path}.${randomUUID().slice(0, 8)}.part`;
  const file = createWriteStream(part, { flags: isInPlace ? 'w' : 'wx' });
  try {
    await once(file, 'open');
  } catch (cause) {
    throw new UsageError(`${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
  const written = finished(file);
  try {
    await Promise.race([write(file).then(() => void file.end()), written]);
    await written;
    if (!isInPlace) await rename(part, path);
  } catch (error) {
    const isOfFile = error === file.errored || (error as NodeJS.ErrnoException).syscall === 'rename';
    written.catch(() => {});
    file.destroy();
    if (!isInPlace) await rm(part, { force: true });
    if (!isOfFile) throw error;
    throw new ServiceUnavailable(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** A path that cannot be read cannot be opened either, which is reported then. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
