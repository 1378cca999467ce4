import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { isSource } from '../../shared/core/base/own-file.ts';
import { bundleFunctions, FUNCTIONS_FOLDER } from '../bundle-function.ts';
import { CHROMIUM_VERSION, unpackChromium } from '../unpack-chromium.ts';
import { bundledFunctions, temporaryFolder } from './function-code.ts';

/** The function's module, with the browser beside it. */
export function rendererCode(): lambda.Code {
  return lambda.Code.fromAsset(FUNCTIONS_FOLDER, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      command: ['renderer', CHROMIUM_VERSION],
      // The CDK requires an image, and uses it only where `tryBundle` returns false.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle: (outdir) => {
          cpSync(moduleFolder(), outdir, { recursive: true });
          unpackChromium(join(outdir, 'chromium'));
          return true;
        },
      },
    },
  });
}

function moduleFolder(): string {
  if (!isSource(import.meta.url)) return join(bundledFunctions(), 'renderer');
  const folder = temporaryFolder();
  bundleFunctions(['renderer'], { outdir: folder, sourcemap: false });
  return join(folder, 'renderer');
}
