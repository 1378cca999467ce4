/** Which emulator the tests of test/localstack get, and the message if there is none. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choose, givenEndpoint, type Machine, skipMessage } from '../localstack/emulator/choose.ts';
import { VERSION } from '../localstack/emulator/emulator.ts';
import { freePort } from '../localstack/emulator/free-port.ts';

const FIT: Machine = {
  hasDocker: false,
  architecture: 'x64',
  python: '/usr/bin/python3',
  javaHome: '/usr/lib/jvm/java-17',
  hasMaven: true,
  isInstalled: false,
};
const HOST = { mode: 'host', python: FIT.python, javaHome: FIT.javaHome };

test.each<[string, Partial<Machine>, object]>([
  ['a machine with all of it runs it without Docker', {}, HOST],
  ['Docker comes first', { hasDocker: true }, { mode: 'docker' }],
  ['with Docker nothing else is needed', { ...FIT, hasDocker: true, python: undefined }, { mode: 'docker' }],
  ['what is installed needs no Maven', { hasMaven: false, isInstalled: true }, HOST],
  ['no Maven, nothing installed', { hasMaven: false }, { mode: 'none', missing: [/Maven/] }],
  [
    'no Java, though installed',
    { javaHome: undefined, isInstalled: true },
    { mode: 'none', missing: [/Java 17/] },
  ],
  ['no Python', { python: undefined }, { mode: 'none', missing: [/Python 3\.11/] }],
  ['another processor', { architecture: 'arm64' }, { mode: 'none', missing: [/x86-64.*arm64/] }],
])('%s', (_, machine, expected) => {
  const { missing, ...rest } = expected as { missing?: RegExp[] };
  const choice = choose({ ...FIT, ...machine });
  expect(choice).toMatchObject({
    ...rest,
    ...(missing && { missing: missing.map((text) => expect.stringMatching(text)) }),
  });
});

test('all that a machine lacks is named at once, in one line', () => {
  const machine = fc.record({
    hasDocker: fc.constant(false),
    architecture: fc.constantFrom('x64', 'arm64'),
    python: fc.option(fc.constant('python'), { nil: undefined }),
    javaHome: fc.option(fc.constant('java'), { nil: undefined }),
    hasMaven: fc.boolean(),
    isInstalled: fc.boolean(),
  });
  fc.assert(
    fc.property(machine, (found) => {
      const lacks = [
        found.architecture !== 'x64',
        found.python === undefined,
        found.javaHome === undefined,
        !found.hasMaven && !found.isInstalled,
      ].filter(Boolean).length;
      const choice = choose(found);
      expect(choice.mode === 'none' ? choice.missing.length : 0).toBe(lacks);
      if (choice.mode === 'none') expect(skipMessage(choice.missing)).not.toContain('\n');
    }),
  );
});

test('an emulator that is named is used if it is at this machine', () => {
  for (const url of ['http://127.0.0.1:4566', 'http://localhost:4566', 'http://[::1]:4566'])
    expect(givenEndpoint(url)).toBe(url);
  for (const none of [undefined, '']) expect(givenEndpoint(none)).toBeUndefined();
  for (const url of ['https://sqs.us-east-1.amazonaws.com', 'http://10.0.0.1:4566', '4566'])
    expect(() => givenEndpoint(url)).toThrow(/AWS_ENDPOINT_URL.*got/);
});

test('the image and what is installed are of one version', () => {
  const requirements = readFileSync('test/localstack/emulator/requirements.txt', 'utf8');
  expect(requirements).toContain(`\nlocalstack-core==${VERSION}\n`);
});

test('a free port can be listened on', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  server.close();
});
