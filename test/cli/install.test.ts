import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>;
};

/** `import ... from 'x'`, `export ... from 'x'`, `import('x')` and `import 'x'`, but for types alone. */
const IMPORT =
  /^\s*(?:import|export)\s(?!type\b)[^;]*?\sfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

test('what runs a crawl imports only packages that `npm ci --omit=dev` installs', () => {
  const files = globSync('{cli,shared,functions}/**/*.{ts,js}', { cwd: ROOT });
  const imported = new Map<string, string>();
  for (const file of files)
    for (const [, a, b, c] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const specifier = a ?? b ?? c ?? '';
      if (!/^[.#]/.test(specifier) && !isBuiltin(specifier)) imported.set(packageOf(specifier), file);
    }
  expect([...imported.keys()]).toContain('undici');
  expect([...imported].filter(([name]) => !Object.hasOwn(dependencies, name))).toEqual([]);
});
