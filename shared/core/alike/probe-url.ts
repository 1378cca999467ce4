import { createHash } from 'node:crypto';

/** More letters than any name that somebody has given by chance. */
const LETTERS = 14;
/** Pages of programs: a server may answer for their names in another way than for others. */
const EXTENSION = /\.(?:html?|php|aspx?|jsp|cfm|do)$/i;

/**
 * Returns a URL beside the page `near` that should not exist: its folder, a name of random letters, its
 * extension or slash at the end. `salt` decides the name, so that a repeated turn requests the same URL.
 */
export function probeUrl(near: string, salt: string): string {
  const from = near.indexOf('/', 8);
  const query = near.indexOf('?', from);
  const path = query < 0 ? near.slice(from) : near.slice(from, query);
  const slash = path.length > 1 && path.endsWith('/') ? '/' : '';
  const bare = slash ? path.slice(0, -1) : path;
  const [extension = ''] = EXTENSION.exec(bare) ?? [];
  return near.slice(0, from) + bare.slice(0, bare.lastIndexOf('/') + 1) + nameOf(salt) + extension + slash;
}

function nameOf(salt: string): string {
  const bytes = createHash('sha256').update(salt).digest().subarray(0, LETTERS);
  return String.fromCharCode(...bytes.map((byte) => 0x61 + (byte % 26)));
}
