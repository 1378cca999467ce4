/** Which blocks of the program this process has run, by V8's precise coverage. */
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { type Block, findBlocks } from './blocks.ts';
import { isCovered, ROOT } from './covered-files.ts';

/** Numbers of the blocks that were reached (their places in what `findBlocks` gives), by file. */
export type Reached = Readonly<Record<string, readonly number[]>>;

export interface CoverageProbe {
  /** Returns the blocks that were reached since the last call and never before, and forgets the rest. */
  take(): Reached;
  /** Ignores all blocks reached since the last call. */
  skip(): void;
}

/** To be called before the program is loaded: what has run before is not seen. */
export function startCoverage(): CoverageProbe {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const blocks = new Map<string, readonly Block[]>();
  const known = new Map<string, Set<number>>();

  /** Counts start at zero again. */
  function scripts(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = [];
    // A session with its own thread answers before `post` returns.
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error) throw error;
      ({ result } = taken);
    });
    return result;
  }

  return {
    skip: () => void scripts(),
    take() {
      const reached: Record<string, number[]> = {};
      for (const { url, functions } of scripts()) {
        const file = url.startsWith(ROOT) ? url.slice(ROOT.length) : '';
        if (!isCovered(file)) continue;
        const own = blocks.get(file) ?? findBlocks(readFileSync(fileURLToPath(url), 'utf8'));
        blocks.set(file, own);
        const seen = known.get(file) ?? new Set();
        known.set(file, seen);
        const countAt = counter(functions);
        own.forEach((block, i) => {
          if (seen.has(i) || !isReached(block, countAt)) return;
          seen.add(i);
          reached[file] ??= [];
          reached[file].push(i);
        });
        // Also a file of which nothing ran has been loaded.
        if (seen.size === 0) reached[file] ??= [];
      }
      return reached;
    },
  };
}

function isReached({ kind, start, consequent }: Block, countAt: (at: number) => number): boolean {
  const count = countAt(start);
  return kind === 'else' ? count > countAt(consequent as number) : count > 0;
}

/** How often the code at a place ran. A range within another one counts before it. */
function counter(functions: readonly Profiler.FunctionCoverage[]): (at: number) => number {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  return (at) => {
    let count = 0;
    for (const range of ranges) {
      if (range.startOffset > at) break;
      if (range.endOffset > at) count = range.count;
    }
    return count;
  };
}
