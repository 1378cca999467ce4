import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Returns the folder with the modules of the package eld. Its exports make objects of all data when they are loaded. The
 * published package has another module here (`packaging/vendor-packages.ts`).
 */
export function eldFolder(): string {
  const manifest = findPackageJSON('eld', import.meta.url);
  if (manifest === undefined) throw new Error('The package eld is not installed');
  return join(dirname(manifest), 'src');
}
