import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'strand-browser-';
/** The full browser makes a socket below its folder, and ends if the path of it is too long for the system. */
const SOCKET = `/${PREFIX}4194304-XXXXXX/org.chromium.Chromium.XXXXXX/SingletonSocket`;
const MAX_SOCKET_BYTES = 103;

/** The full browser does not obey the flag for this: a part of the cut network. */
const PREFERENCES = { webrtc: { ip_handling_policy: 'disable_non_proxied_udp' } };

/**
 * Makes a folder for the profile and the temporary files of a browser, named after this process. That of a full browser is
 * in the system's folder if `wanted` has a long path. Removes folders of processes that were killed before they could.
 */
export function makeBrowserFolder(wanted: string, isShell: boolean): string {
  const parent = isShell ? wanted : ([wanted, tmpdir()].find(isShort) ?? '/tmp');
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (pid > 0 && !isRunning(pid)) removeIfOwn(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  if (isShell) return folder;
  mkdirSync(join(folder, 'Default'));
  writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(PREFERENCES));
  return folder;
}

/** Processes of the browser that end may still write for a moment. Never rejects: a rest is removed by the next one. */
export const removeBrowserFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {});

function removeIfOwn(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, who removes it.
  }
}

const isShort = (parent: string): boolean =>
  process.platform === 'win32' || Buffer.byteLength(parent + SOCKET) <= MAX_SOCKET_BYTES;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
