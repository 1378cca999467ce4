/**
 * The reference from one file to another, both relative to the same folder: `../a/b.md`, each name
 * percent-encoded.
 */
export function relativeReference(from: string, to: string): string {
  const here = from.split('/').slice(0, -1);
  const there = to.split('/');
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++;
  const up = here.slice(shared).map(() => '..');
  return [...up, ...there.slice(shared).map(encodeURIComponent)].join('/');
}
