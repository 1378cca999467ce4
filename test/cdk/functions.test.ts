import { describe, expect, test } from 'vitest';
import { STACK_CRAWL_DEFAULTS, stackSettingsSchema, timesOf } from '../../shared/engines/aws/settings.ts';
import { functionOf, settingsIn, synthesized } from './synthesized.ts';

const QUEUE = 'AWS::SQS::Queue';
const FUNCTION = 'AWS::Lambda::Function';
const TABLE = 'AWS::DynamoDB::GlobalTable';
const BUCKET = 'AWS::S3::Bucket';

const plain = synthesized();

describe('the functions', () => {
  test('run on Node 24 and arm64, and log as JSON to groups of their own, for 30 days', () => {
    const functions = Object.values(plain.resources(FUNCTION));
    expect(functions).toHaveLength(7);
    const groups = plain.resources('AWS::Logs::LogGroup');
    const used = functions.map(({ Properties }) => {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
        Environment: { Variables: { NODE_OPTIONS: expect.stringMatching(/^--enable-source-maps( |$)/) } },
      });
      expect(Properties.VpcConfig).toBeUndefined();
      expect(Properties.TracingConfig).toBeUndefined();
      const group = groups[Properties.LoggingConfig.LogGroup.Ref];
      expect(group).toMatchObject({ Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
      return Properties.LoggingConfig.LogGroup.Ref;
    });
    // The small worker writes into the log of the worker.
    expect(new Set(used).size).toBe(6);
  });

  test('the worker is there once more with less memory: the same code, role and log, started by events alone', () => {
    const [worker, small] = ['Worker', 'SmallWorker'].map((name) => functionOf(plain, name).Properties);
    expect([worker.MemorySize, small.MemorySize]).toEqual([1280, 512]);
    for (const key of ['Code', 'Role', 'LoggingConfig', 'Timeout', 'RecursiveLoop'])
      expect(small[key]).toEqual(worker[key]);
    const { STRAND_SMALL_WORKER, ...variables } = small.Environment.Variables;
    expect(STRAND_SMALL_WORKER).toBe('true');
    expect(variables).toEqual(worker.Environment.Variables);
    // Room for the bodies of 60 hosts.
    expect(small.EphemeralStorage.Size).toBe(960);
    expect(plain.one('AWS::Events::Rule', 'FunctionsStartsSmall').Properties).toMatchObject({
      EventPattern: {
        source: ['strand.Strand'],
        'detail-type': ['startSmallWorker'],
      },
      Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } }],
    });
    const async = plain.one('AWS::Lambda::EventInvokeConfig', 'FunctionsSmallWorker');
    expect(async.Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });

  test.each([{ smallWorkerMemoryMb: 0 }, { workerMemoryMb: 512 }])(
    '%j: there is no small worker, and the settings name none',
    (given) => {
      const stack = synthesized(given);
      expect(Object.keys(stack.resources(FUNCTION))).toHaveLength(6);
      const settings = settingsIn(stack.template.findOutputs('Settings').Settings?.Value);
      expect(stackSettingsSchema.parse(settings).smallWorkerMemoryMb).toBeUndefined();
    },
  );

  test.each(['Worker', 'SmallWorker', 'Router', 'Waker', 'Compactor', 'Exporter'])(
    '%s takes part in a loop, and says so',
    (name) => {
      expect(functionOf(plain, name).Properties.RecursiveLoop).toBe('Allow');
    },
  );

  test('the API takes part in none', () => {
    expect(functionOf(plain, 'Api').Properties.RecursiveLoop).toBeUndefined();
  });

  test('each gets the settings of the stack, which name its resources', () => {
    const settings = settingsIn(plain.template.findOutputs('Settings').Settings?.Value);
    for (const { Properties } of Object.values(plain.resources(FUNCTION))) {
      expect(settingsIn(Properties.Environment.Variables.STRAND_SETTINGS)).toEqual(settings);
    }
    const parsed = stackSettingsSchema.parse(settings);
    expect(parsed).toMatchObject({ stack: 'Strand', workerTimeoutMs: 600_000, crawlDefaults: {} });
    expect(plain.resources(TABLE)[parsed.crawlState]).toBeDefined();
    expect(plain.resources(TABLE)[parsed.urlSeen]).toBeDefined();
    expect(plain.resources(BUCKET)[parsed.bucket]).toBeDefined();
    for (const url of [parsed.linkQueueUrl, parsed.linkDeadLetterUrl])
      expect(plain.resources(QUEUE)[url]).toBeDefined();
    expect(parsed.turnQueueUrls).toEqual(['https://sqs/Strand-turns-0.fifo']);
    expect(parsed.linkShardUrls).toEqual([]);
  });

  test('each gets all queues by their names, and by the beginning of the first one’s URL', () => {
    const stack = synthesized({ stackName: 'News', turnQueues: 40, linkShards: 62, maxConcurrency: 80 });
    const value = stack.template.findOutputs('Settings').Settings?.Value;
    const {
      turnQueueUrls,
      backlogQueueUrls = [],
      linkShardUrls,
    } = stackSettingsSchema.parse(settingsIn(value));
    const names = Object.values(stack.resources(QUEUE)).flatMap(
      ({ Properties }) => Properties.QueueName ?? [],
    );
    const given = [...turnQueueUrls, ...backlogQueueUrls, ...linkShardUrls].map((url) =>
      url.replace('https://sqs/', ''),
    );
    expect(given).toHaveLength(142);
    expect(given.toSorted()).toEqual(names.toSorted());
    const firsts = JSON.stringify(value).matchAll(/"Fn::Split":\["([^"]+)",\{"Ref":"([^"]+)"\}\]/g);
    const urls = [...firsts].map(([, name, id = '']) => [
      name,
      stack.resources(QUEUE)[id]?.Properties.QueueName,
    ]);
    expect(urls).toEqual([
      ['News-turns-0.fifo', 'News-turns-0.fifo'],
      ['News-backlog-0.fifo', 'News-backlog-0.fifo'],
      ['News-links-0', 'News-links-0'],
    ]);
  });

  test('a long list of queues takes little of the environment', () => {
    const stackName = 'S'.repeat(64);
    const many = synthesized({ stackName, turnQueues: 64, linkShards: 64, maxConcurrency: 128 });
    const { STRAND_SETTINGS } = functionOf(many, 'Router').Properties.Environment.Variables;
    expect(JSON.stringify(settingsIn(STRAND_SETTINGS)).length).toBeLessThan(1550);
  });

  test('the workers alone have the variables of a test, and room for the bodies on their way', () => {
    const stack = synthesized({ workerEnvironment: { DIE: '0.1' }, hostsPerWorker: 100 });
    const withVariable = Object.entries(stack.resources(FUNCTION)).filter(
      ([, { Properties }]) => Properties.Environment.Variables.DIE === '0.1',
    );
    expect(withVariable.map(([id]) => id).sort()).toEqual([
      expect.stringMatching(/^FunctionsSmallWorkerFunction/),
      expect.stringMatching(/^FunctionsWorkerFunction/),
    ]);
    expect(functionOf(stack, 'Worker').Properties.EphemeralStorage.Size).toBe(1600);
  });

  test('traces are written where they are wanted', () => {
    const stack = synthesized({ tracing: true });
    for (const { Properties } of Object.values(stack.resources(FUNCTION))) {
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    }
  });
});

