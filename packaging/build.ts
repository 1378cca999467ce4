/**
 * Builds the packages that are published into `dist/`, a folder for each: `strand-crawler` and
 * `strand-crawler-functions`. `npm pack ./dist/NAME` makes a tarball.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunction } from '../cdk/bundle-function.ts';
import { FUNCTIONS } from '../cdk/permissions.ts';
import { buildCrawler } from './build-crawler.ts';
import { functionsManifest, type Manifest } from './manifest.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds into `dist`, which is emptied before. Throws if the compiler finds an error. */
export function build(dist = join(ROOT, 'dist')): void {
  rmSync(dist, { recursive: true, force: true });
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  buildCrawler(join(dist, 'strand-crawler'), manifest);
  buildFunctions(join(dist, 'strand-crawler-functions'), manifest);
}

/** The code of the Lambda functions, each in one file with all that it imports. */
function buildFunctions(dist: string, manifest: Manifest): void {
  for (const name of FUNCTIONS) {
    const outdir = join(dist, name);
    mkdirSync(outdir, { recursive: true });
    bundleFunction(name, { outdir, sourcemap: false });
  }
  writeJson(join(dist, 'package.json'), functionsManifest(manifest));
  copyFileSync(join(import.meta.dirname, 'functions-readme.md'), join(dist, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
}

export const writeJson = (path: string, value: unknown): void =>
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

if (import.meta.main) build();
