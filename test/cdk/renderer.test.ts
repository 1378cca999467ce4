/** The function that renders pages, on a stack with `rendering`. */
import { expect, test } from 'vitest';
import { parseOptions } from '../../cdk/options.ts';
import { controlPolicyOf } from '../../shared/engines/aws/control-policy.ts';
import { parseStackSettings } from '../../shared/engines/aws/settings.ts';
import { crawlOptionsOf } from '../../shared/services/control/plan-request.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

const CRAWL = { render: 'needed' } as const;
const plain = synthesized({}, CRAWL);
const rendering = synthesized({ rendering: true }, CRAWL);

const rendererOf = ({ one }: Synthesized) => one('AWS::Lambda::Function', 'Renderer');
const settingsOf = ({ resources }: Synthesized): string => {
  const worker = Object.entries(resources('AWS::Lambda::Function')).find(([id]) =>
    id.startsWith('FunctionsWorker'),
  );
  return JSON.stringify(worker?.[1].Properties.Environment.Variables.STRAND_SETTINGS);
};
const policiesOf = ({ resources }: Synthesized, role: string) =>
  Object.values(resources('AWS::IAM::Policy')).filter(({ Properties }) =>
    Properties.Roles.some(({ Ref }: { Ref: string }) => Ref.startsWith(role)),
  );

test('it runs on x86_64, longer than a page may take', () => {
  expect(rendererOf(rendering).Properties).toMatchObject({
    Architectures: ['x86_64'],
    MemorySize: 1024,
    Timeout: 30,
  });
});

test('its role may do nothing at all, not even write a log', () => {
  const { Properties } = rendering.one('AWS::IAM::Role', 'RendererRole');
  expect(policiesOf(rendering, 'RendererRole')).toEqual([]);
  expect(Properties).not.toHaveProperty('ManagedPolicyArns');
  expect(Properties).not.toHaveProperty('Policies');
});

test('it knows nothing of the stack, and is in no network of its own', () => {
  const { Properties } = rendererOf(synthesized({ rendering: true, fixedAddress: true }));
  expect(Properties).not.toHaveProperty('Environment');
  expect(Properties).not.toHaveProperty('VpcConfig');
});

test('the worker alone may invoke it', () => {
  const callers = ['Worker', 'Router', 'Waker', 'Api', 'Compactor', 'Exporter'].filter((name) =>
    JSON.stringify(policiesOf(rendering, `Functions${name}Role`)).includes('lambda:InvokeFunction'),
  );
  expect(callers).toEqual(['Worker']);
});

test('concurrency is reserved for it only where the deployer says so', () => {
  expect(rendererOf(rendering).Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  const reserved = synthesized({ rendering: true, maxRenderers: 20 });
  expect(rendererOf(reserved).Properties.ReservedConcurrentExecutions).toBe(20);
});

test('workers need time for it beside their hooks', () => {
  expect(() => parseOptions({ rendering: true, workerTimeout: 90 })).toThrow(
    'Option workerTimeout: expected at least 120 with rendering, got 90',
  );
});

test('a stack without it has none, and leaves the settings of the project out', () => {
  expect(
    Object.keys(plain.resources('AWS::Lambda::Function')).filter((id) => id.startsWith('Renderer')),
  ).toEqual([]);
  expect(settingsOf(plain)).not.toContain('render');
  expect(settingsOf(rendering)).toContain('rendererFunction');
  expect(settingsOf(rendering)).toContain('needed');
});

const policyOf = (rendererFunction?: string) => {
  const settings = {
    stack: 's',
    crawlState: 'c',
    urlSeen: 'u',
    bucket: 'b',
    turnQueueUrls: ['q.fifo'],
    backlogQueueUrls: [],
    startQueueUrl: 's',
    workersPerQueue: 2,
    linkQueueUrl: 'l',
    linkDeadLetterUrl: 'd',
    turnDeadLetterUrl: 't',
    dueShards: 8,
    workerTimeoutMs: 600_000,
    hostsPerWorker: 10,
    workerMemoryMb: 1280,
    crawlDefaults: {},
    defaultCrawl: 'default',
    allowPrivateAddresses: [],
    ...(rendererFunction !== undefined && { rendererFunction }),
  };
  return controlPolicyOf(parseStackSettings(JSON.stringify(settings)));
};

test.each([
  { render: 'needed' },
  { keepRendered: true },
  { screenshots: true },
  { overrides: [{ hosts: ['a.example'], render: 'always' }] },
] as const)('without it a crawl with %o is refused, and says what to deploy', (given) => {
  expect(() => crawlOptionsOf(given as never, policyOf())).toThrow(
    /this stack has no browser: deploy it with rendering=true/,
  );
  expect(() => crawlOptionsOf(given as never, policyOf('renderer'))).not.toThrow();
});
