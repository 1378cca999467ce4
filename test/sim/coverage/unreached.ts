/** Blocks that no world reaches, compared with those that may stay so, each for a reason (`unreached.json`). */
import { readFileSync } from 'node:fs';
import { type Block, findBlocks } from './blocks.ts';

/** `FILE`, or `FILE: CODE`, where the code is the block's first words as {@link wordsOf} gives them. */
export interface Accepted {
  readonly reason: string;
  readonly blocks: readonly string[];
}

export interface Unreached {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly endLine: number;
  readonly kind: Block['kind'];
  readonly words: string;
  readonly reason?: string;
}

export interface FileCoverage {
  readonly file: string;
  readonly isLoaded: boolean;
  readonly blocks: number;
  readonly reachedBlocks: number;
  readonly lines: number;
  readonly reachedLines: number;
  /** Blocks that were not reached, and may not be. */
  readonly acceptedBlocks: number;
  /** The outermost ones. */
  readonly unreached: readonly Unreached[];
}

export const UNREACHED_FILE = new URL('unreached.json', import.meta.url);

export const readAccepted = (): Accepted[] => JSON.parse(readFileSync(UNREACHED_FILE, 'utf8'));

const MAX_WORDS = 70;

/** The block's first words: what names it in the list, also when it has moved. */
export function wordsOf(source: string, { start, end, kind }: Block): string {
  const text = source.slice(start, end).replace(/\s+/g, ' ').slice(0, MAX_WORDS).trim();
  return kind === 'else' ? `no ${text}` : text;
}

/** `reached`: numbers of the blocks; undefined if no world has loaded the file. */
export function coverageOf(
  file: string,
  source: string,
  reached: ReadonlySet<number> | undefined,
  reasonOf: (name: string) => string | undefined,
): FileCoverage {
  const blocks = findBlocks(source);
  const fileReason = reasonOf(file);
  const unreached: Unreached[] = [];
  const count = { blocks: 0, reachedBlocks: 0, lines: 0, reachedLines: 0, acceptedBlocks: 0 };
  /** The end of the last outermost block that was not reached, and whether it is accepted. */
  let open = { end: -1, isAccepted: false };
  for (const [i, block] of blocks.entries()) {
    const isLine = block.kind === 'line';
    const isReached = reached?.has(i) ?? false;
    count[isLine ? 'lines' : 'blocks']++;
    if (isReached) {
      count[isLine ? 'reachedLines' : 'reachedBlocks']++;
      continue;
    }
    if (block.start >= open.end) {
      const words = wordsOf(source, block);
      const reason = fileReason ?? reasonOf(`${file}: ${words}`);
      unreached.push({
        file,
        line: lineAt(source, block.start),
        endLine: lineAt(source, block.end),
        kind: block.kind,
        words,
        ...(reason !== undefined && { reason }),
      });
      // Where an `if` is always true, what it holds was reached.
      const end = block.kind === 'else' ? block.start : block.end;
      open = { end, isAccepted: reason !== undefined };
      if (!isLine && reason !== undefined) count.acceptedBlocks++;
    } else if (!isLine && open.isAccepted) count.acceptedBlocks++;
  }
  return { file, isLoaded: reached !== undefined, ...count, unreached };
}

/** Names in the list that stand for no block that was missed: it was reached, or is gone. */
export function needless(accepted: readonly Accepted[], files: readonly FileCoverage[]): string[] {
  const missed = new Set(
    files.flatMap(({ file, unreached }) => [
      ...(unreached.length > 0 ? [file] : []),
      ...unreached.map(({ words }) => `${file}: ${words}`),
    ]),
  );
  return accepted.flatMap(({ blocks }) => blocks.filter((name) => !missed.has(name)));
}

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;
