/**
 * MurmurHash3_x86_128 over bytes, written for plainness: whole numbers, no word tricks. The oracle of the
 * tests.
 */

const MASK = 0xffffffffn;
const KEYS = [
  { before: 0x239b961bn, rotate: 15n, after: 0xab0e9789n },
  { before: 0xab0e9789n, rotate: 16n, after: 0x38b34ae5n },
  { before: 0x38b34ae5n, rotate: 17n, after: 0xa1e38b93n },
  { before: 0xa1e38b93n, rotate: 18n, after: 0x239b961bn },
];
const STATES = [
  { rotate: 19n, add: 0x561ccd1bn },
  { rotate: 17n, add: 0x0bcaa747n },
  { rotate: 15n, add: 0x96cd1c35n },
  { rotate: 13n, add: 0x32ac3b17n },
];

/** The four words of the hash. */
export function murmur128(bytes: Uint8Array, seed: number): number[] {
  const h = [0, 1, 2, 3].map(() => BigInt(seed));
  const padded = new Uint8Array(Math.ceil(bytes.length / 16) * 16);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += 16) {
    for (let i = 0; i < 4; i++) {
      const { before, rotate, after } = KEYS[i]!;
      const k = BigInt(view.getUint32(block + 4 * i, true));
      h[i]! ^= (rotl((k * before) & MASK, rotate) * after) & MASK;
      if (block + 16 > bytes.length) continue;
      const state = STATES[i]!;
      h[i] = ((rotl(h[i]!, state.rotate) + h[(i + 1) % 4]!) * 5n + state.add) & MASK;
    }
  }
  const withLength = h.map((x) => x ^ BigInt(bytes.length));
  return spread(spread(withLength).map(avalanche)).map(Number);
}

function spread(h: bigint[]): bigint[] {
  const sum = h.reduce((a, b) => a + b) & MASK;
  return [sum, ...h.slice(1).map((x) => (x + sum) & MASK)];
}

function avalanche(x: bigint): bigint {
  let y = ((x ^ (x >> 16n)) * 0x85ebca6bn) & MASK;
  y = ((y ^ (y >> 13n)) * 0xc2b2ae35n) & MASK;
  return y ^ (y >> 16n);
}

const rotl = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (32n - by))) & MASK;
