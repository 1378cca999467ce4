/**
 * Puts those parts of zod that the package uses into one file of it. zod has translations and older versions
 * beside them: 8 MB, a quarter of an installation, and 100 files to load at each start.
 */
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

const FILE = 'shared/zod.js';

/** Throws if a module of `dist` imports zod in another form than `import { z } from 'zod'`. */
export function vendorZod(dist: string, root: string): void {
  const used = new Set<string>();
  for (const file of globSync('**/*.js', { cwd: dist })) {
    const path = join(dist, file);
    const text = readFileSync(path, 'utf8');
    if (!/['"]zod(?:\/[^'"]*)?['"]/.test(text)) continue;
    const own = relative(dirname(file), FILE).replaceAll('\\', '/');
    const specifier = own.startsWith('.') ? own : `./${own}`;
    const replaced = text.replace(/^import \{ z \} from 'zod';$/m, `import { z } from '${specifier}';`);
    if (replaced === text) throw new Error(`Expected import { z } from 'zod' in ${file}`);
    writeFileSync(path, replaced);
    for (const [, name = ''] of text.matchAll(/\bz\s*\.(\w+)/g)) used.add(name);
  }
  const members = [...used].sort().map((name) => `${name}: all.${name}`);
  buildSync({
    stdin: {
      // The module that is imported sets the language of messages; alone, its parts would have none.
      contents: `import * as all from 'zod'; import { en } from 'zod/locales'; all.config(en()); export const z = { ${members.join()} };`,
      resolveDir: root,
    },
    outfile: join(dist, FILE),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    minify: true,
    banner: { js: '/*! Parts of zod, MIT License: see zod-LICENSE beside this file. */' },
  });
  copyFileSync(join(root, 'node_modules/zod/LICENSE'), join(dist, 'shared/zod-LICENSE'));
}
