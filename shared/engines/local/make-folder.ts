import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidConfig } from '../../crawl/config.ts';

/** Makes the crawl's folder. Throws `InvalidConfig` where there can be none that is written to. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    let place = resolve(folder);
    while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
    const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder)
      throw new InvalidConfig(`${folder} cannot be the crawl's folder: ${place} is no folder`, { cause });
    if (!isWritable(place))
      throw new InvalidConfig(
        `${folder} cannot be the crawl's folder: ${place} may not be written to. Allow it, or choose another folder`,
        { cause },
      );
    throw cause;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
