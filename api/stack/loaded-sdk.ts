import { missingSdk } from './missing-sdk.ts';

/**
 * A package of the SDK that functions need not have. It is imported when it is used: a project's file that imports this
 * package becomes a part of them.
 */
export async function loadedSdk<Module>(module: Promise<Module>): Promise<Module> {
  return module.catch((error: unknown) => {
    throw missingSdk(error) ?? error;
  });
}
