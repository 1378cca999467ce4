import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
/** Prints every module as it is loaded, by any import, and every flag of V8 that is set. */
const TRACE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks, syncBuiltinESMExports } from 'node:module';
  import v8 from 'node:v8';
  import { writeSync } from 'node:fs';
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      write(Buffer.from('loads ' + found.url + '\\n'));
      return found;
    },
  });
  const setFlag = v8.setFlagsFromString;
  v8.setFlagsFromString = (flag) => {
    write(Buffer.from('flag ' + flag + '\\n'));
    setFlag(flag);
  };
  syncBuiltinESMExports();
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

interface Loaded {
  readonly code: number;
  readonly modules: string[];
  /** Modules and flags of V8, in their order. */
  readonly trace: string[];
  readonly err: string;
}

const TRACED = /^(?:loads|flag) /;

/** Returns the modules that the program loads for that, away from any real account. */
async function loadedBy(...words: string[]): Promise<Loaded> {
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
    trace: lines.filter((line) => TRACED.test(line)),
    err: lines.filter((line) => !TRACED.test(line)).join('\n'),
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

describe('flags of V8, with which it takes no code that was compiled before,', () => {
  test('are set by a crawl when its thread has loaded what crawls', async () => {
    const server = createServer((_, response) => void response.end('<title>One</title>')).listen(
      0,
      '127.0.0.1',
    );
    const folder = mkdtempSync(join(tmpdir(), 'strand-start-up-'));
    try {
      await once(server, 'listening');
      const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { code, trace, err } = await loadedBy(
        ...['crawl', seed, '--out', join(folder, 'crawl')],
        ...['--allow-private-addresses', '--delay', '0'],
      );
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      const first = trace.findIndex((line) => line.startsWith('flag '));
      const loaded = (name: string) => trace.findIndex((line) => line.endsWith(name));
      for (const name of ['node:sqlite', '/crawler/turn/turn.ts', '/crawler/fetcher/fetcher.ts']) {
        expect(loaded(name)).toBeGreaterThan(0);
        expect(first).toBeGreaterThan(loaded(name));
      }
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('are not set by a command that ends soon', async () => {
    const { code, trace } = await loadedBy('help');
    expect(code).toBe(0);
    expect(trace.filter((line) => line.startsWith('flag '))).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'a folder that was deleted under the command is said in one line',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'strand-start-'));
    const child = spawn(
      'sh',
      ['-c', 'rmdir "$PWD"; exec "$0" "$@"', process.execPath, PROGRAM, 'status', '/x'],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    const [code] = await once(child, 'close');
    expect(err).toBe('strand: The folder in which this command runs was deleted. Go to another one (cd)\n');
    expect(code).toBe(2);
  },
  60_000,
);
