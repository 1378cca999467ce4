/**
 * Builds the packages that are published into `dist/`, a folder for each: `strand-crawler`,
 * `strand-crawler-functions` and `create-strand-crawler`. `npm pack ./dist/NAME` makes a tarball.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFunctions } from '../cdk/bundle-function.ts';
import { FUNCTIONS } from '../cdk/permissions.ts';
import { buildCrawler } from './build-crawler.ts';
import { createManifest, functionsManifest, type Manifest } from './manifest.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds into `dist`, which is emptied before. Throws if the compiler finds an error. */
export function build(dist = join(ROOT, 'dist')): void {
  rmSync(dist, { recursive: true, force: true });
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  // First, as what begins esbuild decides whether it collects garbage.
  buildFunctions(join(dist, 'strand-crawler-functions'), manifest);
  buildCrawler(join(dist, 'strand-crawler'), manifest);
  buildCreate(join(dist, 'create-strand-crawler'), manifest);
}

/** The code of the Lambda functions, each in one file with all that it imports. */
function buildFunctions(dist: string, manifest: Manifest): void {
  bundleFunctions([...FUNCTIONS, 'renderer'], { outdir: dist, sourcemap: false });
  writeAbout(dist, functionsManifest(manifest), 'functions-readme.md');
}

/** `npm create strand-crawler`: the templates, and one file without dependencies. */
function buildCreate(dist: string, manifest: Manifest): void {
  mkdirSync(dist, { recursive: true });
  buildSync({
    entryPoints: [join(import.meta.dirname, 'create-main.ts')],
    outfile: join(dist, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'warning',
  });
  cpSync(join(ROOT, 'templates'), join(dist, 'templates'), { recursive: true });
  writeAbout(dist, createManifest(manifest), 'create-readme.md');
}

function writeAbout(dist: string, manifest: Manifest, readme: string): void {
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  copyFileSync(join(import.meta.dirname, readme), join(dist, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
}

if (import.meta.main) build();
