/** The last steps of MurmurHash3: each bit of the result depends on all of `hash`. */
export function mixHash(hash: number): number {
  let x = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
