#!/usr/bin/env node
/** `npm create strand-crawler TEMPLATE FOLDER`: what `strand init` does, without the crawler. */
import { fileURLToPath } from 'node:url';
import {
  createProject,
  describeProject,
  describeTemplates,
  readTemplate,
} from '../cli/init/create-project.ts';
import { UsageError } from '../cli/usage-error.ts';
import manifest from '../package.json' with { type: 'json' };

try {
  const [template, folder, ...others] = process.argv.slice(2);
  if (others.length > 0)
    throw new UsageError('Expected npm create strand-crawler [TEMPLATE] [FOLDER], got more words');
  if (template === undefined) {
    process.stdout.write(describeTemplates('npm create strand-crawler'));
  } else {
    const name = readTemplate(template);
    const files = createProject(name, folder ?? name, {
      templates: fileURLToPath(new URL('templates/', import.meta.url)),
      version: manifest.version,
      sdk: `^${manifest.dependencies['@aws-sdk/client-sqs']}`,
    });
    process.stdout.write(describeProject(name, folder ?? name, files));
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`create-strand-crawler: ${error.message}\n`);
  process.exitCode = 2;
}
