/** The published package, built from the repository: what a user runs. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildCrawler } from '../../packaging/build-crawler.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Builds the package in the folder, in place of one built before, beside the packages that npm would install. Returns its program. */
export function builtPackage(folder: string): string {
  const built = join(folder, 'strand-crawler');
  rmSync(built, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildCrawler(built, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const packages = join(folder, 'node_modules');
  if (!existsSync(packages)) symlinkSync(join(ROOT, 'node_modules'), packages, 'junction');
  return programIn(folder);
}

/** The program of a package that was built in the folder. */
export const programIn = (folder: string): string => join(folder, 'strand-crawler/cli/bin.js');
