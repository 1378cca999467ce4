import { describe, expect, test } from 'vitest';
import { awsRefusal } from '../../../api/stack/aws-refusal.ts';
import { findStack as find, type StackLookup } from '../../../api/stack/find-stack.ts';
import { StackRefused, StackUnavailable } from '../../../api/stack/stack-errors.ts';
import { version } from '../../../shared/core/base/version.ts';
import { settingsDescription } from '../../../shared/engines/aws/published-settings.ts';
import type { StackSettings } from '../../../shared/engines/aws/settings.ts';

const SETTINGS: StackSettings = {
  stack: 'Strand',
  crawlState: 'state',
  urlSeen: 'seen',
  bucket: 'bucket',
  turnQueueUrls: ['https://sqs.us-east-1.amazonaws.com/1/turns.fifo'],
  backlogQueueUrls: [],
  startQueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/starts',
  workersPerQueue: 25,
  linkQueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/links',
  linkShardUrls: [],
  linkDeadLetterUrl: 'https://sqs.us-east-1.amazonaws.com/1/dead',
  turnDeadLetterUrl: 'https://sqs.us-east-1.amazonaws.com/1/dead.fifo',
  dueShards: 8,
  workerTimeoutMs: 600_000,
  hostsPerWorker: 50,
  workerMemoryMb: 1769,
  crawlDefaults: {},
  defaultCrawl: 'default',
  allowPrivateAddresses: [],
};

