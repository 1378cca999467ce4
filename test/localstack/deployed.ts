/** The real stack, deployed on the emulator by the CDK's own command line, and what tests ask of it. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { parseStackSettings, type StackSettings } from '../../shared/engines/aws/settings.ts';
import { type OpenedStack, openStack } from '../../shared/engines/aws/stack.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { functionLogs } from './emulator/announced.ts';
import { CLIENT_OPTIONS } from './resources.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The emulator's account for the access key `test`. */
const ACCOUNT = '000000000000';

export interface Deployed {
  readonly name: string;
  /** The stack's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly settings: StackSettings;
  /** Opened as an operator's command line opens it. */
  readonly stack: OpenedStack;
  /** Deploys it again, with other options. */
  update(options: Readonly<Record<string, string>>): Promise<void>;
  /** A call of its API, through API Gateway. */
  call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>;
  /** Messages in its dead-letter queues, with their reasons. */
  deadLetters(): Promise<string[]>;
  destroy(): Promise<void>;
}

/** Variables under which the CDK and the SDK find the emulator. */
export const ENVIRONMENT = {
  ...process.env,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  CDK_DISABLE_CLI_TELEMETRY: '1',
  // The CDK's own check of templates takes more than half of a synthesis: `test/cdk/no-terminal.test.ts` has it.
  CDK_VALIDATION: 'false',
  // `cdk.json` says `node`: the one that runs the tests.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};

export const cdk = (...args: string[]): Promise<string> => cdkIn(ROOT, args);

/** The emulator calls a stack complete a moment before it has its outputs, and the CDK may ask between the two. */
async function outputsOf(StackName: string): Promise<Record<string, string>> {
  const client = new CloudFormationClient(CLIENT_OPTIONS);
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

async function cdkIn(cwd: string, args: readonly string[]): Promise<string> {
  const bin = join(ROOT, 'node_modules/aws-cdk/bin/cdk');
  const options = { cwd, env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024, timeout: 900_000 };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [bin, ...args, '--no-notices', '--ci'],
    options,
  );
  return stdout + stderr;
}

/** A parameter that is there once a test file has begun to bootstrap. Its value says whether that is over. */
const BOOTSTRAP = { Name: '/strand-tests/bootstrap', Type: 'String' } as const;

/** Bootstraps the emulator's account. Several test files may call it at once: the first one does it, and the others wait. */
export async function bootstrap(folder: string): Promise<void> {
  const ssm = new SSMClient(CLIENT_OPTIONS);
  try {
    await ssm.send(new PutParameterCommand({ ...BOOTSTRAP, Value: 'begun' }));
  } catch (error) {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
    const isOver = async () => {
      const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP.Name }));
      return Parameter?.Value === 'over';
    };
    return until(isOver, 'a bootstrapped account');
  }
  try {
    // In a folder without `cdk.json`: else it synthesizes the app, to look for environments.
    await cdkIn(folder, ['bootstrap', `aws://${ACCOUNT}/us-east-1`]);
  } catch (error) {
    // Those that wait fail at once then, and a later run tries again.
    await ssm.send(new DeleteParameterCommand({ Name: BOOTSTRAP.Name }));
    throw error;
  }
  await ssm.send(new PutParameterCommand({ ...BOOTSTRAP, Value: 'over', Overwrite: true }));
}

/**
 * Bootstraps the emulator's account and deploys, with these options beside those that suit an emulator. `app`
 * is the command of another CDK app than `cdk.json` names.
 */
export async function deploy(
  options: Readonly<Record<string, string>> = {},
  app?: string,
): Promise<Deployed> {
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const folder = mkdtempSync(join(tmpdir(), 'strand-cdk-'));
  const name = `Strand-${randomBytes(4).toString('hex')}`;
  const file = join(folder, 'outputs.json');
  const given = {
    stackName: name,
    workerTimeout: '60',
    hostsPerWorker: '20',
    maxConcurrency: '4',
    routerWindow: '1',
    removalPolicy: 'destroy',
    allowPrivateAddresses: '127.0.0.0/8',
    ...options,
  };
  const put = (more: Readonly<Record<string, string>>) => {
    const context = Object.entries({ ...given, ...more }).flatMap(([key, value]) => [
      '-c',
      `${key}=${value}`,
    ]);
    return cdk(
      'deploy',
      '--require-approval',
      'never',
      '--output',
      join(folder, 'out'),
      '-O',
      file,
      ...(app === undefined ? [] : ['--app', app]),
      ...context,
    );
  };
  await bootstrap(folder);
  await put({});
  const outputs: Record<string, string> =
    JSON.parse(readFileSync(file, 'utf8'))[name] ?? (await outputsOf(name));
  const settings = parseStackSettings(outputs.Settings);
  const stack = openStack(settings, { clock: systemClock });
  const { sqs } = stack.clients;
  let isDestroyed = false;
  return {
    name,
    outputs,
    settings,
    stack,
    async update(more) {
      await put(more);
    },
    async call(method, path, body) {
      const response = await fetch(`${CLIENT_OPTIONS.endpoint}/_aws/execute-api/${outputs.ApiId}/v1${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as never };
    },
    async deadLetters() {
      const found: string[] = [];
      for (const QueueUrl of [outputs.TurnDeadLetterUrl, outputs.LinkDeadLetterUrl]) {
        const { Attributes } = await sqs.send(
          new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
        );
        if (Attributes?.ApproximateNumberOfMessages === '0') continue;
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl,
            MaxNumberOfMessages: 10,
            MessageAttributeNames: ['All'],
            VisibilityTimeout: 0,
          }),
        );
        for (const { Body, MessageAttributes } of Messages)
          found.push(`${MessageAttributes?.reason?.StringValue ?? 'no reason'}: ${Body}`);
      }
      return found;
    },
    async destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      stack.close();
      // The app as it was synthesized last.
      await cdk('destroy', '--force', '--app', join(folder, 'out'));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks until `isTrue` says so. */
export async function until(
  isTrue: () => Promise<boolean>,
  what: string,
  timeoutMs = 600_000,
): Promise<void> {
  const endsAt = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > endsAt) throw new Error(`Expected ${what} within ${timeoutMs / 1000} s`);
    await systemClock.sleep(1000);
  }
}

/** Prints what its functions have logged as errors, and what waits in its queues, for a test that failed. */
export async function printErrors(deployed: Deployed | undefined): Promise<void> {
  const folder = functionLogs();
  if (!folder || !deployed || !existsSync(folder)) return;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.includes(deployed.name) && name.endsWith('.log'))) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    // An error that a test's hook leaves behind on each page says nothing.
    const errors = lines.filter((line) => /error/i.test(line) && !line.includes('"source":"onPage"'));
    if (errors.length > 0) console.log([file, ...errors.slice(-20)].join('\n'));
  }
  const { turnQueueUrls, startQueueUrl, linkQueueUrl } = deployed.settings;
  for (const url of [...turnQueueUrls, startQueueUrl, linkQueueUrl]) {
    if (url === undefined) continue;
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
    const { Attributes } = await deployed.stack.clients.sqs.send(command);
    const counts = Object.entries(Attributes ?? {}).filter(([name]) => name.startsWith('Approximate'));
    console.log(url, JSON.stringify(Object.fromEntries(counts)));
  }
  console.log('workers', JSON.stringify(await deployed.stack.engine.workers.members(0)));
}
