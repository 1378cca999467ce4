/** The CDK app: `cdk deploy` runs it as `cdk.json` says. */
import { App } from 'aws-cdk-lib';
import { InvalidConfig } from '../shared/core/crawl/config.ts';
import { readProject } from '../shared/services/project/project-file.ts';
import { fittedOptions, readConcurrencyLimit } from './account-limit.ts';
import { stackSecretsOf } from './account-secrets.ts';
import { CrawlerStack } from './crawler-stack.ts';
import { InvalidOptions } from './invalid-options.ts';
import { notices } from './notices.ts';
import { checkWebhook, optionsInContext, parseOptions, projectFileIn } from './options.ts';

const app = new App();
try {
  const context: Record<string, unknown> = app.node.getAllContext();
  const project = await readProject(projectFileIn(context));
  const { crawl, aws, path, webhook, accounts } = project;
  const given = parseOptions({ ...aws, ...optionsInContext(context) });
  checkWebhook(webhook, given);
  const accountSecrets = stackSecretsOf(accounts);
  // The CDK's command line sets it if it has found credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  const { options, line } = account
    ? await fittedOptions(given, () => readConcurrencyLimit(region))
    : { options: given, line: undefined };
  for (const text of [...(line === undefined ? [] : [line]), ...notices(options)])
    process.stderr.write(`${text}\n`);
  const { stackName: name, ...props } = options;
  new CrawlerStack(app, name, { ...props, name, crawl, configFile: path, accountSecrets });
} catch (error) {
  if (!(error instanceof InvalidOptions || error instanceof InvalidConfig)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
