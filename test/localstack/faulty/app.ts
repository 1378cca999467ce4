/** A CDK app: the stack of `cdk/app.ts`, whose worker is the one with faults in this folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { bundleFunction } from '../../../cdk/bundle-function.ts';
import { CrawlerStack } from '../../../cdk/crawler-stack.ts';
import { optionsInContext, parseOptions, projectFileIn } from '../../../cdk/options.ts';

const ENTRY = join(import.meta.dirname, 'worker.ts');

const app = new App();
const context: Record<string, unknown> = app.node.getAllContext();
/** Its hooks run in the worker. */
const PROJECT = resolve(projectFileIn(context) ?? join(import.meta.dirname, 'project.ts'));
const { stackName: name, ...props } = parseOptions(optionsInContext(context));
const stack = new CrawlerStack(app, name, { ...props, name });
const outdir = mkdtempSync(join(tmpdir(), 'strand-faulty-worker-'));
try {
  bundleFunction('worker', { outdir, entry: ENTRY, configFile: PROJECT, sourcemap: true });
  const { s3BucketName, s3ObjectKey } = new Asset(stack, 'FaultyWorker', { path: outdir });
  const worker = stack.crawler.functions.worker.node.defaultChild as CfnFunction;
  worker.code = { s3Bucket: s3BucketName, s3Key: s3ObjectKey };
} finally {
  rmSync(outdir, { recursive: true });
}
