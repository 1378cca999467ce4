/** The deployed function that renders pages, as a process: no network, and no folder to write to but a `/tmp` of 512 MB. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleFunctions } from '../../cdk/bundle-function.ts';
import { CHROMIUM_VERSION, unpackChromium } from '../../cdk/unpack-chromium.ts';

export interface RendererFunction {
  /** The folder that is deployed; its browser is a link. */
  readonly folder: string;
  invoke(message: string): Promise<string>;
  close(): Promise<void>;
}

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'strand-crawler');
/** As Lambda has it: the code can be read, `/tmp` is empty, and the network is not there. */
const SEALED = 'mount -o remount,bind,ro / && mount -t tmpfs -o size=512m none /tmp && exec "$0" "$@"';

export async function openRendererFunction(): Promise<RendererFunction> {
  const folder = makeFolder();
  const module = join(folder, 'renderer/index.mjs');
  const child = spawn(
    'unshare',
    ['-rnm', 'sh', '-c', SEALED, process.execPath, join(import.meta.dirname, 'renderer-process.ts'), module],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH, TMPDIR: '/tmp' } },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();

  async function invokeNow(message: string): Promise<string> {
    child.stdin.write(`${message}\n`);
    const { value } = await lines.next();
    const { result, error } = JSON.parse(value ?? '{"error":"it has ended"}');
    if (error !== undefined) throw new Error(error);
    return JSON.stringify(result);
  }

  return {
    folder: join(folder, 'renderer'),
    invoke(message) {
      const invoked = last.then(() => invokeNow(message));
      last = invoked.catch(() => {});
      return invoked;
    },
    async close() {
      child.stdin.end();
      await new Promise((resolve) => child.once('close', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Not in `/tmp`, which the process does not see. The browser is unpacked once. */
function makeFolder(): string {
  const browser = join(CACHE, `chromium-${CHROMIUM_VERSION}`);
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'renderer-'));
  if (!existsSync(browser)) {
    unpackChromium(join(folder, 'chromium'));
    renameSync(join(folder, 'chromium'), browser);
  }
  bundleFunctions(['renderer'], { outdir: folder, sourcemap: false });
  symlinkSync(browser, join(folder, 'renderer/chromium'));
  return folder;
}
