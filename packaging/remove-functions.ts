/** The package without the Lambda functions that no project's file becomes a part of: they are bundled in a package of their own. */
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The others call the project's code, so a project bundles them itself. */
const BUNDLED = ['api', 'compactor', 'router'].map((name) => join('functions', `${name}.js`));

const IMPORTED = /["'`](\.{1,2}\/[^"'`]+\.js)["'`]/g;

/** Removes their entry modules from `dist`, and the modules that nothing else in it names. */
export function removeFunctions(dist: string): void {
  const files = globSync('**/*.js', { cwd: dist });
  const imports = new Map(files.map((file) => [file, importsOf(dist, file)]));
  for (let unused: readonly string[] = BUNDLED; unused.length > 0; ) {
    const named = unused.flatMap((file) => imports.get(file) ?? []);
    for (const file of unused) {
      imports.delete(file);
      rmSync(join(dist, file));
    }
    const kept = new Set([...imports.values()].flat());
    unused = [...new Set(named)].filter((file) => imports.has(file) && !kept.has(file));
  }
}

/** The modules that it names, whether they are loaded at once or later. */
const importsOf = (dist: string, file: string): string[] =>
  [...readFileSync(join(dist, file), 'utf8').matchAll(IMPORTED)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => existsSync(join(dist, path)));
