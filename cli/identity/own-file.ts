import { homedir } from 'node:os';
import { join } from 'node:path';

/** The identity's file if none is named: by the XDG Base Directory Specification. */
export function ownIdentityFile({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'strand', 'identity.json');
}
