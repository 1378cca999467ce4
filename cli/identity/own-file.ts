import { join } from 'node:path';
import { ownFolder } from '../../shared/engines/local/own-folder.ts';

/** The identity's file if none is named. */
export const ownIdentityFile = (environment: NodeJS.ProcessEnv): string =>
  join(ownFolder(environment), 'identity.json');
