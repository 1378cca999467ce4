import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../../shared/core/base/version.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { createProject, describeProject, describeTemplates } from '../init/create-project.ts';
import { PROGRAM } from '../program.ts';

/** `strand init TEMPLATE FOLDER`: a new project; `strand init`: the list of templates. */
export function init({ template, folder }: LocalCommandOf<'init'>): number {
  if (template === undefined) {
    process.stdout.write(describeTemplates(`${PROGRAM} init`));
    return exitCodes.finished;
  }
  const templates = fileURLToPath(new URL('../../templates/', import.meta.url));
  const files = createProject(template, folder, { templates, version, sdk: sdkRange() });
  process.stdout.write(describeProject(template, folder, files));
  return exitCodes.finished;
}

/** The range that this package names as its peer, or the repository's version. */
function sdkRange(): string {
  const { dependencies, peerDependencies = dependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return peerDependencies['@aws-sdk/client-sqs'];
}
