/** A headless shell that Strand has not started: with the flags that any user has, and a network. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type BrowserProgram,
  findBrowser,
  type RemoteBrowser,
} from '../../../shared/crawler/renderer/find-browser.ts';

export interface RemoteShell {
  readonly browser: RemoteBrowser;
  readonly pid: number;
  close(): Promise<void>;
}

export async function startRemoteShell(
  program: BrowserProgram = findBrowser({ env: process.env })!,
  port = 0,
): Promise<RemoteShell> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-remote-shell-'));
  const flags = [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...['--headless', '--disable-gpu', '--disable-dev-shm-usage', `--remote-debugging-port=${port}`],
    ...['--js-flags=--max-old-space-size=256', `--user-data-dir=${folder}`, 'about:blank'],
  ];
  const child = spawn(program.path, flags, {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  for await (const line of createInterface({ input: child.stderr })) {
    const [, url] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stderr.resume();
    return { browser: { url, allowPrivateAddresses: [] }, pid: child.pid!, close };
  }
  throw new Error('The browser has ended');
}
