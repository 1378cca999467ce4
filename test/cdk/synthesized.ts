import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { Annotations, Template } from 'aws-cdk-lib/assertions';
import { CrawlerStack } from '../../cdk/crawler-stack.ts';
import { parseOptions } from '../../cdk/options.ts';
import { lazy } from '../../shared/core/base/lazy.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shapes, looked into by tests only.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
}

export interface Synthesized {
  readonly stack: CrawlerStack;
  readonly template: Template;
  /** Warnings and errors of the CDK. */
  readonly annotations: Annotations;
  /** The resources of a type, by logical id. */
  resources(type: string): Readonly<Record<string, Resource>>;
  /** The one resource of a type whose logical id begins so. */
  one(type: string, idPrefix: string): Resource;
}

/**
 * An app whose functions have no code, without stack traces and the CDK's own check of templates: these take more than
 * half of a synthesis. `no-terminal.test.ts` runs the app with them.
 */
export const quickApp = (outdir: string, context: AppProps['context'] = {}): App =>
  new App({
    outdir,
    context: { ...context, 'aws:cdk:bundling-stacks': [] },
    stackTraces: false,
    builtinCloudFormationValidation: false,
  });

/** The stack as `cdk deploy` would make it, but for the functions' code. */
export function synthesized(
  given: Record<string, unknown> = {},
  crawl?: CrawlOptions,
  accountSecrets: readonly string[] = [],
): Synthesized {
  // The CDK would make a folder for each app, and leave it.
  const outdir = mkdtempSync(join(tmpdir(), 'strand-cdk-'));
  const app = quickApp(outdir, context);
  const { stackName: name, ...props } = parseOptions(given);
  const stack = new CrawlerStack(app, name, { ...props, name, ...(crawl && { crawl }), accountSecrets });
  const template = Template.fromStack(stack);
  // It is a synthesis of its own, of which few tests make use.
  const annotations = lazy(() => {
    mkdirSync(outdir);
    try {
      return Annotations.fromStack(stack);
    } finally {
      rmSync(outdir, { recursive: true });
    }
  });
  rmSync(outdir, { recursive: true });
  const resources = (type: string) => template.findResources(type) as Record<string, Resource>;
  return {
    stack,
    template,
    get annotations() {
      return annotations();
    },
    resources,
    one(type, idPrefix) {
      const found = Object.entries(resources(type)).filter(([id]) => id.startsWith(idPrefix));
      if (found.length !== 1) throw new Error(`${found.length} resources ${type} ${idPrefix}`);
      return found[0]![1];
    },
  };
}

/** A function of the stack: `Worker`, `Router`, `Waker`, `Api`, `Compactor`. */
export const functionOf = (from: Synthesized, name: string): Resource =>
  from.one('AWS::Lambda::Function', `Functions${name}Function`);

/**
 * Settings as JSON, with each placeholder as the logical id that it represents. The URL of a queue with a
 * name of its own is `https://sqs/NAME`.
 */
export function settingsIn(value: unknown): unknown {
  const { 'Fn::Join': join } = value as { 'Fn::Join': [string, (string | Placeholder)[]] };
  return JSON.parse(join[1].map(textOf).join(''));
}

interface Placeholder {
  readonly Ref?: string;
  /** The text before the name of the first queue of a kind. */
  readonly 'Fn::Select'?: [0, { 'Fn::Split': [string, { Ref: string }] }];
}

function textOf(part: string | Placeholder): string | undefined {
  if (typeof part === 'string') return part;
  return part['Fn::Select'] ? 'https://sqs/' : part.Ref;
}
