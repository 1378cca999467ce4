/** The function that renders pages. It has no permissions and no settings, and makes no request. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRendererHandler } from './renderer-handler.ts';

export const handler = createRendererHandler({
  browserFolder: join(import.meta.dirname, 'chromium'),
  temporaryFolder: tmpdir(),
  libraryPath: process.env.LD_LIBRARY_PATH,
});
