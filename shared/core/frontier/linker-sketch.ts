/**
 * How many registrable domains link to one, in at most 48 bytes: the hashes of up to 12 of them, and of more a
 * HyperLogLog of 64 registers (Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog", AofA 2007), whose error is about
 * 13 %. Adding is idempotent and commutative, so messages may be repeated and may overtake each other.
 */
import { fingerprint } from '../url/fingerprint.ts';

/** In base64; equal sketches have equal texts. `''`: empty. */
export type LinkerSketch = string;

export const NO_LINKERS: LinkerSketch = '';

/** As many are known exactly. */
const MAX_EXACT = 12;
const REGISTERS = 64;
/** Bits of a hash that choose its register. */
const INDEX_BITS = 6;
const RANK_BITS = 32 - INDEX_BITS;
/** The factor that makes the estimate unbiased for this number of registers. */
const ALPHA = 0.709;
/** Before registers; base64 does not have it. */
const MARK = '~';
const HASH_BYTES = 4;
const REGISTER_BYTES = (REGISTERS * 6) / 8;

type Content = { readonly hashes: readonly number[] } | { readonly registers: Uint8Array };

/** The hash of a registrable domain in sketches. */
export function linkerHash(domain: string): number {
  const out = new Uint32Array(2);
  fingerprint(domain, out, 0);
  return out[0] as number;
}

/** The sketch of some hashes. */
export const sketchOf = (hashes: Iterable<number>): LinkerSketch => encode(unite([], hashes));

/** Merges two sketches. Returns `a` itself if it has all of `b`. A text that is not a sketch counts as empty. */
export function mergeSketches(a: LinkerSketch, b: LinkerSketch): LinkerSketch {
  if (b === NO_LINKERS || a === b) return a;
  const [one, other] = [decode(a), decode(b)];
  if ('hashes' in one && 'hashes' in other) return encode(unite(one.hashes, other.hashes));
  const registers = registersOf(one).map((rank, i) => Math.max(rank, registersOf(other)[i] as number));
  return encode({ registers });
}

/** How many domains there are; of more than 12 an estimate. */
export function countLinkers(sketch: LinkerSketch): number {
  const content = decode(sketch);
  return 'hashes' in content ? content.hashes.length : estimate(content.registers);
}

function estimate(registers: Uint8Array): number {
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty++;
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
  // Few leave registers empty, whose number says more.
  const isSmall = raw <= 2.5 * REGISTERS && empty > 0;
  return Math.max(MAX_EXACT + 1, Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : raw));
}

/** The hashes in order, each once; registers if there are too many. */
function unite(a: Iterable<number>, b: Iterable<number>): Content {
  const hashes = new Set(a);
  for (const hash of b) hashes.add(hash);
  const sorted = [...hashes].sort((one, other) => one - other);
  return sorted.length > MAX_EXACT ? { registers: registersOf({ hashes: sorted }) } : { hashes: sorted };
}

function registersOf(content: Content): Uint8Array {
  if ('registers' in content) return content.registers;
  const registers = new Uint8Array(REGISTERS);
  for (const hash of content.hashes) {
    const index = hash >>> RANK_BITS;
    const rank = Math.min(RANK_BITS, Math.clz32(hash << INDEX_BITS)) + 1;
    if (rank > (registers[index] as number)) registers[index] = rank;
  }
  return registers;
}

function encode(content: Content): LinkerSketch {
  if ('hashes' in content) {
    const bytes = Buffer.alloc(content.hashes.length * HASH_BYTES);
    content.hashes.forEach((hash, i) => {
      bytes.writeUInt32BE(hash, i * HASH_BYTES);
    });
    return bytes.toString('base64');
  }
  const bytes = Buffer.alloc(REGISTER_BYTES);
  // Four registers of six bits in three bytes.
  for (let i = 0; i < REGISTERS; i += 4) {
    const [a, b, c, d] = content.registers.subarray(i, i + 4) as unknown as [number, number, number, number];
    bytes.writeUIntBE((a << 18) | (b << 12) | (c << 6) | d, (i / 4) * 3, 3);
  }
  return MARK + bytes.toString('base64');
}

function decode(sketch: LinkerSketch): Content {
  const isDense = sketch.startsWith(MARK);
  const bytes = Buffer.from(isDense ? sketch.slice(MARK.length) : sketch, 'base64');
  if (isDense && bytes.length === REGISTER_BYTES) {
    const registers = new Uint8Array(REGISTERS);
    for (let i = 0; i < REGISTERS; i += 4) {
      const four = bytes.readUIntBE((i / 4) * 3, 3);
      registers.set([four >>> 18, (four >>> 12) & 63, (four >>> 6) & 63, four & 63], i);
    }
    return { registers };
  }
  if (isDense || bytes.length % HASH_BYTES !== 0 || bytes.length > MAX_EXACT * HASH_BYTES)
    return { hashes: [] };
  return {
    hashes: Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.readUInt32BE(i * HASH_BYTES)),
  };
}
