/**
 * Bundles `program.ts` as a checkout of the previous version has it, with its own code below: tests run it beside this
 * version. `node test/upgrade/store-program.ts FOLDER`, where FOLDER is that checkout, with its dependencies.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Expected a checkout of the previous version: store-program.ts FOLDER');
// Its own program.ts would do, but the first one of them is of this version.
const entry = join(folder, 'test/upgrade/program.ts');
mkdirSync(join(folder, 'test/upgrade'), { recursive: true });
copyFileSync(new URL('program.ts', import.meta.url), entry);
const { outputFiles } = await build({
  entryPoints: [entry],
  bundle: true,
  minify: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  // One instance for both versions, as the models of the services know commands by their names.
  external: ['@aws-sdk/*', '@smithy/*'],
  define: { 'import.meta.url': JSON.stringify('file:///previous-version.js') },
});
const code = outputFiles[0]?.contents as Uint8Array;
const file = fileURLToPath(new URL('previous-program.cjs.br', import.meta.url));
writeFileSync(file, brotliCompressSync(code));
process.stdout.write(`${code.length} bytes of code\n`);
