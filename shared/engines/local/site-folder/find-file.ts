/** Which file of a folder a URL means, as servers of static sites decide it. */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

export type FoundFile =
  | { readonly kind: 'file'; readonly path: string; readonly handle: FileHandle }
  /** A folder whose URL lacks the final slash: links of its page would mean other URLs. */
  | { readonly kind: 'folder' }
  /** A folder without `index.html`: its names, sorted, folders with a slash. */
  | { readonly kind: 'listing'; readonly names: readonly string[] }
  | { readonly kind: 'none' }
  /** It exists, and may not be read: no permission, or a symbolic link that leaves the folder. */
  | { readonly kind: 'forbidden' };

const INDEX_FILES = ['index.html', 'index.htm'];

const NONE: FoundFile = { kind: 'none' };
const FORBIDDEN: FoundFile = { kind: 'forbidden' };

/**
 * The file below `root` (an absolute path without symbolic links) that the path of a canonical URL means: `/a/` is
 * `a/index.html` or the list of `a`, `/a` is the file `a`, else `a.html`. Nothing outside `root` is opened, and only
 * regular files are. The caller closes the handle. Rejects where the disk fails.
 */
export async function findFile(root: string, path: string): Promise<FoundFile> {
  const names = namesOf(path);
  if (names === undefined) return NONE;
  const at = join(root, ...names);
  if (!path.endsWith('/')) {
    const found = await openInside(root, at);
    return found.kind === 'none' && names.length > 0 ? openInside(root, `${at}.html`) : found;
  }
  const found = await openInside(root, at);
  if (found.kind === 'file') {
    // Only a folder has a URL with a final slash.
    await found.handle.close();
    return NONE;
  }
  if (found.kind !== 'folder') return found;
  for (const index of INDEX_FILES) {
    const file = await openInside(root, join(at, index));
    if (file.kind !== 'none' && file.kind !== 'folder') return file;
  }
  return listing(at);
}

/** The names in a URL's path; undefined if it cannot mean a file. */
function namesOf(path: string): string[] | undefined {
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '') continue;
    let name: string;
    try {
      name = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    if (name === '.' || name === '..' || /[/\0]/.test(name) || name.includes(sep)) return undefined;
    names.push(name);
  }
  return names;
}

async function openInside(root: string, path: string): Promise<FoundFile> {
  try {
    const real = await realpath(path);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return FORBIDDEN;
    // Without waiting: a named pipe would have no writer.
    const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat().catch(() => undefined);
    if (stats?.isFile()) return { kind: 'file', path: real, handle };
    await handle.close();
    return stats?.isDirectory() ? { kind: 'folder' } : FORBIDDEN;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (ABSENT.has(code)) return NONE;
    if (CLOSED.has(code)) return FORBIDDEN;
    throw error;
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);
/** A symbolic link that leads to itself; a socket or a device without its driver. */
const CLOSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'ENODEV']);

/** Without hidden names, as servers list a folder. */
async function listing(path: string): Promise<FoundFile> {
  const entries = (await readdir(path, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.'));
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  return { kind: 'listing', names };
}
