import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
/** Prints every module as it is loaded, by any import. */
const TRACE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      write(Buffer.from('loads ' + found.url + '\\n'));
      return found;
    },
  });
  // The pipe is full while a busy machine does not read it.
  function write(line) {
    for (let at = 0; at < line.length; )
      try {
        at += writeSync(2, line, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
  }
`)}`;

/** Returns the modules that the program loads for that, away from any real account. */
async function loadedBy(...words: string[]): Promise<{ code: number; modules: string[]; err: string }> {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, ...rest } = process.env;
  const env = {
    ...rest,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_CONFIG_FILE: '/dev/null',
  };
  const child = spawn(process.execPath, ['--import', TRACE, PROGRAM, ...words], { env });
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  const lines = err.split('\n');
  return {
    code,
    modules: lines.flatMap((line) => (line.startsWith('loads ') ? [line.slice('loads '.length)] : [])),
    err: lines.filter((line) => !line.startsWith('loads ')).join('\n'),
  };
}

const isAws = (module: string) => /@aws-sdk|@smithy|engines\/aws/.test(module);
const isZod = (module: string) => /node_modules\/zod\//.test(module);
const isSqlite = (module: string) => module === 'node:sqlite';

describe('what is not needed is not loaded', () => {
  test.each([
    ['help'],
    ['--version'],
    ['status', 'nowhere'],
    ['url', 'nowhere', 'example.org'],
    ['export', 'nowhere', '--format', 'csv'],
    ['resume', 'nowhere'],
    ['add', 'nowhere', 'example.org'],
    ['explain', 'example.org'],
    ['explain', 'nowhere', 'example.org'],
    ['warc', 'check', 'nowhere'],
    // Refused for want of a contact, when all is loaded.
    ['crawl', 'example.org'],
  ])('nothing of AWS by %j %j', async (...words) => {
    const { modules } = await loadedBy(...words);
    expect(modules.some((module) => module.endsWith('/cli/args.ts'))).toBe(true);
    expect(modules.filter(isAws)).toEqual([]);
  });

  test.each([['--help'], ['--version'], ['help', 'status'], ['crawk'], ['status']])(
    'and no zod by what checks no configuration: %j %j',
    async (...words) => {
      const { modules } = await loadedBy(...words);
      expect(modules.some((module) => module.endsWith('/cli/args.ts'))).toBe(true);
      expect(modules.filter(isZod)).toEqual([]);
    },
  );

  test('and no SQLite by what asks a stack, which is refused without credentials', async () => {
    const { code, modules, err } = await loadedBy('--stack', 'S', '--region', 'us-east-1', 'status', 'news');
    expect(err).toMatch(/^strand: No AWS credentials were found/);
    expect(code).toBe(2);
    expect(modules.some(isAws)).toBe(true);
    expect(modules.filter(isSqlite)).toEqual([]);
  });
});
