/** Makes one file of each function and all that it imports. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Esbuild from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { isSource } from '../shared/core/base/own-file.ts';
import { eldFolder } from '../shared/services/outputs/eld-folder.ts';
import { InvalidOptions } from './invalid-options.ts';
import type { FunctionName } from './permissions.ts';

/** Where the functions' modules are, in the repository as in the package. */
export const FUNCTIONS_FOLDER = join(import.meta.dirname, '../functions');

const END = isSource(import.meta.url) ? '.ts' : '.js';

/** The module that a project's file imports from the package, in a function. */
const PACKAGE = join(import.meta.dirname, `../api/in-worker${END}`);

/** The thread in which documents are read: loaded when the first of them is fetched (`shared/crawler/media-thread`). */
const DOCUMENT_THREAD = join(import.meta.dirname, `../shared/crawler/media-thread/document-thread${END}`);

/** Some dependencies are CommonJS, and call a `require` that modules do not have. */
const BANNER =
  "import{createRequire as strandRequire}from'node:module';const require=strandRequire(import.meta.url);";

/** A function of the stack, or the one that renders pages, which knows nothing of the stack. */
export type BundledName = FunctionName | 'renderer';

/** The functions that read documents. */
const READ_DOCUMENTS: ReadonlySet<BundledName> = new Set(['worker', 'exporter']);

export interface Bundle {
  /** The module to bundle. Default: the function's own. Absolute. */
  readonly entry?: string;
  /** The folder that `index.mjs` is written to. */
  readonly outdir: string;
  /** The project's file, which replaces `#strand-config`. Absolute. */
  readonly configFile?: string | undefined;
  readonly sourcemap: boolean;
}

const SDK = ['dynamodb', 'eventbridge', 's3', 'sqs'].map((name) => `@aws-sdk/client-${name}`);

/** Throws {@link InvalidOptions} if esbuild or the AWS SDK is not installed; and what esbuild throws. */
export function bundleFunction(name: BundledName, { entry = moduleOf(name), ...bundle }: Bundle): void {
  bundleAll([{ name, entry, folder: '' }], bundle);
}

/**
 * Bundles several functions into folders of their names in `outdir`. Takes half of the time, as each module is parsed once. Throws as
 * {@link bundleFunction}.
 */
export function bundleFunctions(names: readonly BundledName[], bundle: Omit<Bundle, 'entry'>): void {
  bundleAll(
    names.map((name) => ({ name, entry: moduleOf(name), folder: `${name}/` })),
    bundle,
  );
}

interface Bundled {
  readonly name: BundledName;
  readonly entry: string;
  /** In `outdir`, with a slash at the end. */
  readonly folder: string;
}

function bundleAll(all: readonly Bundled[], { outdir, configFile, sourcemap }: Omit<Bundle, 'entry'>): void {
  const options: BuildOptions = {
    entryPoints: all.map(({ entry, folder }) => ({ in: entry, out: `${folder}index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    // Errors are recognized by their classes' names.
    keepNames: true,
    sourcemap,
    sourcesContent: false,
    legalComments: 'eof',
    banner: { js: BANNER },
    logLevel: 'silent',
    define: { IS_BUNDLED: 'true' },
    alias: {
      // `require` would not find these modules, since their package does not name them.
      'eld/dictionary': join(eldFolder(), 'dictionary.js'),
      'eld/ngrams': join(eldFolder(), 'ngrams/extrasmall.js'),
      'eld/patterns': join(eldFolder(), 'regexPatterns.js'),
      'eld/scores': join(eldFolder(), 'avgScore.js'),
      ...(configFile !== undefined && { '#strand-config': configFile, 'strand-crawler': PACKAGE }),
    },
  };
  const readers = all.filter(({ name }) => READ_DOCUMENTS.has(name));
  try {
    withEsbuild(({ buildSync }) => {
      buildSync(options);
      if (readers.length > 0) buildSync(threadOptions(options, readers));
    });
  } catch (cause) {
    if (!/Could not resolve "@aws-sdk\//.test(String(cause))) throw cause;
    throw new InvalidOptions(
      `The functions are bundled with your project file, which needs the AWS SDK: npm install ${SDK.join(' ')}`,
      { cause },
    );
  }
}

/** Its largest part comes minified. */
const threadOptions = (options: BuildOptions, readers: readonly Bundled[]): BuildOptions => ({
  ...options,
  entryPoints: readers.map(({ folder }) => ({ in: DOCUMENT_THREAD, out: `${folder}document-thread` })),
  minify: false,
  minifyWhitespace: true,
  sourcemap: false,
});

const moduleOf = (name: BundledName): string => join(FUNCTIONS_FOLDER, `${name}${END}`);

/**
 * Calls `use` with an esbuild that collects no garbage, as its own command does none: that takes a quarter less of CPU, and 0.95 GB of
 * memory instead of 0.75. They are free again when it is stopped. A value of GOGC in the environment holds.
 */
function withEsbuild(use: (esbuild: typeof Esbuild) => void): void {
  const esbuild = loadEsbuild();
  const isSet = process.env.GOGC !== undefined;
  process.env.GOGC ??= 'off';
  try {
    use(esbuild);
  } finally {
    if (!isSet) delete process.env.GOGC;
    void esbuild.stop();
  }
}

/** Loaded when needed: in the package, only projects with a file of their own have it. */
function loadEsbuild(): typeof Esbuild {
  try {
    return createRequire(import.meta.url)('esbuild');
  } catch (cause) {
    throw new InvalidOptions(
      'The functions are bundled with your project file, which needs esbuild: npm install --save-dev esbuild',
      { cause },
    );
  }
}
