import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../core/base/error-message.ts';
import { browserFlags } from './browser-flags.ts';
import { makeBrowserFolder, removeBrowserFolder } from './browser-folder.ts';
import type { BrowserProgram } from './find-browser.ts';
import { pipeTransport } from './pipe-transport.ts';
import type { OpenTransport } from './transport.ts';

export interface BrowserProcessOptions {
  readonly program: BrowserProgram;
  /** The folder in which the browser has its own folder for the time it runs. */
  readonly temporaryFolder: string;
  readonly hasSandbox: boolean;
  readonly isSingleProcess?: boolean | undefined;
  /** Variables that the browser needs beside its own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Changes the arguments, to show what each of them is for. Default: none is changed. */
  readonly changeFlags?: (flags: string[]) => string[];
}

/** A running browser, here or elsewhere. */
export interface RunningBrowser {
  /** The number of its first process. Undefined: it runs elsewhere. */
  readonly pid?: number;
  readonly open: OpenTransport;
  /** Resolves to a sentence when it has ended; never rejects. */
  readonly ended: Promise<string>;
  /** Ends all of its processes at once, and removes its folder; leaves one that runs elsewhere. Safe to repeat. */
  end(): Promise<void>;
}

const STDERR_CHARS = 4000;

/**
 * Starts a browser with an environment, a folder and a process group of its own. It ends with this process, however this
 * one ends: its pipe is closed then. Throws if there is no such program, or no room for its folder.
 */
export async function startBrowserProcess(options: BrowserProcessOptions): Promise<RunningBrowser> {
  const { program, temporaryFolder, hasSandbox, isSingleProcess, changeFlags = (flags) => flags } = options;
  const folder = makeBrowserFolder(temporaryFolder, program.isShell);
  const flags = changeFlags(browserFlags({ folder, isShell: program.isShell, hasSandbox, isSingleProcess }));
  const child = spawn(program.path, flags, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...environmentFor(folder), ...options.environment },
    detached: process.platform !== 'win32',
  });
  const ended = endOf(child);
  const end = async () => {
    kill(child);
    await ended;
    await removeBrowserFolder(folder);
  };
  if (child.pid === undefined) {
    const why = await ended;
    await removeBrowserFolder(folder);
    throw new Error(why);
  }
  const [, , , write, read] = child.stdio as unknown as [null, null, Readable, Writable, Readable];
  return { pid: child.pid, open: pipeTransport({ write, read }), ended, end };
}

/** Nothing of this process's environment, which may have secrets, and no folder of the user. */
const environmentFor = (folder: string): Record<string, string> => ({
  HOME: folder,
  TMPDIR: folder,
  TMP: folder,
  TEMP: folder,
  LANG: 'C.UTF-8',
  PATH: process.platform === 'win32' ? '' : '/usr/local/bin:/usr/bin:/bin',
});

function endOf(child: ChildProcess): Promise<string> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('latin1')).slice(-STDERR_CHARS);
  });
  const lastWords = () => /^.*(?:FATAL|ERROR|sandbox|not found|cannot).*$/im.exec(stderr)?.[0].trim();
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`the browser did not start: ${messageOf(error)}`));
    child.on('exit', (code, signal) => {
      // A wrapper of the browser may have ended alone.
      kill(child);
      const words = lastWords();
      resolve(
        `the browser ended (${signal ?? code})${words === undefined ? '' : `: ${words.slice(0, 300)}`}`,
      );
    });
  });
}

/** Ends the whole group: the first process may be a shell script. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
