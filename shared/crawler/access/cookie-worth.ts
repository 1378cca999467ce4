/** The cookies that give way in a full jar (RFC 6265bis, section 5.7). */
import type { Cookie } from 'tough-cookie';
import { MAX_COOKIES, MAX_JAR_BYTES } from '../../core/access/stored-jar.ts';

/** Marks cookies of a login, or of the operator. No attribute of a field can have this name. */
const KEPT = ';kept';

/**
 * Compares cookies: those that stay in a full jar come first. Expired ones go first, then those that were used the longest time ago, and
 * of those used together the ones that scripts may read, and the oldest. A session gives way to no other cookie: each login
 * would end at its first page.
 */
export const byWorth =
  (now: number) =>
  (a: Cookie, b: Cookie): number =>
    Number(isAlive(b, now)) - Number(isAlive(a, now)) ||
    Number(isKept(b)) - Number(isKept(a)) ||
    (isKept(a) ? byAge(a, b) : timeOf(b.lastAccessed) - timeOf(a.lastAccessed)) ||
    Number(b.httpOnly) - Number(a.httpOnly) ||
    byAge(b, a);

const byAge = (a: Cookie, b: Cookie): number =>
  timeOf(a.creation) - timeOf(b.creation) || a.creationIndex - b.creationIndex;

export const isAlive = (cookie: Cookie, now: number): boolean =>
  (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) > now;

export const isKept = ({ extensions }: Pick<Cookie, 'extensions'>): boolean =>
  extensions?.includes(KEPT) === true;

export function markKept(cookie: Cookie): void {
  if (!isKept(cookie)) cookie.extensions = [...(cookie.extensions ?? []), KEPT];
}

const timeOf = (time: Date | 'Infinity' | null): number => (time instanceof Date ? time.getTime() : 0);

/** The number of the first cookies that a jar has room for. */
export function roomFor(cookies: readonly Cookie[]): number {
  let bytes = 0;
  const end = cookies.findIndex((one, i) => {
    bytes += Buffer.byteLength(JSON.stringify(one));
    return i >= MAX_COOKIES || bytes > MAX_JAR_BYTES;
  });
  return end < 0 ? cookies.length : end;
}