describe('crawls of the stack', () => {
  const settings = (given: Record<string, unknown>, crawl: Record<string, unknown>) =>
    stackSettingsSchema.parse(
      settingsIn(synthesized(given, crawl).template.findOutputs('Settings').Settings?.Value),
    );

  test('are configured by the project’s file where they do not say otherwise', () => {
    expect(settings({}, { delayMs: 2000 }).crawlDefaults).toEqual({ delayMs: 2000, ...STACK_CRAWL_DEFAULTS });
    expect(settings({}, { turnMaxMs: 20_000 }).crawlDefaults).toEqual({ turnMaxMs: 20_000 });
  });

  test('end an exchange and its hooks in time for the worker', () => {
    const { maxTotalTimeoutMs, maxHookTimeoutMs } = timesOf({ workerTimeoutMs: 60_000 });
    expect(settings({ workerTimeout: 60 }, {}).crawlDefaults).toEqual({
      ...STACK_CRAWL_DEFAULTS,
      totalTimeoutMs: maxTotalTimeoutMs,
      hookTimeoutMs: maxHookTimeoutMs,
    });
    expect(() => settings({ workerTimeout: 60 }, { hookTimeoutMs: 5000 })).toThrow(
      `crawl.hookTimeoutMs: expected at most ${maxHookTimeoutMs}, a fifteenth of workerTimeout, got 5000`,
    );
    expect(() => settings({ workerTimeout: 60 }, { totalTimeoutMs: 30_000 })).toThrow(
      `crawl.totalTimeoutMs: expected at most ${maxTotalTimeoutMs}, a fifth of workerTimeout, got 30000`,
    );
  });

  test('have settings that fit into an environment', () => {
    const exclude = Array.from({ length: 200 }, (_, i) => `^https://example${i}\\.org/`);
    expect(() => settings({}, { exclude })).toThrow(/are \d+ bytes longer than what fits/);
  });

  test('are counted as Lambda does, as JSON in JSON', () => {
    const patterns = (count: number) => Array.from({ length: count }, (_, i) => `\\.${100 + i}$`);
    const environmentOf = (exclude: string[]) => {
      const { Variables } = functionOf(synthesized({}, { exclude }), 'Exporter').Properties.Environment;
      // A name for each reference, and for each URL.
      const text = Variables.STRAND_SETTINGS['Fn::Join'][1].map((part: unknown) =>
        typeof part === 'string' ? part : 'x'.repeat(45),
      );
      return JSON.stringify({ ...Variables, STRAND_SETTINGS: text.join('') });
    };
    expect(environmentOf(patterns(120)).length).toBeLessThan(4096);
    // They are 1,900 bytes as JSON, and 2,660 as JSON in JSON.
    expect(() => environmentOf(patterns(190))).toThrow('longer than what fits');
  });

  test('have no settings that a stack does not have', () => {
    const ofMachine = {
      hosts: 5,
      warcMaxBytes: 5000,
      fromFolder: [['a.test', './public']] as [string, string][],
    };
    expect(settings({}, { delayMs: 2000, ...ofMachine }).crawlDefaults).toEqual(
      settings({}, { delayMs: 2000 }).crawlDefaults,
    );
  });

  test('have settings that are known', () => {
    expect(() => settings({}, { delay: 5 })).toThrow('delay');
  });
});

