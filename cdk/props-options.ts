import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { WebhookTarget } from '../shared/services/webhook/webhook.ts';
import type { CrawlerProps } from './crawler-props.ts';
import { InvalidOptions } from './invalid-options.ts';
import { parseOptions, type StackOptions } from './options.ts';

/** Props that are not options: resources, and props that do not concern the stack itself. */
type Other =
  | 'name'
  | 'crawl'
  | 'configFile'
  | 'bucket'
  | 'tables'
  | 'encryptionKey'
  | 'alarmTopic'
  | 'vpc'
  | 'vpcSubnets'
  | 'securityGroups';

/** The options that the props represent. Throws `InvalidOptions` with a line for each that is wrong. */
export function optionsOf(stackName: string, props: CrawlerProps): StackOptions {
  const { logRetention, workerTimeout, routerWindow, minDelay, minIpDelay, ...rest } = withoutOthers(props);
  const given = {
    ...rest,
    stackName,
    logRetentionDays: logRetention,
    workerTimeout: workerTimeout?.toSeconds(),
    routerWindow: routerWindow?.toSeconds(),
    minDelay: minDelay && minDelay.toMilliseconds() / 1000,
    minIpDelay: minIpDelay && minIpDelay.toMilliseconds() / 1000,
  };
  return parseOptions(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

function withoutOthers(props: CrawlerProps): Omit<CrawlerProps, Other> {
  const {
    name: _name,
    crawl: _crawl,
    configFile: _configFile,
    bucket: _bucket,
    tables: _tables,
    encryptionKey: _encryptionKey,
    alarmTopic: _alarmTopic,
    vpc: _vpc,
    vpcSubnets: _vpcSubnets,
    securityGroups: _securityGroups,
    ...options
  } = props;
  return options;
}

/** The props that the options represent. */
export function propsOf(options: StackOptions): CrawlerProps & { readonly name: string } {
  const {
    stackName,
    logRetentionDays,
    workerTimeout,
    routerWindow,
    minDelay,
    minIpDelay,
    adopt: _adopt,
    kmsKey: _kmsKey,
    ...rest
  } = options;
  return {
    ...rest,
    name: stackName,
    removalPolicy: rest.removalPolicy as RemovalPolicy.RETAIN | RemovalPolicy.DESTROY,
    logRetention: logRetentionDays as number,
    workerTimeout: Duration.seconds(workerTimeout),
    routerWindow: Duration.seconds(routerWindow),
    ...(minDelay !== undefined && { minDelay: Duration.millis(Math.round(minDelay * 1000)) }),
    ...(minIpDelay !== undefined && { minIpDelay: Duration.millis(Math.round(minIpDelay * 1000)) }),
  };
}

/** Throws `InvalidOptions` if the project has a webhook, which a template must not hold, and the stack has none of its own. */
export function checkWebhook(webhook: WebhookTarget | undefined, { webhookParameter }: StackOptions): void {
  if (webhook === undefined || webhookParameter !== undefined) return;
  throw new InvalidOptions(
    'webhook: a stack keeps its webhook in a parameter of the Systems Manager: set the option webhookParameter, such as ' +
      '/strand/webhook, and make the parameter: aws ssm put-parameter --name /strand/webhook --type SecureString --value ' +
      `'{"url": "https://...", "secret": "..."}'`,
  );
}
