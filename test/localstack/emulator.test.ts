/**
 * Tests of an emulator's features that the stack needs beyond the single calls: functions, event source
 * mappings, CloudFormation.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionLogs } from './emulator/announced.ts';
import { template } from './function-template.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';

const MAX_CONCURRENCY = 2;
const VISIBILITY_S = 4;

/** The report of the function about a message. */
interface Report {
  readonly body: string;
  readonly tries: number;
  readonly pid: number;
  readonly begunMs: number;
  readonly endedMs: number;
  readonly remainingMs: number;
  readonly fromEnvironment: string;
}

describe.runIf(hasEmulator())('an emulator', () => {
  const cloudFormation = new CloudFormationClient(CLIENT_OPTIONS);
  const sqs = new SQSClient(CLIENT_OPTIONS);
  const StackName = `emulator-${randomBytes(4).toString('hex')}`;
  let outputs: Record<string, string>;

  beforeAll(async () => {
    const TemplateBody = template({ maxConcurrency: MAX_CONCURRENCY, visibilityS: VISIBILITY_S });
    await cloudFormation.send(
      new CreateStackCommand({ StackName, TemplateBody, Capabilities: ['CAPABILITY_IAM'] }),
    );
    const waiter = { client: cloudFormation, maxWaitTime: 100, minDelay: 1, maxDelay: 1 };
    await waitUntilStackCreateComplete(waiter, { StackName });
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    outputs = Object.fromEntries(
      Stacks![0]!.Outputs!.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
  });
  afterAll(async () => {
    await cloudFormation.send(new DeleteStackCommand({ StackName }));
    const waiter = { client: cloudFormation, maxWaitTime: 100, minDelay: 1, maxDelay: 1 };
    await waitUntilStackDeleteComplete(waiter, { StackName });
    cloudFormation.destroy();
    sqs.destroy();
  });

  const send = (group: string, body: string) =>
    sqs.send(
      new SendMessageCommand({
        QueueUrl: outputs.Work,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: randomBytes(8).toString('hex'),
      }),
    );

  /** The next reports of the function: `count`, or until one is about a message with this body. */
  async function reports(until: number | string): Promise<Report[]> {
    const found: Report[] = [];
    while (typeof until === 'number' ? found.length < until : found.at(-1)?.body !== until) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: outputs.Reports,
          WaitTimeSeconds: 20,
          MaxNumberOfMessages: 10,
        }),
      );
      for (const { Body, ReceiptHandle } of Messages) {
        found.push(JSON.parse(Body!));
        await sqs.send(new DeleteMessageCommand({ QueueUrl: outputs.Reports, ReceiptHandle }));
      }
    }
    return found;
  }

  test('gives a function its environment, its time, and the events of its queue', async () => {
    await send('a', 'plain');
    const [report] = await reports(1);
    expect(report).toMatchObject({ body: 'plain', tries: 1, fromEnvironment: 'as configured' });
    expect(report?.remainingMs).toBeGreaterThan(0);
    expect(report?.remainingMs).toBeLessThanOrEqual(3000);
  });

  test.each(['exit', 'throw', 'hang', 'fail'])(
    'leaves the message of a function that must %s to its visibility timeout, and its group behind it',
    async (how) => {
      await send('a', how);
      await send('a', 'next');
      const found = await reports('next');
      const [first, second] = found;
      // On a busy machine a try that succeeds may end after the visibility timeout: then it is made again.
      expect(found.length).toBeGreaterThan(2);
      expect(found.slice(0, -1).map(({ body, tries }) => [body, tries])).toEqual(
        found.slice(0, -1).map((_, i) => [how, i + 1]),
      );
      expect(second!.begunMs - first!.begunMs).toBeGreaterThan((VISIBILITY_S - 1) * 1000);
      if (how === 'exit' || how === 'hang') expect(second!.pid).not.toBe(first!.pid);
    },
  );

  test('runs as many at once as the mapping may, and no more', async () => {
    let most = 0;
    // On a busy machine a poll may bring its message when the one before is done: then again, until the test's time is over.
    while (most < MAX_CONCURRENCY) {
      for (const group of 'abcdef') await send(group, 'slow');
      const found = await reports(6);
      const atOnce = found.map(
        ({ begunMs }) => found.filter((other) => other.begunMs <= begunMs && begunMs < other.endedMs).length,
      );
      most = Math.max(most, ...atOnce);
    }
    expect(most).toBe(MAX_CONCURRENCY);
  });

  test('keeps what functions print, where it says', async ({ skip }) => {
    const folder = functionLogs();
    if (folder === undefined) return skip('functions run elsewhere');
    await send('a', 'plain');
    await reports(1);
    const files = readdirSync(join(folder, outputs.Function!));
    const text = files.map((file) => readFileSync(join(folder, outputs.Function!, file), 'utf8')).join('');
    expect(text).toContain('received plain');
    expect(text).toContain('Task timed out after 3.00 seconds');
    expect(text).toContain('Runtime exited with error: exit status 7');
  });

  test('asks the function of a custom resource, and takes its answer', () => {
    expect(outputs.Answer).toBe('Create with "true"');
  });
});
