import { UsageError } from '../usage-error.ts';

/** Runs an export into a folder. Throws {@link UsageError} for a folder that cannot be written or is not empty. */
export async function intoFolder<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    if (name === 'FolderNotEmpty') throw new UsageError(message, { cause: error });
    if (code !== undefined && ['EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EROFS', 'EPERM'].includes(code))
      throw new UsageError(`The folder cannot be written: ${message}`, { cause: error });
    throw error;
  }
}
