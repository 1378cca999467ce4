import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** A browser on this machine. */
export interface BrowserProgram {
  readonly path: string;
  /** The headless shell: half the memory and a third of the CPU of the full browser. */
  readonly isShell: boolean;
}

/** A browser that runs elsewhere, or was started by others. */
export interface RemoteBrowser {
  /** The whole browser's WebSocket: `ws:` or `wss:`. It may hold a secret, and is shown nowhere. */
  readonly url: string;
  /** Addresses that may be reached without TLS, besides those of this machine. */
  readonly allowPrivateAddresses: readonly string[];
}

export type AnyBrowser = BrowserProgram | RemoteBrowser;

export const isRemote = (browser: AnyBrowser): browser is RemoteBrowser => 'url' in browser;

export interface BrowserPlaces {
  /** The operator's choice. No other one is tried then. */
  readonly path?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

const SHELLS = ['chrome-headless-shell', 'chromium-headless-shell', 'headless_shell'];
const NAMES = [
  ...SHELLS,
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
];

const ON_MACOS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];
const ON_WINDOWS = ['Chromium\\Application\\chrome.exe', 'Google\\Chrome\\Application\\chrome.exe'];

export const NO_BROWSER =
  'No browser was found: `apt-get install chromium-headless-shell` (Debian), or `npx @puppeteer/browsers install chrome-headless-shell` and `--browser PATH`';

/**
 * Returns the browser that renders pages: the operator's own, `STRAND_BROWSER`, a headless shell, a full browser. Undefined
 * if there is none.
 */
export function findBrowser({
  path,
  env,
  platform = process.platform,
}: BrowserPlaces): BrowserProgram | undefined {
  const own = path ?? env.STRAND_BROWSER;
  const candidates =
    own !== undefined ? (/[\\/]/.test(own) ? [own] : onPath([own], env, platform)) : usual(env, platform);
  const found = candidates.find(isProgram);
  return found === undefined ? undefined : { path: found, isShell: isShell(found) };
}

const isShell = (path: string): boolean => SHELLS.includes(basename(path).replace(/\.exe$/i, ''));

const usual = (env: BrowserPlaces['env'], platform: NodeJS.Platform): string[] => [
  ...onPath(NAMES, env, platform),
  ...(platform === 'darwin' ? ON_MACOS : []),
  ...(platform === 'win32'
    ? [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
        folder ? ON_WINDOWS.map((path) => join(folder, path)) : [],
      )
    : []),
];

function onPath(names: readonly string[], env: BrowserPlaces['env'], platform: NodeJS.Platform): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const end = platform === 'win32' ? '.exe' : '';
  return names.flatMap((name) => folders.map((folder) => join(folder, name + end)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
