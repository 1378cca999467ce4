import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { isSource } from '../../shared/core/base/own-file.ts';
import { bundleFunctions, FUNCTIONS_FOLDER } from '../bundle-function.ts';
import { InvalidOptions } from '../invalid-options.ts';
import { FUNCTIONS, type FunctionName } from '../permissions.ts';

/** The package of functions that were bundled in advance. */
const PACKAGE = 'strand-crawler-functions';

/** The functions that call the project's code: the waker its `onFinish`, the exporter its modules. */
const CALL_HOOKS: ReadonlySet<FunctionName> = new Set(['worker', 'waker', 'exporter']);

/**
 * The code of a stack's functions: bundled in advance in the published package, bundled now in the repository and
 * where the project has a file of its own.
 */
export class FunctionCode {
  readonly #configFile: string | undefined;
  /** Folders of bundles that were made together with another one's. */
  readonly #made = new Map<FunctionName, string>();

  /** `configFile`: the project's file. */
  constructor(configFile: string | undefined) {
    this.#configFile = configFile === undefined ? undefined : resolve(configFile);
  }

  /** Throws {@link InvalidOptions} if what it takes is not installed. */
  of(name: FunctionName): lambda.Code {
    const configFile = this.#fileOf(name);
    if (configFile === undefined && !isSource(import.meta.url))
      return lambda.Code.fromAsset(join(bundledFunctions(), name));
    return lambda.Code.fromAsset(FUNCTIONS_FOLDER, {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        // The CDK bundles once for all that have the same command.
        command: [name, configFile ?? ''],
        // The CDK requires an image, and uses it only where `tryBundle` returns false.
        image: DockerImage.fromRegistry('none'),
        local: {
          tryBundle: (outdir) => {
            this.#bundle(name, outdir);
            return true;
          },
        },
      },
    });
  }

  #fileOf(name: FunctionName): string | undefined {
    return CALL_HOOKS.has(name) ? this.#configFile : undefined;
  }

  /** With the first function also those are bundled that have the same project's file, as they have most modules in common. */
  #bundle(name: FunctionName, outdir: string): void {
    if (!this.#made.has(name)) this.#bundleLike(name);
    const folder = this.#made.get(name) as string;
    cpSync(folder, outdir, { recursive: true });
    this.#made.delete(name);
  }

  #bundleLike(name: FunctionName): void {
    const configFile = this.#fileOf(name);
    const names = FUNCTIONS.filter((other) => this.#fileOf(other) === configFile && !this.#made.has(other));
    const outdir = temporaryFolder();
    bundleFunctions(names, { outdir, configFile, sourcemap: true });
    for (const other of names) this.#made.set(other, join(outdir, other));
  }
}

/**
 * Folders that are removed when the process ends. The CDK may request only some of the bundles: those that it has not
 * made before.
 */
const temporary: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-functions-'));
  if (temporary.push(folder) === 1)
    process.once('exit', () => {
      for (const each of temporary) rmSync(each, { recursive: true, force: true });
    });
  return folder;
}

/** The folder of the package, whose version must be this one's: both sides read the same stored formats. */
export function bundledFunctions(): string {
  const require = createRequire(import.meta.url);
  const { version } = require('../../package.json') as { version: string };
  const install = `npm install --save-dev ${PACKAGE}@${version}`;
  let path: string;
  try {
    path = require.resolve(`${PACKAGE}/package.json`);
  } catch (cause) {
    throw new InvalidOptions(`The functions' code is not installed: ${install}`, { cause });
  }
  const installed = (require(path) as { version: string }).version;
  if (installed !== version)
    throw new InvalidOptions(`Expected ${PACKAGE} ${version}, got ${installed}: ${install}`);
  return dirname(path);
}
