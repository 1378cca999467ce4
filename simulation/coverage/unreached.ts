/**
 * Blocks that no world reaches, compared with those that may stay so, each for a reason (`unreached.json`).
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Block, findBlocks } from './blocks.ts';
import type { ReasonName } from './reasons.ts';

/**
 * Ranges by reason. A range is named by {@link keyOf}, which stays the same when the code moves to another
 * place or file; a file that no world loads by its name without folders.
 */
export type Accepted = Readonly<Partial<Record<ReasonName, readonly string[]>>>;

export interface Unreached {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly endLine: number;
  readonly kind: Block['kind'];
  readonly words: string;
  readonly key: string;
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

export const readAccepted = (): Accepted => JSON.parse(readFileSync(UNREACHED_FILE, 'utf8'));

const MAX_WORDS = 70;

/** The block's first words: what names it in the list, also when it has moved. */
export function wordsOf(source: string, { start, end, kind }: Block): string {
  const text = source.slice(start, end).replace(/\s+/g, ' ').slice(0, MAX_WORDS).trim();
  return kind === 'else' ? `no ${text}` : text;
}

/**
 * Its function, a hash of its code without white space, and its first words. Equal code in one function has
 * one name.
 */
export function keyOf(source: string, block: Block): string {
  const code = source.slice(block.start, block.end).replace(/\s+/g, '');
  return `${block.owner} ${hash('sha1', code).slice(0, 8)}: ${wordsOf(source, block)}`;
}

/** How the list names a file that no world loads. */
export const fileKey = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** `reached`: numbers of the blocks; undefined if no world has loaded the file. */
export function coverageOf(
  file: string,
  source: string,
  reached: ReadonlySet<number> | undefined,
  reasonOf: (name: string) => string | undefined,
): FileCoverage {
  const blocks = findBlocks(source);
  const fileReason = reached === undefined ? reasonOf(fileKey(file)) : undefined;
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
      const key = keyOf(source, block);
      const reason = fileReason ?? reasonOf(key);
      unreached.push({
        file,
        line: lineAt(source, block.start),
        endLine: lineAt(source, block.end),
        kind: block.kind,
        words: wordsOf(source, block),
        key,
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

/** Names in the list that represent no block that was missed: it was reached, or is gone. */
export function needless(accepted: Accepted, files: readonly FileCoverage[]): string[] {
  const missed = new Set(
    files.flatMap(({ file, isLoaded, unreached }) =>
      isLoaded ? unreached.map(({ key }) => key) : [fileKey(file)],
    ),
  );
  return Object.values(accepted).flatMap((names) => names.filter((name) => !missed.has(name)));
}

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;