interface FakeStack {
  readonly status?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** By output. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

const findStack = (
  client: StackLookup,
  name: string,
  region: string,
  parameters: Readonly<Record<string, string>> = {},
) => find({ client, region, readParameter: async (parameter) => parameters[parameter] }, name);

/** CloudFormation with these stacks, as it answers. */
function cloudFormation(stacks: Readonly<Record<string, FakeStack>>): StackLookup {
  const described = (name: string) => ({
    StackName: name,
    StackStatus: stacks[name]?.status ?? 'CREATE_COMPLETE',
    Outputs: Object.entries(stacks[name]?.outputs ?? {}).map(([OutputKey, OutputValue]) => ({
      OutputKey,
      OutputValue,
      Description: stacks[name]?.descriptions?.[OutputKey],
    })),
  });
  return {
    async send({ input: { StackName } }: { input: { StackName?: string } }) {
      if (StackName === undefined) return { Stacks: Object.keys(stacks).map(described) };
      if (stacks[StackName]) return { Stacks: [described(StackName)] };
      throw Object.assign(new Error(`Stack with id ${StackName} does not exist`), {
        name: 'ValidationError',
      });
    },
  } as unknown as StackLookup;
}

const deployed = { outputs: { Settings: JSON.stringify(SETTINGS), ApiUrl: 'https://x/' } };

describe('a stack is found by its name', () => {
  test('and returns its settings', async () => {
    expect(await findStack(cloudFormation({ Strand: deployed }), 'Strand', 'us-east-1')).toEqual(SETTINGS);
  });

  test('also while it is being updated', async () => {
    const lookup = cloudFormation({ Strand: { ...deployed, status: 'UPDATE_IN_PROGRESS' } });
    expect(await findStack(lookup, 'Strand', 'us-east-1')).toEqual(SETTINGS);
  });

  const hint =
    'In another region: --region REGION or AWS_REGION; in another account: AWS_PROFILE; not deployed yet: npm run deploy';
  test.each<[Readonly<Record<string, FakeStack>>, string]>([
    [{}, `There is no stack Strand in eu-west-1. ${hint}`],
    [{ other: {} }, `There is no stack Strand in eu-west-1. ${hint}`],
    [
      { Strand: { ...deployed, status: 'DELETE_COMPLETE' } },
      `There is no stack Strand in eu-west-1. ${hint}`,
    ],
    [{ Strnd: deployed }, `There is no stack Strand in eu-west-1: did you mean Strnd? ${hint}`],
    [{ News: deployed, other: {} }, `There is no stack Strand in eu-west-1: there are News. ${hint}`],
    [
      { Strand: { status: 'CREATE_IN_PROGRESS' } },
      'The stack Strand is being deployed (CREATE_IN_PROGRESS): try again when that is done',
    ],
    [
      { Strand: { status: 'ROLLBACK_COMPLETE' } },
      'The stack Strand cannot be used (ROLLBACK_COMPLETE): look at its events in CloudFormation, then npm run deploy',
    ],
    [
      { Strand: { outputs: { Bucket: 'b' } } },
      "The stack Strand is none of Strand's: it has no output Settings",
    ],
    [
      { Strand: { outputs: { Settings: '{"stack":"Strand"}' } } },
      `The stack Strand was deployed by another version of Strand, which this one (${version}) cannot read. Use that version, or, if it is older, deploy the stack again (npm run deploy)`,
    ],
    [
      { Strand: { outputs: { Settings: '{"stack":"Strand","version":"9.8.7","newer":1}' } } },
      `The stack Strand was deployed by version 9.8.7 of Strand, which this one (${version}) cannot read. Use that version, or, if it is older, deploy the stack again (npm run deploy)`,
    ],
    [
      { Strand: { outputs: { Settings: 'no JSON' } } },
      `The stack Strand was deployed by another version of Strand, which this one (${version}) cannot read. Use that version, or, if it is older, deploy the stack again (npm run deploy)`,
    ],
  ])('or not, with what to do: %j', async (stacks, message) => {
    await expect(findStack(cloudFormation(stacks), 'Strand', 'eu-west-1')).rejects.toThrow(
      new StackRefused(message),
    );
  });

  test('or not, though the others may not be seen', async () => {
    const lookup = {
      async send({ input }: { input: { StackName?: string } }) {
        if (input.StackName === undefined) throw new Error('denied');
        throw new Error('Stack with id Strand does not exist');
      },
    } as unknown as StackLookup;
    await expect(findStack(lookup, 'Strand', 'us-east-1')).rejects.toThrow('There is no stack Strand in');
  });
});

describe('a crawler of somebody’s own app is found', () => {
  const crawler = (path: string, key: string) => ({
    outputs: { [key]: JSON.stringify({ ...SETTINGS, stack: path }) },
    descriptions: { [key]: settingsDescription(path) },
  });
  const news = crawler('Data/News', 'NewsSettings1A2B3C4D');
  const shop = crawler('Data/Shop', 'ShopSettings1A2B3C4D');
  const both = {
    outputs: { OtherSettings: 'theirs', ...news.outputs, ...shop.outputs },
    descriptions: { ...news.descriptions, ...shop.descriptions },
  };
  const named = crawler('Stage/Data/News', 'NewsSettings1A2B3C4D');

  test.each<[string, Readonly<Record<string, FakeStack>>, string]>([
    ['Data', { Data: news }, 'Data/News'],
    ['Data/News', { Data: news }, 'Data/News'],
    ['Data/Shop', { Data: both }, 'Data/Shop'],
    ['Data/Shop', { Data: { outputs: both.outputs } }, 'Data/Shop'],
    ['Stage/Data/News', { 'Stage-Data': named, Data: both }, 'Stage/Data/News'],
  ])('by %s', async (name, stacks, path) => {
    expect(await findStack(cloudFormation(stacks), name, 'us-east-1')).toMatchObject({ stack: path });
  });

  test('by its own name, unless a stack has that name', async () => {
    const own = (name: string) => ({
      outputs: { NewsSettings1A2B3C4D: JSON.stringify({ ...SETTINGS, stack: name }) },
    });
    const stacks = cloudFormation({ Data: own('news'), Web: own('Data'), Other: {} });
    expect(await findStack(stacks, 'news', 'us-east-1')).toMatchObject({ stack: 'news' });
    expect(await findStack(stacks, 'Data', 'us-east-1')).toMatchObject({ stack: 'news' });
    await expect(findStack(stacks, 'Other', 'us-east-1')).rejects.toThrow("is none of Strand's");
  });

  test('by the parameter that holds its settings', async () => {
    const parameters = { '/strand/news': JSON.stringify(SETTINGS) };
    const none = cloudFormation({});
    expect(await findStack(none, '/strand/news', 'us-east-1', parameters)).toEqual(SETTINGS);
    await expect(findStack(none, '/strand/shop', 'us-east-1', parameters)).rejects.toThrow(
      'There is no parameter /strand/shop in us-east-1',
    );
  });

  test('though its stack is on a later page of them', async () => {
    const pages: Record<string, object> = {
      1: { Stacks: [], NextToken: '2' },
      2: {
        Stacks: (
          (await cloudFormation({ Other: named }).send({ input: {} } as never)) as object as { Stacks: [] }
        ).Stacks,
      },
    };
    const lookup = {
      async send({ input }: { input: { StackName?: string; NextToken?: string } }) {
        if (input.StackName !== undefined) throw new Error('Stack with id Stage does not exist');
        return pages[input.NextToken ?? '1'];
      },
    } as unknown as StackLookup;
    expect(await findStack(lookup, 'Stage/Data/News', 'x')).toMatchObject({ stack: 'Stage/Data/News' });
  });

  test.each([
    ['Data', 'The stack Data has 2 crawlers: Data/News, Data/Shop'],
    ['Data/Nws', 'There is no stack Data/Nws in us-east-1: did you mean Data/News?'],
  ])('or not, by %s', async (name, message) => {
    await expect(findStack(cloudFormation({ Data: both }), name, 'us-east-1')).rejects.toThrow(message);
  });
});

/** An error as the AWS SDK makes it. */
const failed = (name: string, message: string, code?: string) =>
  Object.assign(new Error(message), { name, code });

describe('what AWS refuses is reported with what to do', () => {
  test.each<[Error, RegExp]>([
    [failed('Error', 'Region is missing'), /^No AWS region is set: add --region REGION, or set AWS_REGION$/],
    [
      failed('Error', 'Region not accepted: region="us east" is not a valid hostname component.'),
      /^eu-west-1 is no AWS region/,
    ],
    [
      failed('CredentialsProviderError', 'Could not load credentials from any providers'),
      /^No AWS credentials were found for the profile ops \(Could not load .*\): set AWS_PROFILE, .*aws sso login/,
    ],
    [failed('ExpiredToken', 'The security token included in the request is expired'), /have expired/],
    [
      failed('InvalidClientTokenId', 'The security token included in the request is invalid.'),
      /^AWS does not accept the credentials/,
    ],
    [
      failed('AccessDenied', 'User: u is not authorized to perform: cloudformation:DescribeStacks'),
      /^AWS denies it \(User: u is not authorized to perform: cloudformation:DescribeStacks\): ask for that permission/,
    ],
    [failed('Error', 'getaddrinfo ENOTFOUND x', 'ENOTFOUND'), /is the region eu-west-1 right/],
    [
      new Error('loading a crawl', { cause: failed('AccessDeniedException', 'dynamodb:GetItem') }),
      /^AWS denies it \(dynamodb:GetItem\)/,
    ],
    [
      failed('AWS.SimpleQueueService.AccessDenied', 'explicit deny in a service control policy'),
      /^AWS denies it \(explicit deny in a service control policy\)/,
    ],
    [
      Object.assign(failed('Unknown', 'UnknownError'), { $metadata: { httpStatusCode: 403 } }),
      /^AWS denies it/,
    ],
    [
      failed('KMS.DisabledException', 'k is disabled'),
      /the key that encrypts .*DisabledException: k is disabled/,
    ],
    [failed('AWS.SimpleQueueService.KmsAccessDenied', 'no'), /ask for the use of that key/],
    [failed('NoSuchBucket', 'no bucket'), /^A part of the stack is not there \(no bucket\)/],
    [failed('ResourceNotFoundException', 'no table'), /^A part of the stack is not there \(no table\)/],
    [failed('AWS.SimpleQueueService.NonExistentQueue', 'no queue'), /^A part of the stack is not there/],
    [failed('OptInRequired', 'not subscribed'), /^The account has not enabled this region/],
    [failed('PermanentRedirect', 'elsewhere'), /^The bucket is in another region than the stack/],
    [failed('InvalidObjectState', 'GLACIER'), /restore it first$/],
  ])('%s', (error, message) => {
    const refusal = awsRefusal(error, { region: 'eu-west-1', profile: 'ops' });
    expect(refusal).toBeInstanceOf(StackRefused);
    expect(refusal?.message).toMatch(message);
    expect(refusal?.cause).toBe(error);
  });

  test.each<[Error, RegExp]>([
    [failed('Error', 'connect ECONNREFUSED', 'ECONNREFUSED'), /AWS_ENDPOINT_URL/],
    [
      new AggregateError([failed('Error', 'connect ECONNREFUSED ::1', 'ECONNREFUSED')], ''),
      /^AWS cannot be reached/,
    ],
    [
      new Error('loading a crawl: throttled 8 times over', { cause: failed('ThrottlingException', 'Rate') }),
      /try again later$/,
    ],
    [
      Object.assign(failed('InternalServerError', 'oops'), { $metadata: { httpStatusCode: 500 } }),
      /^AWS fails \(InternalServerError: oops\): try again later$/,
    ],
  ])('or, where it does not answer, without blaming the command line: %s', (error, message) => {
    const failure = awsRefusal(error, {});
    expect(failure).toBeInstanceOf(StackUnavailable);
    expect(failure?.message).toMatch(message);
  });

  test('and what is none of this is left as it is', () => {
    expect(awsRefusal(new Error('a bug'), {})).toBeUndefined();
    expect(awsRefusal('no error', {})).toBeUndefined();
  });
});
