import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder in which the user's files for Strand are, by the XDG Base Directory Specification, which ignores relative paths. */
export const ownFolder = ({ XDG_CONFIG_HOME = '' }: NodeJS.ProcessEnv): string =>
  join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'strand');

/** The key by which the user's own crawls are known again. */
export const ownKeyFile = (environment: NodeJS.ProcessEnv): string =>
  join(ownFolder(environment), 'folders.key');
