/** Names of files for URLs: readable, unique, and safe on every common file system. */
import { createHash } from 'node:crypto';
import { routeOf } from '../../core/url/hash-route.ts';
import { fetchedUrl } from '../../core/url/request-url.ts';

/** Linux takes names of 255 bytes, and Windows whole paths of 260 characters. */
const MAX_NAME_BYTES = 80;
/** Further folders become one name. */
export const MAX_FOLDERS = 8;
/**
 * Names of devices on Windows, whatever their ending
 * (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
 */
const DEVICES = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])$/i;

/** Gives each URL a path of its own. Paths differ in more than {@link keyOf} folds. */
export interface DocumentPaths {
  /** Chooses a path for a canonical URL: `example.org/guide/start.md`. Deterministic. */
  add(url: string): string;
  /** The path of a URL that was added. */
  pathOf(url: string): string | undefined;
}

/**
 * `http://a.org/` is `a.org/index.md`, `/guide/` is `guide/index.md`, `/a.html` and `/a` are `a.md`. A query
 * becomes a part of the name. Where two URLs would have the same path, the later one has eight digits of its
 * SHA-256 in its name.
 */
export function createDocumentPaths(): DocumentPaths {
  const paths = new Map<string, string>();
  const taken = new Set<string>();
  return {
    add(url) {
      const known = paths.get(url);
      if (known !== undefined) return known;
      const stem = stemOf(url);
      const path = firstFree(
        [`${stem}.md`, `${stem}~${shortHash(url)}.md`],
        (n) => `${stem}~${shortHash(url)}-${n}.md`,
        (candidate) => !taken.has(keyOf(candidate)),
      );
      taken.add(keyOf(path));
      paths.set(url, path);
      return path;
    },
    pathOf: (url) => paths.get(url),
  };
}

/** Returns the first path that is free. The name with the hash may be that of another page, by chance or on purpose. */
export function firstFree(
  candidates: readonly string[],
  numbered: (n: number) => string,
  isFree: (path: string) => boolean,
): string {
  const free = candidates.find(isFree);
  if (free !== undefined) return free;
  let n = 2;
  while (!isFree(numbered(n))) n++;
  return numbered(n);
}

/**
 * Two names are one on a file system of Windows or macOS if their keys are: these fold letter case (APFS in full: `ß` is
 * `SS`, `ſ` is `s`) and Unicode's forms.
 */
export const keyOf = (path: string): string =>
  path.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

function stemOf(url: string): string {
  const { host, pathname, search } = new URL(withoutHash(url));
  const words = pathname.split('/').slice(1);
  const last = words.pop() ?? '';
  const folders = words.filter((word) => word !== '').map(folderName);
  if (folders.length > MAX_FOLDERS) {
    const rest = folders.splice(MAX_FOLDERS - 1);
    folders.push(folderName(rest.join('_')));
  }
  const page = last === '' ? 'index' : decoded(last).replace(/\.x?html?$/i, '');
  const query = search === '' ? '' : `_${decoded(search.slice(1))}`;
  return [folderName(host), ...folders, fileName(`${page === '' ? 'index' : page}${query}`)].join('/');
}

/** A route behind `#` as if it were a path: `http://a.org/#/guide` is `a.org/guide.md`. */
function withoutHash(url: string): string {
  const route = routeOf(url);
  if (route === undefined) return url;
  const shell = fetchedUrl(url);
  return `${shell.endsWith('/') ? shell.slice(0, -1) : shell.replace('?', '/')}${route.replace(/^#!?/, '')}`;
}

/** Never ends as files do, so that a folder cannot have the name of a file. */
const folderName = (text: string): string => fileName(text).replace(/\.md$/i, '$&_');

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not UTF-8: stays as it is.
    return text;
  }
}

/** A name without characters that a file system, a shell or a person would stumble over. */
export function fileName(text: string): string {
  const clean = decoded(text)
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}<>:"/\\|?*'`$&;!#%{}]+/gu, '_')
    .replace(/^[.\-~]|[. ]$/g, '_');
  const stem = clean.split('.', 1)[0] as string;
  const name = DEVICES.test(stem) ? `${stem}_${clean.slice(stem.length)}` : clean;
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  let cut = name.slice(0, MAX_NAME_BYTES);
  while (Buffer.byteLength(cut) > MAX_NAME_BYTES - 9) cut = cut.slice(0, -1);
  return `${cut.toWellFormed().replace(/\ufffd$/, '')}~${shortHash(text)}`;
}
