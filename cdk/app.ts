/** The CDK app: `cdk deploy` runs it as `cdk.json` says. */
import { App } from 'aws-cdk-lib';
import { InvalidConfig } from '../shared/crawl/config.ts';
import { readProject } from '../shared/project/project-file.ts';
import { CrawlerStack } from './crawler-stack.ts';
import { InvalidOptions } from './invalid-options.ts';
import { optionsInContext, parseOptions, projectFileIn } from './options.ts';
import { propsOf } from './props-options.ts';

const app = new App();
try {
  const context: Record<string, unknown> = app.node.getAllContext();
  const project = await readProject(projectFileIn(context));
  const { crawl, aws, path } = project;
  if (project.onFinish !== undefined)
    process.stderr.write(`${project.file}: a stack does not call onFinish; crawls on one machine do\n`);
  const options = parseOptions({ ...aws, ...optionsInContext(context) });
  new CrawlerStack(app, options.stackName, { ...propsOf(options), crawl, configFile: path });
} catch (error) {
  if (!(error instanceof InvalidOptions || error instanceof InvalidConfig)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
