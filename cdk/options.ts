/**
 * The options of a stack, checked: the props of a construct, or texts from the command line and `cdk.json`
 * (`-c workerTimeout=300`), over the key `aws` of `strand.config.ts`.
 */
import { z } from 'zod';
import { didYouMean } from '../shared/core/text/nearest.ts';
import { shorten } from '../shared/core/text/printable.ts';
import { LEAST_RENDERING_WORKER_S } from '../shared/engines/aws/renderer-size.ts';
import type { WebhookTarget } from '../shared/services/webhook/webhook.ts';
import type { CrawlerProps } from './crawler-props.ts';
import { InvalidOptions } from './invalid-options.ts';
import { inSeconds } from './option-kinds.ts';
import type { StackOption } from './stack-option.ts';
import { ADOPTED, STACK_OPTION_LIST, STACK_OPTIONS } from './stack-options.ts';

/** A stack's options, complete. */
export type StackOptions = {
  readonly [Key in keyof typeof STACK_OPTIONS]: (typeof STACK_OPTIONS)[Key] extends StackOption<
    unknown,
    infer Out
  >
    ? Out
    : never;
};

const stackOptionsSchema = z.strictObject(
  Object.fromEntries(STACK_OPTION_LIST.map(([key, { schema }]) => [key, schema as z.ZodType])),
);

/** Faults that are named. */
const MAX_FAULTS = 50;
const MAX_SHOWN = 200;

/** The complete options. Throws {@link InvalidOptions} with a line for each that is unknown or wrong. */
export function parseOptions(given: Readonly<Record<string, unknown>>): StackOptions {
  const parsed = stackOptionsSchema.safeParse(given);
  if (!parsed.success) {
    // A list may have many wrong parts.
    const lines = parsed.error.issues.slice(0, MAX_FAULTS).flatMap(linesOf(given));
    throw new InvalidOptions([...new Set(lines)].join('\n'));
  }
  const options = parsed.data as unknown as StackOptions;
  const { maxConcurrency, turnQueues } = options;
  if (maxConcurrency < 2 * turnQueues) {
    throw new InvalidOptions(
      `Option maxConcurrency: expected at least 2 workers for each of ${turnQueues} turnQueues, got ${maxConcurrency}`,
    );
  }
  if (options.catalog && !options.indexTables)
    throw new InvalidOptions('Option catalog: expected indexTables=true, whose tables it is for, got false');
  const { archiveClass, archiveClassAfterDays, archiveDays = Infinity } = options;
  // S3 refuses a lifecycle rule that moves objects which it has deleted by then.
  if (archiveClass !== 'STANDARD' && archiveDays <= archiveClassAfterDays)
    throw new InvalidOptions(
      `Option archiveDays: expected more than archiveClassAfterDays, ${archiveClassAfterDays}, or archiveClass=STANDARD, got ${archiveDays}`,
    );
  if (options.rendering && options.workerTimeout < LEAST_RENDERING_WORKER_S)
    throw new InvalidOptions(
      `Option workerTimeout: expected at least ${LEAST_RENDERING_WORKER_S} with rendering, got ${options.workerTimeout}`,
    );
  if (options.budgetUsd !== undefined && options.alarmEmail === undefined)
    throw new InvalidOptions('Option budgetUsd: expected alarmEmail, the address to which it is mailed');
  return options;
}

/** Props that are not options: resources, and props that do not concern the stack itself. */
const OTHER_PROPS: Readonly<Record<Exclude<keyof CrawlerProps, keyof StackOptions>, true>> = {
  name: true,
  crawl: true,
  configFile: true,
  accountSecrets: true,
  bucket: true,
  tables: true,
  encryptionKey: true,
  alarmTopic: true,
  vpc: true,
  vpcSubnets: true,
  securityGroups: true,
};

/** The options that are among the props. Throws {@link InvalidOptions} with a line for each that is wrong. */
export function optionsOf(stackName: string, props: CrawlerProps): StackOptions {
  const isOption = ([key, value]: [string, unknown]) =>
    value !== undefined && !Object.hasOwn(OTHER_PROPS, key);
  return parseOptions({ ...Object.fromEntries(Object.entries(props).filter(isOption)), stackName });
}

/** The options among the context of a CDK app, whose own keys have a `:`, a `/` or an `@` in them. */
export function optionsInContext(context: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOption = (key: string) => !/[:/@]/.test(key) && !NO_OPTIONS.has(key);
  return Object.fromEntries(Object.entries(context).filter(([key]) => isOption(key)));
}

/** The project's file, where the context names one (`-c config=FILE`). Throws {@link InvalidOptions}. */
export function projectFileIn({ config }: Readonly<Record<string, unknown>>): string | undefined {
  if (config === undefined || (typeof config === 'string' && config !== '')) return config;
  throw new InvalidOptions(`Option config: expected the path of a file, got ${JSON.stringify(config)}`);
}

/** `config` names the project's file; the others are the CDK command line's. */
const NO_OPTIONS: ReadonlySet<string> = new Set(['config', 'acknowledged-issue-numbers', 'cli-telemetry']);

const linesOf =
  (given: Readonly<Record<string, unknown>>) =>
  (issue: z.core.$ZodIssue): string[] => {
    const names = Object.keys(STACK_OPTIONS);
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      return issue.keys.slice(0, MAX_FAULTS).map((key) => {
        const hint = didYouMean(key, names, `expected one of ${names.join(', ')}`);
        return `There is no option ${key}: ${hint}`;
      });
    }
    const name = String(issue.path[0]);
    // Keys that an object of an option does not have.
    const expected = issue.code === 'unrecognized_keys' ? ADOPTED : issue.message;
    const came = shorten(String(JSON.stringify(inSeconds(given[name]))), MAX_SHOWN);
    return [`Option ${name}: expected ${expected}, got ${came}`];
  };

/** Throws `InvalidOptions` if the project has a webhook, which a template must not hold, and the stack has none of its own. */
export function checkWebhook(webhook: WebhookTarget | undefined, { webhookParameter }: StackOptions): void {
  if (webhook === undefined || webhookParameter !== undefined) return;
  throw new InvalidOptions(
    'webhook: a stack keeps its webhook in a parameter of the Systems Manager: set the option webhookParameter, such as ' +
      '/strand/webhook, and make the parameter: aws ssm put-parameter --name /strand/webhook --type SecureString --value ' +
      `'{"url": "https://...", "secret": "..."}'`,
  );
}
