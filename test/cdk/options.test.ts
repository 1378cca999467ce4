import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { optionsInContext, parseOptions, projectFileIn } from '../../cdk/options.ts';
import { STACK_OPTION_LIST, STACK_OPTIONS } from '../../cdk/stack-options.ts';
import { BOUNDED_SETTINGS } from '../../shared/core/crawl/settings/settings.ts';

function errorOf(given: Readonly<Record<string, unknown>>): string {
  try {
    parseOptions(given);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('options of a stack', () => {
  test('nothing needs to be said', () => {
    expect(parseOptions({})).toMatchObject({
      stackName: 'Strand',
      workerTimeout: 600,
      workerMemoryMb: 1280,
      apiAuth: 'iam',
      removalPolicy: 'retain',
      allowPrivateAddresses: [],
      workerEnvironment: {},
    });
  });

  test('texts of the command line mean what they look like', () => {
    const given = {
      workerTimeout: '300',
      tracing: 'true',
      maxCostPerHour: '2.5',
      logRetentionDays: '7',
      allowPrivateAddresses: '127.0.0.0/8,10.0.0.0/8',
      allowPorts: '25,6000',
      workerEnvironment: '{"DIE":"0.1"}',
    };
    expect(parseOptions(given)).toMatchObject({
      workerTimeout: 300,
      tracing: true,
      maxCostPerHour: 2.5,
      logRetentionDays: 7,
      allowPrivateAddresses: ['127.0.0.0/8', '10.0.0.0/8'],
      allowPorts: [25, 6000],
      workerEnvironment: { DIE: '0.1' },
    });
  });

  test.each([
    [{ workerTimout: 300 }, 'There is no option workerTimout: did you mean workerTimeout?'],
    [{ colour: 1 }, 'There is no option colour: expected one of stackName, '],
    [
      { workerTimeout: 901 },
      'Option workerTimeout: expected a whole number of seconds from 60 to 900, got 901',
    ],
    [
      { workerTimeout: '5m' },
      'Option workerTimeout: expected a whole number of seconds from 60 to 900, got "5m"',
    ],
    [{ apiAuth: 'open' }, 'Option apiAuth: expected one of iam, key, got "open"'],
    [{ apiAuth: 'none' }, 'Option apiAuth: expected one of iam, key, got "none"'],
    [{ removalPolicy: true }, 'Option removalPolicy: expected one of retain, destroy, got true'],
    [{ tracing: 'yes' }, 'Option tracing: expected true or false, got "yes"'],
    [{ logRetentionDays: 8 }, 'Option logRetentionDays: expected one of 1, 3, 5, 7,'],
    [{ alarmEmail: 'me' }, 'Option alarmEmail: expected a mail address, got "me"'],
    [{ allowPrivateAddresses: '10.0.0' }, 'Option allowPrivateAddresses: expected CIDR blocks'],
    [{ allowPorts: '25,x' }, 'Option allowPorts: expected ports from 1 to 65535'],
    [{ workerEnvironment: '{"A":1}' }, 'Option workerEnvironment: expected a JSON object of texts'],
    [{ stackName: '1st' }, 'Option stackName: expected a letter, then'],
    [
      { turnQueues: 8, maxConcurrency: 15 },
      'Option maxConcurrency: expected at least 2 workers for each of 8',
    ],
    [{ routerWindow: 0.5 }, 'Option routerWindow: expected a whole number of seconds from 0 to 300, got 0.5'],
    [
      { archiveClass: 'GLACIER_IR', archiveDays: 30 },
      'Option archiveDays: expected more than archiveClassAfterDays, 30, or archiveClass=STANDARD, got 30',
    ],
    [{ turnQueues: 65 }, 'Option turnQueues: expected a whole number of queues from 1 to 64, got 65'],
    [{ linkShards: 65 }, 'Option linkShards: expected a whole number of queues from 0 to 64, got 65'],
  ])('%j fails with its name and what was expected', (given, message) => {
    expect(() => parseOptions(given)).toThrow(message);
  });

  test('all errors are reported at once', () => {
    expect(() => parseOptions({ dueShards: 0, colour: 1 })).toThrow(/dueShards.*\n.*colour/);
  });

  test('a long list of wrong values is one line, which is cut', () => {
    const given = { allowPrivateAddresses: Array(100_000).fill('10.0.0'), tags: () => {} };
    const [line, ...others] = errorOf(given).split('\n');
    expect(line).toMatch(/^Option allowPrivateAddresses: expected CIDR blocks.*\.\.\.$/);
    expect(line?.length).toBeLessThan(400);
    expect(others.length).toBeLessThan(2);
    const keys = Array.from({ length: 100_000 }, (_, i) => [`colour${i}`, 1]);
    expect(errorOf(Object.fromEntries(keys)).split('\n')).toHaveLength(50);
  });

  test.each(STACK_OPTION_LIST)('%s is said in sentences', (_, { doc, more, costs }) => {
    expect(doc).toMatch(/^[A-Z].*[^.]$/);
    if (more !== undefined) expect(more).toMatch(/^[A-Z`].*\.$/);
    if (costs !== undefined) expect(costs).toMatch(/^\$.*[^.]$/);
  });

  test('limits of the deployer are those of settings that may have one', () => {
    const bounded = STACK_OPTION_LIST.flatMap(([, { bounds }]) => bounds ?? []);
    expect(bounded.sort()).toEqual(Object.keys(BOUNDED_SETTINGS).sort());
  });

  test('the CDK’s own context is no option, and everything else is', () => {
    const context = {
      '@aws-cdk/core:flag': true,
      'aws:cdk:bundling-stacks': [],
      'availability-zones:account=1:region=x': [],
      config: './my.config.ts',
      'cli-telemetry': false,
      workerTimeout: '300',
      colour: 1,
    };
    expect(optionsInContext(context)).toEqual({ workerTimeout: '300', colour: 1 });
    expect(projectFileIn(context)).toBe('./my.config.ts');
  });

  test('the project’s file is named by a path, or not at all', () => {
    expect(projectFileIn({})).toBeUndefined();
    for (const config of [5, ''])
      expect(() => projectFileIn({ config })).toThrow('Option config: expected the path of a file, got');
  });

  test('whatever comes gives options or an error that names an option', () => {
    const key = fc.constantFrom(...Object.keys(STACK_OPTIONS));
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue(), { maxKeys: 3 }), (given) => {
        try {
          parseOptions(given);
        } catch (error) {
          expect((error as Error).message).toMatch(/^(Option \w+: expected .+, got .+\n?)+$/);
        }
      }),
    );
  });
});