describe('limits that no caller can exceed', () => {
  const limitsOf = (given: Record<string, unknown>) => {
    const { STRAND_SETTINGS } = functionOf(synthesized(given), 'Router').Properties.Environment.Variables;
    return stackSettingsSchema.parse(settingsIn(STRAND_SETTINGS)).limits;
  };

  test('a stack for the open web lets no crawl be faster than ten requests a second, and one for own servers does', () => {
    expect(limitsOf({})).toEqual({ delayMs: 100, maxCostPerDay: 10 });
    expect(limitsOf({ allowPrivateAddresses: '10.0.0.0/8' })).toEqual({ delayMs: 0, maxCostPerDay: 10 });
    expect(limitsOf({ minDelay: '0' })).toEqual({ delayMs: 0, maxCostPerDay: 10 });
  });

  test('a stack without a limit of a day is one that was deployed so, and both say it', () => {
    expect(limitsOf({ maxCostPerDay: 'none' })).toEqual({ delayMs: 100 });
    const said = (given: Record<string, unknown>) =>
      synthesized(given).template.findOutputs('SpendingLimit').SpendingLimit?.Value;
    expect(said({})).toMatch(
      /^All crawls together may cost 10 US dollars a day; then they are paused until 00:00 UTC/,
    );
    expect(said({ maxCostPerDay: '2.5' })).toMatch(/^All crawls together may cost 2.5 US dollars a day/);
    expect(said({ maxCostPerDay: 'none' })).toMatch(/^Nothing limits what all crawls together cost/);
    expect(() => synthesized({ maxCostPerDay: '0' })).toThrow(
      'Option maxCostPerDay: expected a number of dollars from 0.01 to 1000000, or none, got "0"',
    );
  });

  test('all are settings of the functions', () => {
    const given = {
      minDelay: '2.5',
      minIpDelay: '0.25',
      maxPerHost: '1',
      maxBytesPerSecond: '5000000',
      maxBytesPerSecondPerHost: '50000',
      maxCostPerCrawl: '7.5',
      maxCostPerDay: '20',
      maxRunningCrawls: '3',
      allowedDomains: 'example.org,example.com',
    };
    expect(limitsOf(given)).toEqual({
      delayMs: 2500,
      ipDelayMs: 250,
      perHost: 1,
      maxBytesPerSecond: 5_000_000,
      maxBytesPerSecondPerHost: 50_000,
      maxCost: 7.5,
      maxCostPerDay: 20,
      maxRunningCrawls: 3,
      allowedDomains: ['example.org', 'example.com'],
    });
  });
});
