import { dirname } from 'node:path';
import type { Accounts } from '../../../crawler/turn/access/accounts.ts';
import { createAccounts } from '../../../services/accounts/create-accounts.ts';
import { readParameter } from '../../../services/accounts/read-parameter.ts';
import { createReferenceReader } from '../../../services/accounts/read-reference.ts';
import type { Project } from '../../../services/project/project-file.ts';

/** The accounts of a project on this machine. `environment`: where secrets named by `env:` are. */
export function localAccounts(
  project: Pick<Project, 'accounts' | 'path'> | undefined,
  environment: NodeJS.ProcessEnv = {},
): Accounts | undefined {
  if (project?.accounts === undefined) return undefined;
  const folder = project.path === undefined ? process.cwd() : dirname(project.path);
  return createAccounts(project.accounts, createReferenceReader({ environment, folder, readParameter }));
}
