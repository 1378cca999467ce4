/** Functions that were bundled without the package that reads parameters say so. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = new URL('../../functions/identity-parameter.ts', import.meta.url).href;

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
    const { readIdentityParameter } = await import(${JSON.stringify(MODULE)});
    await readIdentityParameter('/strand/identity').catch(({ message, cause }) =>
      console.log(JSON.stringify([message, cause?.message])),
    );`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

test('a package that was not bundled is named, with what to do', async () => {
  expect(await failureOf('ERR_MODULE_NOT_FOUND')).toEqual([
    'The functions were bundled without @aws-sdk/client-ssm: install it, and deploy again',
    'not loaded',
  ]);
});

test('any other failure is thrown as it comes', async () => {
  expect(await failureOf('ERR_OTHER')).toEqual(['not loaded', null]);
});
