import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { isSource } from '../../shared/own-file.ts';
import { bundleFunction, FUNCTIONS_FOLDER } from '../bundle-function.ts';
import { InvalidOptions } from '../invalid-options.ts';
import type { FunctionName } from '../permissions.ts';

/** The package of functions that were bundled in advance. */
const PACKAGE = 'strand-crawler-functions';

/**
 * The code of a function: bundled in advance in the published package, bundled now in the repository and
 * where the project has a file of its own. Throws {@link InvalidOptions} if what it takes is not installed.
 */
export function functionCode(name: FunctionName, configFile: string | undefined): lambda.Code {
  if (configFile === undefined && !isSource(import.meta.url))
    return lambda.Code.fromAsset(join(bundledFunctions(), name));
  return lambda.Code.fromAsset(FUNCTIONS_FOLDER, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The CDK bundles once for all that have the same command.
      command: [name, configFile ?? ''],
      // The CDK asks for an image, and uses it only where `tryBundle` returns false.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(outdir) {
          const file = configFile === undefined ? undefined : resolve(configFile);
          bundleFunction(name, { outdir, configFile: file, sourcemap: true });
          return true;
        },
      },
    },
  });
}

/** The folder of the package, whose version must be this one's: both sides read the same stored formats. */
function bundledFunctions(): string {
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
