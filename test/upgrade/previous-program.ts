/** The previous version of the program, as `store-program.ts` has bundled it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import type * as program from './program.ts';

const FILE = new URL('previous-program.cjs.br', import.meta.url);

/** Its `program.ts`, with all modules of its own: nothing is shared with this version but the SDK of AWS. */
export function loadPreviousProgram(): Pick<typeof program, 'startProgram'> {
  const module = { exports: {} as typeof program };
  const run = new Function(
    'module',
    'exports',
    'require',
    brotliDecompressSync(readFileSync(FILE)).toString(),
  );
  run(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}
