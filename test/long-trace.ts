/**
 * Long series of inputs that look random and are the same each time, and lines that say what a piece of the program makes of
 * them, for golden files. What crawls keep (in heads of hosts, in records, in counters) must be read, and gone on with, by
 * later versions: so the same inputs have to give the same states.
 */
import { createHash } from 'node:crypto';
import { seededRandom } from './crawler/worker/fake-clock.ts';
import { textOf } from './golden.ts';

export interface Draw {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  of<T>(items: readonly T[]): T;
  /** 32 bits. */
  bits(): number;
}

export function draws(seed: number): Draw {
  const random = seededRandom(seed);
  const int = (below: number) => Math.floor(random() * below);
  return {
    int,
    chance: (share) => random() < share,
    of: (items) => items[int(items.length)] as never,
    bits: () => int(2 ** 32),
  };
}

/** The value as a line. The last digits of fractions are left out: they are not the same with each library of the machine. */
export const shown = (value: unknown): string => textOf(withFewDigits(value));

function withFewDigits(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(withFewDigits);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withFewDigits(part)]));
}

/** The last line of each piece of `size` lines, after a hash of the whole piece. With `STRAND_TRACE=1` it prints all lines: compare two runs. */
export function inPieces(lines: readonly string[], size: number): string[] {
  if (process.env.STRAND_TRACE) process.stdout.write(`${lines.join('\n')}\n`);
  const pieces: string[] = [];
  for (let from = 0; from < lines.length; from += size) {
    const piece = lines.slice(from, from + size);
    const hash = createHash('sha256').update(piece.join('\n')).digest('hex').slice(0, 12);
    pieces.push(`${hash} ${piece.at(-1)}`);
  }
  return pieces;
}
