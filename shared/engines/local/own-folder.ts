import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder in which the user's files for Strand are, by the XDG Base Directory Specification. */
export const ownFolder = ({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string =>
  join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'strand');

/** The key by which the user's own crawls are known again. */
export const ownKeyFile = (environment: NodeJS.ProcessEnv): string =>
  join(ownFolder(environment), 'folders.key');
