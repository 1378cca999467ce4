import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../../shared/core/base/version.ts';
import { exitCodes } from '../exit-codes.ts';
import { wrongWords } from '../given.ts';
import { createProject, describeProject, describeTemplates, readTemplate } from '../init/create-project.ts';
import { PROGRAM } from '../program.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'init [TEMPLATE] [FOLDER]',
  more: 'Without TEMPLATE: list the templates.',
  examples: ['init', 'init archive-a-site my-archive'],
  options: [],
  read(given) {
    const [template, folder, ...others] = given.words;
    if (others.length > 0) throw wrongWords(given, '[TEMPLATE]', '[FOLDER]');
    const named = template === undefined ? {} : { template: readTemplate(template) };
    return { ...named, folder: folder || template || '.' };
  },
  run({ template, folder }) {
    if (template === undefined) {
      process.stdout.write(describeTemplates(`${PROGRAM} init`));
      return exitCodes.finished;
    }
    const templates = fileURLToPath(new URL('../../templates/', import.meta.url));
    const files = createProject(template, folder, { templates, version, sdk: sdkRange() });
    process.stdout.write(describeProject(template, folder, files));
    return exitCodes.finished;
  },
});

/** The range that this package names as its peer, or the repository's version. */
function sdkRange(): string {
  const { dependencies, peerDependencies = dependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return peerDependencies['@aws-sdk/client-sqs'];
}
