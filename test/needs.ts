/** Tests that need what not each system has. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { findBrowser } from '../shared/crawler/renderer/find-browser.ts';

const isWindows = process.platform === 'win32';

const DIGIT_READER = 'examples/verification-code/reader';

/** By what a test needs, why this system cannot run it; false if it can. */
const LACKS = {
  signals: isWindows && 'Windows ends a process at once, whatever the signal',
  modes: isWindows && 'Windows has no modes of files',
  links: isWindows && 'on Windows only administrators make symbolic links',
  shell: isWindows && 'Windows has no sh',
  lambdaBrowser:
    hasNoLambdaBrowser() && 'it needs Linux on x86-64, unshare, and the package @sparticuz/chromium: npm ci',
  digitReader: hasNoDigitReader() && `it needs the packages of an example: npm ci --prefix ${DIGIT_READER}`,
  browser: hasNoBrowser() && 'there is no browser: apt-get install chromium-headless-shell',
} as const;

/** Where all must run, a test that has no browser fails by itself. */
function hasNoBrowser(): boolean {
  return process.env.CI === undefined && findBrowser({ env: process.env }) === undefined;
}

function hasNoDigitReader(): boolean {
  if (process.env.CI !== undefined) return false;
  return !existsSync(join(import.meta.dirname, '..', DIGIT_READER, 'node_modules/tesseract.js'));
}

function hasNoLambdaBrowser(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return true;
  if (process.env.CI !== undefined) return false;
  try {
    import.meta.resolve('@sparticuz/chromium');
    execFileSync('unshare', ['-rnm', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

export type Need = keyof typeof LACKS;

export const lacks = (need: Need): boolean => LACKS[need] !== false;

/** Returns `test`; where this system lacks what is needed, one that skips, with the reason behind the test's name. */
export function needs(need: Need): typeof test {
  const reason = LACKS[need];
  if (reason === false) return test;
  const skip = (name: unknown) => test.skip(`${name} (skipped: ${reason})`, () => {});
  return Object.assign(skip, { each: () => skip, for: () => skip }) as unknown as typeof test;
}
