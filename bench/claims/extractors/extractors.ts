/**
 * The main content of real pages, as people have marked it, by Strand and by other extractors, in one run: each page goes to all of them before
 * the next one.
 *
 *     npm run bench -- extractors FOLDER [NAME...]        FOLDER: html/ and ground-truth/ (bench/content/README.md)
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { BenchOptions } from '../../claims.ts';
import type { Figure, Measured } from '../../harness/record.ts';
import { install } from '../peers/install.ts';
import { markedPages, wordF1 } from './marked-pages.ts';
import { type ExtractorProgram, PROGRAMS, STRAND } from './programs.ts';

interface Scored {
  readonly name: string;
  /** F1 of each page, by its kind. */
  readonly f1: Map<string, number[]>;
  cpuMs: number;
}

export async function measure({ words: [folder, ...names] }: BenchOptions): Promise<Measured> {
  if (folder === undefined) throw new Error('Expected a folder of pages: npm run bench -- extractors FOLDER');
  const known = PROGRAMS.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name)) throw new Error(`Expected one of ${known.join(', ')}, got ${name}`);
  const missing: string[] = [];
  const running: Extractor[] = [];
  for (const program of PROGRAMS) {
    if (names.length > 0 && !names.includes(program.name)) continue;
    const installed = install(program, import.meta.dirname);
    if ('missing' in installed) missing.push(`${program.name}: ${installed.missing}`);
    else running.push(new Extractor(program, installed.folder));
  }
  let pages = 0;
  try {
    for (const page of markedPages(folder)) {
      pages++;
      const question = JSON.stringify({ id: pages, url: page.url, html: page.html.toString('base64') });
      for (const extractor of running) {
        const { id, text, cpuMs } = await extractor.ask(question);
        if (id !== pages) throw new Error(`${extractor.scored.name} answered ${id} instead of ${pages}`);
        extractor.add(page.kind, wordF1(text, page.marked), cpuMs);
      }
    }
  } finally {
    for (const extractor of running) extractor.end();
  }
  if (pages === 0) throw new Error(`Expected pages in ${folder}/ground-truth, found none`);
  const scores = running.map(({ scored }) => scored);
  return { figures: figuresOf(scores, pages), detail: [...tableOf(scores, pages), ...missing].join('\n') };
}

/** A program that runs until all pages are read. */
class Extractor {
  readonly scored: Scored;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  constructor(program: ExtractorProgram, folder: string) {
    const [command, ...args] = program.command(folder);
    this.scored = { name: program.name, f1: new Map(), cpuMs: 0 };
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(
    question: string,
  ): Promise<{ readonly id: number; readonly text: string; readonly cpuMs: number }> {
    this.#child.stdin.write(`${question}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.scored.name} ended before it had read all pages`);
    return JSON.parse(value);
  }

  add(kind: string, f1: number, cpuMs: number): void {
    const { f1: byKind } = this.scored;
    byKind.set(kind, [...(byKind.get(kind) ?? []), f1]);
    this.scored.cpuMs += cpuMs;
  }

  end(): void {
    this.#child.stdin.end();
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const f1Of = ({ f1 }: Scored): number => meanOf([...f1.values()].flat());

/** Strand's own first. */
function figuresOf(scores: readonly Scored[], pages: number): Record<string, Figure> {
  const sorted = scores.toSorted((a, b) => Number(b.name === STRAND) - Number(a.name === STRAND));
  return Object.fromEntries(
    sorted.flatMap((scored): [string, Figure][] => [
      [`${scored.name}F1`, { value: f1Of(scored), unit: `F1 of ${scored.name}` }],
      [`${scored.name}CpuMsPerPage`, { value: scored.cpuMs / pages, unit: 'ms of CPU a page' }],
    ]),
  );
}

function tableOf(scores: readonly Scored[], pages: number): string[] {
  const kinds = [...new Set(scores.flatMap(({ f1 }) => [...f1.keys()]))].sort();
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `${pages} pages`,
    row(['', 'all', ...kinds, 'ms of CPU a page']),
    row(['---', ...kinds.map(() => '---'), '---', '---']),
    ...scores.map((scored) =>
      row([
        scored.name,
        f1Of(scored).toFixed(3),
        ...kinds.map((kind) => meanOf(scored.f1.get(kind) ?? []).toFixed(3)),
        (scored.cpuMs / pages).toFixed(1),
      ]),
    ),
  ];
}
