import { describe, expect, test } from 'vitest';
import type { Archive } from '../../cdk/constructs/archive.ts';
import type { Frontier } from '../../cdk/constructs/frontier.ts';
import type { State } from '../../cdk/constructs/state.ts';
import { FUNCTIONS, type FunctionName, PERMISSIONS } from '../../cdk/permissions.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

/** As long as a name may be. */
const LONG_NAME = 'S'.repeat(64);

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const plain = synthesized({ turnQueues: 2 });
const sharded = synthesized({ turnQueues: 64, linkShards: 64, maxConcurrency: 128, stackName: LONG_NAME });
const traced = synthesized({ tracing: true });
const signing = synthesized({
  identityParameter: '/strand/news/identity',
  webhookParameter: '/strand/news/webhook',
  secretsParameter: '/strand/news/secrets',
});

/** Below which prefix a function may list keys. */
const LISTED: Readonly<Record<string, string | string[]>> = {
  warcList: 'warc/*',
  partsList: 'parts/*',
  itemsList: ['staged-items/*', 'staged-changes/*'],
  changesList: 'changes/*',
  stateLists: [
    'parts/*',
    'index/*',
    'item-tables/*',
    'staged-items/*',
    'staged-changes/*',
    'items/*',
    'skips/*',
    'changes/*',
    'exports/*',
    'export-work/*',
  ],
  exportLists: ['export-work/*', 'items/*'],
};

/** Under which condition it is granted. */
function conditionOf(stack: string, name: FunctionName, resource: string): object | undefined {
  if (LISTED[resource]) return { StringLike: { 's3:prefix': LISTED[resource] } };
  if (resource !== 'eventBus') return undefined;
  const ownType = OWN_TYPES[name];
  return {
    'ForAllValues:StringEquals': {
      'events:source': `strand.${stack}`,
      ...(ownType && { 'events:detail-type': ownType }),
    },
    Null: { 'events:source': 'false', ...(ownType && { 'events:detail-type': 'false' }) },
  };
}

/** The only type of event that a function may put on the bus. */
const OWN_TYPES: Partial<Record<FunctionName, string>> = {
  worker: 'startSmallWorker',
  api: 'exportMore',
  compactor: 'compactMore',
  exporter: 'exportMore',
};

