/** Lines that are sorted in slices: each slice keeps sorted runs as objects of the work, and later ones merge them. */
import { mergeSorted } from '../../core/archive/merge-sorted.ts';
import { linesAfter } from '../../core/archive/search-lines.ts';
import type { SortedLines } from './export-archive.ts';
import type { ExportContext, ExportFacts } from './export-context.ts';

/** Sorts behind every line, which is ASCII. */
export const END = '\u{7f}';
/** The bytes of all texts that are held together, and of one at least and at most. */
const HELD_BYTES = 256 * 1024 * 1024;
const MIN_WINDOW_BYTES = 64 * 1024;
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;

/** Yields the lines of all texts behind `after` (a line with its line feed, or nothing), sorted, with their line feeds. */
export function mergedLines(sources: readonly SortedLines[], after = ''): AsyncGenerator<string> {
  const share = Math.floor(HELD_BYTES / sources.length);
  const windowBytes = Math.max(MIN_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, share));
  return mergeSorted(sources.map(([read, bytes]) => linesAfter(read, bytes, after, windowBytes)));
}

/** Yields lines that are sorted, each once. */
async function* unique(sorted: AsyncIterable<string>): AsyncGenerator<string> {
  let before: string | undefined;
  for await (const line of sorted) {
    if (line !== before) yield line;
    before = line;
  }
}

/** The runs of that name. */
export const runsOf = (
  { objects }: Pick<ExportContext, 'objects'>,
  { runs = {} }: ExportFacts,
  name: string,
): SortedLines[] => (runs[name] ?? []).map(([run, bytes]) => [objects.workReader(run, bytes), bytes]);

/** Yields the lines of the runs of that name behind `after`, each once. */
export const linesOfRuns = (
  context: ExportContext,
  facts: ExportFacts,
  name: string,
  after?: string,
): AsyncGenerator<string> => unique(mergedLines(runsOf(context, facts, name), after));

/** Characters of a run, which are held in memory until it is stored. */
const RUN_CHARS = 16 * 1024 * 1024;

/** Keeps lines as runs, each sorted and without doubles. */
export class LineRuns {
  readonly #context: ExportContext;
  readonly #name: string;
  readonly #runs: (readonly [name: string, bytes: number])[];
  /** Links repeat: of most lines, only the first is kept. */
  #lines = new Set<string>();
  #chars = 0;

  /**
   * `facts`: with the runs of earlier slices. Names of objects follow from `name` and their number, so a slice that is
   * repeated replaces its own.
   */
  constructor(context: ExportContext, name: string, { runs = {} }: ExportFacts) {
    this.#context = context;
    this.#name = name;
    this.#runs = [...(runs[name] ?? [])];
  }

  /** ASCII, with a line feed. Calls must not overlap. */
  async add(line: string): Promise<void> {
    const before = this.#lines.size;
    this.#lines.add(line);
    if (this.#lines.size > before) this.#chars += line.length;
    if (this.#chars >= RUN_CHARS) await this.#store();
  }

  /** Returns the facts with all runs. Nothing may be added after it. */
  async end(facts: ExportFacts): Promise<ExportFacts> {
    if (this.#lines.size > 0) await this.#store();
    return { ...facts, runs: { ...facts.runs, [this.#name]: this.#runs } };
  }

  async #store(): Promise<void> {
    const body = Buffer.from([...this.#lines].sort().join(''), 'latin1');
    this.#lines = new Set();
    this.#chars = 0;
    const name = `${this.#name}-${this.#runs.length}`;
    await this.#context.objects.putWork(name, body);
    this.#runs.push([name, body.length]);
  }
}
