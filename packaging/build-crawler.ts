/**
 * The package `strand-crawler`: JavaScript without comments, the declarations that its public modules need, and
 * a package.json of its own.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { transformSync } from 'esbuild';
import { configSchema } from './config-schema.ts';
import { documentSettings, removeLongTexts } from './document-settings.ts';
import { joinModules } from './join-modules.ts';
import { CONFIG_SCHEMA, type Manifest, publishedManifest } from './manifest.ts';
import { removeFunctions } from './remove-functions.ts';
import { VENDORED, vendorPackages } from './vendor-packages.ts';

const ROOT = join(import.meta.dirname, '..');

/** Builds into `dist`. Throws if the compiler finds an error. */
export function buildCrawler(dist: string, source: Manifest): void {
  // Twice, since the compiler strips comments from both or from none: editors show those of the declarations. The second time it
  // checks the types.
  compile(dist, '--removeComments', '--noCheck');
  compile(dist, '--declaration', '--emitDeclarationOnly');
  documentSettings(dist);
  removeLongTexts(dist);
  const manifest = publishedManifest(source);
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(dist, CONFIG_SCHEMA), `${JSON.stringify(configSchema())}\n`);
  removeIndentation(join(dist, 'shared/core/content/block-model.json'));
  // Not the changelog, which the README links to.
  for (const file of ['README.md', 'LICENSE']) copyFileSync(join(ROOT, file), join(dist, file));
  cpSync(join(ROOT, 'docs'), join(dist, 'docs'), { recursive: true, filter: isForUsers });
  cpSync(join(ROOT, 'templates'), join(dist, 'templates'), { recursive: true });
  cpSync(join(import.meta.dirname, 'skills'), join(dist, 'skills'), { recursive: true });
  moveWeb(dist);
  removeEmptyModules(dist);
  removeFunctions(dist);
  vendorPackages(dist, ROOT);
  joinModules(dist);
  removeSpaces(dist);
  removeInnerComments(dist);
  removeInnerDeclarations(dist, publicTypes(manifest));
}

/** How Strand is tested and measured is for those who have a clone. Figures are large, and README links to its own. */
const OF_THE_HOUSE =
  /^(?:decisions|figures|(?:faults|fuzzing|invariants|mutants|performance|recrawl-policy|simulation)\.md)$/;

const isForUsers = (path: string): boolean => !OF_THE_HOUSE.test(basename(path));

/**
 * The generated web stands with the tests here. A published folder of that name looks like tests published by
 * mistake.
 */
function moveWeb(dist: string): void {
  renameSync(join(dist, 'test/web'), join(dist, 'web'));
  rmSync(join(dist, 'test'), { recursive: true });
  for (const file of ['packaging/testing.js', 'packaging/testing.d.ts']) {
    const text = readFileSync(join(dist, file), 'utf8');
    writeFileSync(join(dist, file), text.replaceAll('../test/web/', '../web/'));
  }
}

/** The compiler indents JSON, which takes a kilobyte more of the tarball. */
function removeIndentation(path: string): void {
  writeFileSync(path, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
}

/** The construct keeps its lines and names. */
const KEPT_LINES = /^cdk[\\/]/;

/** Characters of a line, so that a place in a stack trace can be found. */
const LINE_LIMIT = 1000;

/**
 * Spaces and line ends are a tenth of the package, and names of inner functions and variables another one. Stack traces
 * name the module and the line all the same, and errors have their names as values.
 */
function removeSpaces(dist: string): void {
  for (const file of globSync('**/*.js', { cwd: dist, exclude: ['lib/**', 'shared/vendor/**'] })) {
    if (KEPT_LINES.test(file)) continue;
    const path = join(dist, file);
    const options = {
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: true,
      lineLimit: LINE_LIMIT,
      format: 'esm',
      target: 'node22',
    } as const;
    writeFileSync(path, transformSync(readFileSync(path, 'utf8'), options).code);
  }
}

/** Types that public ones are made of, and that no user writes: without the comments of their members. */
const INNER_TYPES = [
  'shared/core/frontier/!(url-record).d.ts',
  'shared/core/{robots,parser,recrawl,text}/*.d.ts',
  'shared/crawler/ports/*.d.ts',
  'shared/core/base/sizes.d.ts',
  'shared/core/crawl/settings/setting.d.ts',
  'cdk/stack-option.d.ts',
];

function removeInnerComments(dist: string): void {
  for (const file of globSync(INNER_TYPES, { cwd: dist })) {
    const path = join(dist, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, ''));
  }
}

/** Modules of types alone compile to nothing, and only types are imported from them. */
function removeEmptyModules(dist: string): void {
  for (const file of globSync('**/*.js', { cwd: dist })) {
    const path = join(dist, file);
    if (/^export \{\};\s*$/.test(readFileSync(path, 'utf8'))) rmSync(path);
  }
}

function compile(dist: string, ...options: readonly string[]): void {
  // By Node, since Windows runs no script by its name.
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = join(import.meta.dirname, 'tsconfig.json');
  // By default four threads check types, each of which finds out the same ones for itself.
  const words = [compiler, '-p', project, '--outDir', dist, '--singleThreaded', ...options];
  execFileSync(process.execPath, words, { stdio: 'inherit' });
}

function publicTypes({ exports }: Manifest): string[] {
  return Object.values(exports as Record<string, string | { types: string }>)
    .filter((entry) => typeof entry !== 'string')
    .map(({ types }) => types);
}

/** Two thirds of the declarations belong to modules that no public one refers to. */
function removeInnerDeclarations(dist: string, entries: readonly string[]): void {
  const needed = new Set<string>();
  const rest = entries.map((entry) => normalize(entry));
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    if (needed.has(file)) continue;
    needed.add(file);
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      rest.push(join(dirname(file), `${from}.d.ts`));
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist })) if (!needed.has(file)) rmSync(join(dist, file));
  const imports = new RegExp(`from ['"](?:${VENDORED.join('|')})['"/]`);
  const vendored = [...needed].filter((file) => imports.test(readFileSync(join(dist, file), 'utf8')));
  if (vendored.length > 0)
    throw new Error(
      `Expected declarations without ${VENDORED.join(', ')}, which are not installed: ${vendored.join(', ')}`,
    );
  const missing = [...needed].filter((file) => !existsSync(join(dist, file)));
  if (missing.length > 0) throw new Error(`Expected declarations of ${missing.join(', ')}, got none`);
}
