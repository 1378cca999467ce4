/** Functions that were bundled without the package that reads parameters say so. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, expect, test, vi } from 'vitest';
import { readParameter } from '../../../shared/services/accounts/read-parameter.ts';

const MODULE = new URL('../../../shared/services/accounts/read-parameter.ts', import.meta.url).href;

/** Reads a parameter in a process in which the package fails to load with that code. Returns the error's message and its cause. */
async function failureOf(code: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier !== '@aws-sdk/client-ssm') return next(specifier, context);
        throw Object.assign(new Error('not loaded'), { code: ${JSON.stringify(code)} });
      },
    });
    const { readParameter } = await import(${JSON.stringify(MODULE)});
    await readParameter('/strand/identity').catch(({ message, cause }) =>
      console.log(JSON.stringify([message, cause?.message])),
    );`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

test('a package that was not bundled is named, with what to do', async () => {
  expect(await failureOf('ERR_MODULE_NOT_FOUND')).toEqual([
    'Secrets in parameters need the package @aws-sdk/client-ssm: install it; a stack has to be deployed again then',
    'not loaded',
  ]);
});

test('any other failure is thrown as it comes', async () => {
  expect(await failureOf('ERR_OTHER')).toEqual(['not loaded', null]);
});

afterEach(() => vi.restoreAllMocks());

interface HandlerTimes {
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly throwOnRequestTimeout: boolean;
}

/** Reads a parameter by a client that gives that answer. Returns what it was asked, and when it was destroyed. */
async function readBy(answer: () => Promise<object>) {
  const calls: unknown[] = [];
  vi.spyOn(SSMClient.prototype, 'send').mockImplementation(async function (
    this: SSMClient,
    { input }: { input: object },
  ) {
    const { requestHandler, maxAttempts } = this.config;
    const { configProvider } = requestHandler as unknown as { configProvider: Promise<HandlerTimes> };
    const { connectionTimeout, requestTimeout, throwOnRequestTimeout } = await configProvider;
    calls.push(input, await maxAttempts(), [connectionTimeout, requestTimeout, throwOnRequestTimeout]);
    for (let tick = 0; tick < 5; tick++) await undefined;
    calls.push('answers');
    return answer();
  } as never);
  vi.spyOn(SSMClient.prototype, 'destroy').mockImplementation(() => void calls.push('destroyed'));
  const value = await readParameter('/strand/identity').catch((error) => error);
  return { value, calls };
}

test('the value is read decrypted, with many attempts, by a client that does not wait for ever, and is closed after the answer', async () => {
  const { value, calls } = await readBy(async () => ({ Parameter: { Value: 'secret' } }));
  expect(value).toBe('secret');
  const sent = [{ Name: '/strand/identity', WithDecryption: true }, 8, [3000, 5000, true]];
  expect(calls).toEqual([...sent, 'answers', 'destroyed']);
});

test('a parameter without a value is an empty text, and the error of the service is thrown as it comes', async () => {
  expect((await readBy(async () => ({ Parameter: {} }))).value).toBe('');
  expect((await readBy(async () => ({}))).value).toBe('');
  const denied = Object.assign(new Error('denied'), { name: 'AccessDeniedException' });
  expect((await readBy(() => Promise.reject(denied))).value).toBe(denied);
});
