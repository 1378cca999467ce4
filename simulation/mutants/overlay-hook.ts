/**
 * Loaded before a program (`--import`): what Node loads comes from the overlay, and what ran is written at
 * the end.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { noteSites, overlaid } from './overlay.ts';

registerHooks({
  load(url, context, nextLoad) {
    const source = url.startsWith('file:') ? overlaid(fileURLToPath(new URL(url))) : undefined;
    return source === undefined
      ? nextLoad(url, context)
      : { format: 'module-typescript', source, shortCircuit: true };
  },
});

process.on('exit', noteSites);