const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** `ACTION on RESOURCE`, one line for each pair. */
function granted({ resources }: Synthesized, name: FunctionName): string[] {
  const id = `Functions${name.charAt(0).toUpperCase()}${name.slice(1)}Role`;
  return Object.values(resources('AWS::IAM::Policy'))
    .filter(({ Properties }) => Properties.Roles.some((role: { Ref: string }) => role.Ref.startsWith(id)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[])
    .flatMap(({ Effect, Action, Resource, Condition }) =>
      listOf(Action).flatMap((action) =>
        listOf(Resource).map((resource) => line(Effect, action, resource, Condition)),
      ),
    )
    .sort();
}

const line = (effect: string, action: string, resource: unknown, condition?: unknown): string =>
  `${effect} ${action} on ${JSON.stringify(resource)}${condition ? ` if ${JSON.stringify(condition)}` : ''}`;

/** Returns the entries of the list of permissions, in the same lines. */
function listed({ stack, resources }: Synthesized, name: FunctionName): string[] {
  const { startQueue, linkQueue, linkShards, linkDeadLetters, turnDeadLetters } =
    stack.crawler.node.findChild('Frontier') as Frontier;
  const { crawlState, urlSeen } = stack.crawler.node.findChild('State') as State;
  const { bucket } = stack.crawler.node.findChild('Archive') as Archive;
  const queueArn = (resource: string) => stack.formatArn({ service: 'sqs', resource });
  const arns: Record<string, string[]> = {
    turnQueues: ['turns', 'backlog'].map((kind) => queueArn(`${stack.stackName}-${kind}-*.fifo`)),
    startQueue: [startQueue.queueArn],
    linkQueue: [linkQueue.queueArn],
    linkShards: linkShards.queues.length > 0 ? [queueArn(`${stack.stackName}-links-*`)] : [],
    linkDeadLetters: [linkDeadLetters.queueArn],
    turnDeadLetters: [turnDeadLetters.queueArn],
    crawlState: [crawlState.tableArn],
    dueIndex: [`${crawlState.tableArn}/index/due`],
    urlSeen: [urlSeen.tableArn],
    warc: [`${bucket.bucketArn}/warc/*`],
    warcList: [bucket.bucketArn],
    tables: [`${bucket.bucketArn}/index/*`, `${bucket.bucketArn}/item-tables/*`],
    uploads: [bucket.bucketArn],
    parts: [`${bucket.bucketArn}/parts/*`],
    items: ['items', 'skips', 'changes'].map((folder) => `${bucket.bucketArn}/${folder}/*`),
    stagedItems: ['staged-items', 'staged-changes'].map((folder) => `${bucket.bucketArn}/${folder}/*`),
    changes: [`${bucket.bucketArn}/changes/*`],
    partsList: [bucket.bucketArn],
    changesList: [bucket.bucketArn],
    itemsList: [bucket.bucketArn],
    stateLists: [bucket.bucketArn],
    exports: [`${bucket.bucketArn}/exports/*`],
    exportWork: [`${bucket.bucketArn}/export-work/*`],
    exportLists: [bucket.bucketArn],
    eventBus: [stack.formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' })],
    identity: [],
    webhook: [],
    webhookSecret: [],
    secrets: [],
    crawlSecrets: [],
    accountParameters: [],
    accountSecrets: [],
    renderer: [],
  };
  const log = Object.keys(resources('AWS::Logs::LogGroup')).find((id) =>
    id.startsWith(`Functions${name.charAt(0).toUpperCase()}${name.slice(1)}Log`),
  );
  const logArn = { 'Fn::GetAtt': [log, 'Arn'] };
  return [
    ...Object.entries(PERMISSIONS[name]).flatMap(([resource, actions]) =>
      actions.flatMap((action) =>
        (arns[resource] as string[]).map((arn) =>
          line('Allow', action, stack.resolve(arn), conditionOf(stack.stackName, name, resource)),
        ),
      ),
    ),
    line('Allow', 'logs:CreateLogStream', logArn),
    line('Allow', 'logs:PutLogEvents', logArn),
  ].sort();
}

describe('least privilege', () => {
  test.each(FUNCTIONS)('%s may do what the list says and nothing else', (name) => {
    expect(granted(plain, name)).toEqual(listed(plain, name));
  });

  test.each(FUNCTIONS)('%s may do so in a stack of very many queues, too, by patterns of names', (name) => {
    expect(granted(sharded, name)).toEqual(listed(sharded, name));
  });

  test('an inline policy has 10,240 characters at most', () => {
    for (const { Properties } of Object.values(sharded.resources('AWS::IAM::Policy')))
      expect(JSON.stringify(Properties.PolicyDocument).length).toBeLessThan(9000);
  });

  test.each(FUNCTIONS)('%s may also write traces where they are wanted', (name) => {
    const more = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'].map((action) =>
      line('Allow', action, '*'),
    );
    expect(granted(traced, name)).toEqual([...listed(traced, name), ...more].sort());
  });

  test('the worker alone may read the identity and the secrets, and the waker the webhook, where the stack has them', () => {
    const reads = (name: string) => {
      const arn = signing.stack.formatArn({ service: 'ssm', resource: `parameter/strand/news/${name}` });
      return line('Allow', 'ssm:GetParameter', signing.stack.resolve(arn));
    };
    const more: Partial<Record<FunctionName, string[]>> = {
      worker: [reads('identity'), reads('secrets')],
      waker: [reads('webhook')],
    };
    for (const name of FUNCTIONS) {
      expect(granted(signing, name)).toEqual([...listed(signing, name), ...(more[name] ?? [])].sort());
      expect(JSON.stringify(granted(plain, name))).not.toContain('ssm:');
    }
  });

  test('a secret of the Secrets Manager is read by the same function, and no other secret is', () => {
    const referring = synthesized({
      webhookParameter: '/aws/reference/secretsmanager/hook',
      secretsParameter: '/aws/reference/secretsmanager/news/crawls',
    });
    const { stack } = referring;
    const reads = (name: string) => [
      line(
        'Allow',
        'ssm:GetParameter',
        stack.resolve(
          stack.formatArn({ service: 'ssm', resource: `parameter/aws/reference/secretsmanager/${name}` }),
        ),
      ),
      line(
        'Allow',
        'secretsmanager:GetSecretValue',
        stack.resolve(stack.formatArn({ service: 'secretsmanager', resource: `secret:${name}-??????` })),
      ),
    ];
    const more: Partial<Record<FunctionName, string[]>> = {
      worker: reads('news/crawls'),
      waker: reads('hook'),
    };
    for (const name of FUNCTIONS) {
      expect(granted(referring, name)).toEqual([...listed(referring, name), ...(more[name] ?? [])].sort());
      expect(JSON.stringify(granted(signing, name))).not.toContain('secretsmanager:');
    }
  });

  test('the worker alone may read the secrets that the accounts name, and no others', () => {
    const references = ['aws:secrets/members/reader', 'aws:ssm/strand/members/writer', 'aws:ssm/plain'];
    const members = synthesized({}, undefined, references);
    const reads = (action: string, service: string, resource: string) =>
      line('Allow', action, members.stack.resolve(members.stack.formatArn({ service, resource })));
    const more = [
      ...['aws/reference/secretsmanager/members/reader', 'strand/members/writer', 'plain'].map((name) =>
        reads('ssm:GetParameter', 'ssm', `parameter/${name}`),
      ),
      reads('secretsmanager:GetSecretValue', 'secretsmanager', 'secret:members/reader-??????'),
    ];
    for (const name of FUNCTIONS)
      expect(granted(members, name)).toEqual(
        [...listed(members, name), ...(name === 'worker' ? more : [])].sort(),
      );
  });

  test('nothing is granted on everything, neither by action nor by resource', () => {
    const lines = FUNCTIONS.flatMap((name) => granted(plain, name));
    for (const each of lines) expect(each).not.toMatch(/:\*|on "\*"/);
    const policies = plain.resources('AWS::IAM::Policy');
    expect(Object.keys(policies)).toHaveLength(FUNCTIONS.length);
  });

  test('no function scans a table', () => {
    for (const name of FUNCTIONS) expect(granted(plain, name).join()).not.toContain('dynamodb:Scan');
  });

  test('each role is for functions of this account', () => {
    const own = Object.entries(plain.resources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('Functions'),
    );
    expect(own).toHaveLength(FUNCTIONS.length);
    for (const [, { Properties }] of own)
      expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
        {
          Action: 'sts:AssumeRole',
          Effect: 'Allow',
          Principal: { Service: 'lambda.amazonaws.com' },
          Condition: { StringEqualsIfExists: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ]);
  });

  test('no role has a managed policy', () => {
    for (const given of [{}, { removalPolicy: 'destroy' }]) {
      for (const { Properties } of Object.values(synthesized(given).resources('AWS::IAM::Role'))) {
        expect(Properties.ManagedPolicyArns).toBeUndefined();
        expect(Properties.Policies).toBeUndefined();
      }
    }
  });

  test('the router alone may send to the dead letters and to link shards, and nobody may change tables or queues', () => {
    const actions = FUNCTIONS.flatMap((name) => Object.values(PERMISSIONS[name]).flat());
    for (const action of actions)
      expect(action).not.toMatch(/Create|Tag|Policy|DeleteTable|DeleteQueue|Purge/);
    const senders = FUNCTIONS.filter((name) =>
      PERMISSIONS[name].linkDeadLetters?.includes('sqs:SendMessage'),
    );
    expect(senders).toEqual(['router']);
    const sorters = FUNCTIONS.filter((name) => PERMISSIONS[name].linkShards?.includes('sqs:SendMessage'));
    expect(sorters).toEqual(['router']);
  });
});
