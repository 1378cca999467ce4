/** Chance from a seed: the same parts always give the same numbers, on any machine. */

/** 32 bits of FNV-1a over the parts, mixed so that every bit counts. */
export function hash(...parts: readonly (string | number)[]): number {
  let h = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    h = Math.imul(h ^ 0xff, 0x01000193);
  }
  return mix(h) >>> 0;
}

/** Uniform numbers in [0, 1), in an order fixed by the parts. */
export function stream(...parts: readonly (string | number)[]): () => number {
  let state = hash(...parts);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

/** A whole number in [0, n), small ones often: rank r comes with a chance of about 1 / r (Zipf). */
export function zipf(uniform: number, n: number): number {
  return Math.min(n - 1, Math.floor((n + 1) ** uniform) - 1);
}

/** A factor with mean 1 and a heavy tail (log-normal, sigma 1): most are under 1, a few far above. */
export function skewed(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(normal - 0.5);
}

/** MurmurHash3's finalizer. */
function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
