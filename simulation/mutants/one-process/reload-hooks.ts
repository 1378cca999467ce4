/**
 * Loads a module, and all that import it, again for each job: their URLs get the job's number. Everything
 * else is loaded once for the process.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { absolute } from './importers.ts';

const SMALL_VITEST = new URL('small-vitest.ts', import.meta.url).href;
const QUERY = '?job=';

interface Reloading {
  /** The module that is replaced, by its path. */
  readonly path: string;
  /** Its source in the place of the one on the disk, if it has another. */
  readonly source: string | undefined;
  /** The paths that are loaded again. */
  readonly paths: ReadonlySet<string>;
}

let reloading: Reloading = { path: '', source: undefined, paths: new Set() };
let jobs = 0;

/** Says what is loaded from now on. Returns the URL of a test file for that. */
export function reload(
  file: string,
  source: string | undefined,
  loaders: ReadonlySet<string>,
): (testFile: string) => string {
  reloading = { path: absolute(file), source, paths: new Set([...loaders].map(absolute)) };
  const query = `${QUERY}${++jobs}`;
  return (testFile) => pathToFileURL(absolute(testFile)).href + query;
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const from = context.parentURL ?? '';
    if (specifier === 'vitest' && from !== SMALL_VITEST) return { url: SMALL_VITEST, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    const query = queryOf(from);
    if (query === '' || !resolved.url.startsWith('file:')) return resolved;
    return reloading.paths.has(fileURLToPath(resolved.url))
      ? { ...resolved, url: resolved.url + query }
      : resolved;
  },
  load(url, context, nextLoad) {
    const query = queryOf(url);
    const { source } = reloading;
    const isReplaced =
      source !== undefined &&
      query === `${QUERY}${jobs}` &&
      fileURLToPath(url.slice(0, -query.length)) === reloading.path;
    return isReplaced ? { format: 'module-typescript', source, shortCircuit: true } : nextLoad(url, context);
  },
});

function queryOf(url: string): string {
  const at = url.indexOf(QUERY);
  return at < 0 ? '' : url.slice(at);
}
