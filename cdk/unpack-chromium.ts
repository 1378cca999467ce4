/** The browser of the function that renders pages: a headless Chromium built for Lambda, from an npm package. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { InvalidOptions } from './invalid-options.ts';

const PACKAGE = '@sparticuz/chromium';
/** Tried with the tests of `test/functions/renderer.slow.test.ts`. */
export const CHROMIUM_VERSION = '153.0.0';

/**
 * Unpacks it into a folder: 221 MB, of 262 MB that Lambda takes. Packed, each new environment would spend seconds on it.
 * Throws {@link InvalidOptions} if the package is not installed.
 */
export function unpackChromium(folder: string): void {
  const packed = packedFolder();
  mkdirSync(folder, { recursive: true });
  const unpacked = (name: string) => brotliDecompressSync(readFileSync(join(packed, `${name}.br`)));
  writeFileSync(join(folder, 'chromium'), unpacked('chromium'), { mode: 0o755 });
  // Libraries for graphics must be beside it; the two others have a folder of their own each.
  for (const name of ['swiftshader', 'al2023', 'fonts'])
    execFileSync('tar', ['xf', '-', '-C', folder], { input: unpacked(`${name}.tar`) });
}

function packedFolder(): string {
  const install = `npm install --save-dev ${PACKAGE}@${CHROMIUM_VERSION}`;
  let root: string;
  try {
    root = join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '..');
  } catch (cause) {
    throw new InvalidOptions(`rendering: the browser of the function is not installed: ${install}`, {
      cause,
    });
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  if (version !== CHROMIUM_VERSION)
    throw new InvalidOptions(
      `rendering: expected ${PACKAGE} ${CHROMIUM_VERSION}, got ${version}: ${install}`,
    );
  return join(root, 'bin');
}
