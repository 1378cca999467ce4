/** The token of the HTTP server: in a file that only this user reads, made when it is first wanted. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { isOpenToOthers } from '../../shared/engines/local/open-to-others.ts';
import { UsageError } from '../usage-error.ts';

export const tokenFile = (home: string = homedir()): string => join(home, '.config', 'strand', 'mcp-token');

const TOKEN_BYTES = 32;

/** Throws {@link UsageError} for a file that others may read. */
export function readToken(file: string): string {
  makeFolders(dirname(file), 0o700);
  try {
    writeFileSync(file, randomBytes(TOKEN_BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const token = readFileSync(file, 'utf8').trim();
  if (isOpenToOthers(statSync(file).mode))
    throw new UsageError(`${file} can be read by others: chmod 600 ${file}, or delete it for a new token`);
  if (token.length < TOKEN_BYTES) throw new UsageError(`${file} has no token: delete it for a new one`);
  return token;
}
