import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Returns the file of the package eld with its smallest data. Node's own `require` finds no module by name in a package that
 * exports ES modules alone. The published package has another module here (`packaging/vendor-packages.ts`).
 */
export function eldFile(): string {
  const manifest = findPackageJSON('eld', import.meta.url);
  if (manifest === undefined) throw new Error('The package eld is not installed');
  return join(dirname(manifest), 'src/entries/static.extrasmall.js');
}
