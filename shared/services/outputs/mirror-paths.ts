/** Names of files for a copy of a site that browsers read from a disk. */
import { decoded, fileName, firstFree, keyOf, MAX_FOLDERS, shortHash } from './document-paths.ts';

/** Endings by which browsers know what a file is; the first is the one that is added. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  'text/html': ['.html', '.htm', '.xhtml'],
  'application/xhtml+xml': ['.xhtml', '.html'],
  'text/css': ['.css'],
  'text/javascript': ['.js', '.mjs'],
  'application/javascript': ['.js', '.mjs'],
  'application/json': ['.json'],
  'image/svg+xml': ['.svg'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
  'font/woff2': ['.woff2'],
  'text/plain': ['.txt', '.md', '.log', '.text'],
};

/** Gives each URL a path of its own, as a file of a folder tree: no file has the name of a folder. */
export interface MirrorPaths {
  /** Chooses a path for a canonical URL, the same each time. `type`: its media type, which decides the ending. */
  add(url: string, type: string | undefined): string;
  pathOf(url: string): string | undefined;
}

/**
 * `http://a.org/` is `a.org/index.html`, `/guide/` is `guide/index.html`, `/a` with HTML is `a.html`, `/b.php?x=1`
 * is `b.php_x=1.html`. Characters that a file system may refuse, `..`, names of devices and long names are
 * replaced. Where two URLs would have the same path, also on a file system that folds letter case, the later one
 * has eight digits of its SHA-256 in its name.
 */
export function createMirrorPaths(): MirrorPaths {
  const paths = new Map<string, string>();
  const files = new Set<string>();
  const folders = new Set<string>();

  const isFree = (path: string): boolean =>
    !files.has(keyOf(path)) &&
    !folders.has(keyOf(path)) &&
    parentsOf(path).every((one) => !files.has(keyOf(one)));

  return {
    add(url, type) {
      const known = paths.get(url);
      if (known !== undefined) return known;
      const [host, ...rest] = partsOf(url);
      const last = rest.pop() as string;
      const hash = shortHash(url);
      const candidates = [
        [host, ...rest, withEnding(last, type)],
        [host, ...rest, withEnding(`${last}~${hash}`, type)],
        [host, `~${hash}`, withEnding(last, type)],
      ].map((parts) => parts.join('/'));
      const path = firstFree(candidates, (n) => `${host}/~${hash}-${n}/${withEnding(last, type)}`, isFree);
      files.add(keyOf(path));
      for (const folder of parentsOf(path)) folders.add(keyOf(folder));
      paths.set(url, path);
      return path;
    },
    pathOf: (url) => paths.get(url),
  };
}

/** Host, folders, and the name of the file. */
function partsOf(url: string): string[] {
  const { host, pathname, search } = new URL(url);
  const words = pathname.split('/').slice(1);
  const last = words.pop() ?? '';
  const folders = words.filter((word) => word !== '').map(fileName);
  if (folders.length > MAX_FOLDERS) folders.push(fileName(folders.splice(MAX_FOLDERS - 1).join('_')));
  const query = search === '' ? '' : `_${decoded(search.slice(1))}`;
  return [fileName(host), ...folders, fileName(`${last === '' ? 'index' : decoded(last)}${query}`)];
}

function withEnding(name: string, type = ''): string {
  const endings = Object.hasOwn(ENDINGS, type) ? (ENDINGS[type] as readonly string[]) : [];
  const [first] = endings;
  const lower = name.toLowerCase();
  return first === undefined || endings.some((ending) => lower.endsWith(ending)) ? name : name + first;
}

/** `a`, `a/b` of `a/b/c`. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}
