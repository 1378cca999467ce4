/** The many ways in which a page may write the same URL. */
import type { Random } from '../models/random.ts';

/**
 * A reference that means `url` on the page `base`. Both canonical. In HTML's attribute form, for double
 * quotes.
 */
export function spell(url: string, base: string, random: Random): string {
  const reference = refer(url, base, random());
  const disguised = random() < 0.1 ? disguise(reference) : reference;
  const whole = random() < 0.1 ? `${disguised}#part-${Math.floor(random() * 9)}` : disguised;
  return whole.includes('&') && random() < 0.8 ? whole.replaceAll('&', '&amp;') : whole;
}

function refer(url: string, base: string, way: number): string {
  if (way < 0.25) return url;
  const pathAt = url.indexOf('/', 8);
  const site = url.slice(0, pathAt);
  const basePathAt = base.indexOf('/', 8);
  const path = url.slice(pathAt);
  if (site !== base.slice(0, basePathAt)) {
    if (way < 0.4 && schemeOf(url) === schemeOf(base)) return url.slice(url.indexOf('//'));
    return way < 0.5 ? capital(url, site, path) : url;
  }
  if (url === base && way < 0.7) return '#top';
  if (way < 0.5) return path;
  if (way < 0.55) return capital(url, site, path);
  if (way < 0.6) return `/${way < 0.575 ? 'old/..' : '.'}${path}`;
  return relative(path, base.slice(basePathAt));
}

const schemeOf = (url: string): string => url.slice(0, url.indexOf(':'));

/** Scheme and host in capitals, the scheme's own port written out. */
function capital(url: string, site: string, path: string): string {
  const hasPort = site.includes(':', 8);
  const port = hasPort ? '' : url.startsWith('https') ? ':443' : ':80';
  return site.toUpperCase() + port + path;
}

/** From the folder of `basePath` to `path`. */
function relative(path: string, basePath: string): string {
  const from = folders(basePath);
  const to = folders(path);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++;
  const up = '../'.repeat(from.length - shared);
  const down = to.slice(shared).map((folder) => `${folder}/`);
  const file = path.slice(pathEndOfFolder(path));
  const reference = up + down.join('') + file;
  // A reference that begins with `?`, or is empty, would mean the page itself.
  return reference === '' || reference.startsWith('?') ? `./${reference}` : reference;
}

function pathEndOfFolder(path: string): number {
  const query = path.indexOf('?');
  return path.lastIndexOf('/', query < 0 ? path.length : query) + 1;
}

const folders = (path: string): string[] => path.slice(1, pathEndOfFolder(path)).split('/').slice(0, -1);

/** Other octets, the same URL: RFC 3986, section 6.2.2, and what a browser escapes by itself. */
function disguise(reference: string): string {
  return reference
    .replace('%C3%A9', 'é')
    .replace('~', '%7e')
    .replace('%20', ' ')
    .replace('/news/', '/n%65ws/');
}
