/**
 * Which statements each test file and each world runs: measured once, and again where a test file has
 * changed.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FAULT_NAMES } from '../models/faults.ts';
import type { WorldSpec } from '../worlds/spec.ts';
import { applyEdits } from './edit.ts';
import { distanceTo } from './imports.ts';
import { writeOverlay } from './overlay.ts';
import { parseSource } from './parse.ts';
import { runTestFiles, runWorlds } from './run-tests.ts';
import { mutatedFiles, ROOT, readSource } from './scope.ts';
import { notesOf, sitesOf } from './sites.ts';

/** A unit that runs the program: a test file, or a world. */
export interface Unit {
  /** CPU and waiting, measured once. */
  readonly ms: number;
  /** Numbers in the map's `ids`. */
  readonly sites: readonly number[];
}

export interface TestFileUnit extends Unit {
  /** The hash of the test file alone. */
  readonly hash: string;
  /** It fails without any mutant, and says nothing of mutants. */
  readonly failure?: string;
}

export interface CoverageMap {
  /** The ids of sites. Ids of functions that have changed since are no longer used. */
  readonly ids: string[];
  readonly testFiles: Record<string, TestFileUnit>;
  /** By seed, with all faults and with none. */
  readonly worlds: Record<'all' | 'none', Record<number, Unit>>;
}

/** Where measurements and results are kept: not a part of the repository. */
export const KEPT = join(ROOT, '.mutants');
const MAP = join(KEPT, 'coverage.json');

/** The test files of the project `unit`, but for those left out below. */
const TEST_FILES = '{test,simulation/test}/**/*.test.ts';
/** Run as worlds, or about mutants themselves. */
const LEFT_OUT = [
  'test/localstack/',
  'test/fuzz/',
  'simulation/test/command/simulate.test.ts',
  'simulation/test/command/simulate.slow.test.ts',
  'simulation/test/mutants/',
  'test/regexps/',
  'test/docs/',
];
const FILES_AT_ONCE = 8;
const WORLDS_AT_ONCE = 40;

export function loadMap(): CoverageMap {
  return existsSync(MAP)
    ? JSON.parse(readFileSync(MAP, 'utf8'))
    : { ids: [], testFiles: {}, worlds: { all: {}, none: {} } };
}

function saveMap(map: CoverageMap): void {
  mkdirSync(dirname(MAP), { recursive: true });
  writeFileSync(MAP, JSON.stringify(map));
}

export const worldSpec = (seed: number, faults: 'all' | 'none'): WorldSpec => ({
  seed,
  faults: faults === 'all' ? FAULT_NAMES : [],
});

const hashOfFile = (file: string): string =>
  createHash('sha256').update(readSource(file)).digest('hex').slice(0, 12);

/** Measures what is not known yet, and keeps what it has after each step: it can be ended at any time. */
export async function measure(
  options: { readonly worlds: number; readonly calmWorlds: number; readonly workers: number },
  say: (line: string) => void,
): Promise<CoverageMap> {
  const map = loadMap();
  const overlay = mkdtempSync(join(tmpdir(), 'strand-notes-'));
  const idsOf = noteSources(overlay);
  const numbers = new Map(map.ids.map((id, i) => [id, i]));
  const numberOf = (id: string): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, map.ids.length);
    return map.ids.push(id) - 1;
  };
  const toNumbers = (ran: Readonly<Record<string, readonly number[]>>): number[] =>
    Object.entries(ran).flatMap(([file, list]) => list.map((i) => numberOf(idsOf.get(file)?.[i] as string)));
  try {
    const unknown = testFiles().filter((file) => map.testFiles[file]?.hash !== hashOfFile(file));
    for (let from = 0; from < unknown.length; from += FILES_AT_ONCE) {
      const files = unknown.slice(from, from + FILES_AT_ONCE);
      const sitesFolder = mkdtempSync(join(tmpdir(), 'strand-sites-'));
      const run = await runTestFiles(overlay, files, {
        stopsAtFirst: false,
        sitesFolder,
        workers: options.workers,
      });
      const sites = sitesIn(sitesFolder);
      rmSync(sitesFolder, { recursive: true });
      for (const { file, ms, failure } of run.files) {
        map.testFiles[file] = {
          hash: hashOfFile(file),
          ms: Math.round(ms),
          sites: [...new Set((sites.get(file) ?? []).flatMap(toNumbers))],
          ...(failure && { failure: `${failure.test}: ${failure.message}` }),
        };
        if (failure) say(`${file} fails without a mutant: ${failure.test}: ${failure.message}`);
      }
      saveMap(map);
      say(`Test files: ${Math.min(from + FILES_AT_ONCE, unknown.length)} of ${unknown.length}`);
    }
    const specs = (['none', 'all'] as const).flatMap((faults) =>
      range(faults === 'all' ? options.worlds : options.calmWorlds)
        .filter((seed) => !map.worlds[faults][seed])
        .map((seed) => worldSpec(seed, faults)),
    );
    for (let from = 0; from < specs.length; from += WORLDS_AT_ONCE) {
      const { lines, err } = await runWorlds(overlay, specs.slice(from, from + WORLDS_AT_ONCE));
      if (lines.length === 0) throw new Error(`No world could be run: ${err}`);
      for (const { spec, ms, sites = {}, broken } of lines) {
        const kind = spec.faults.length > 0 ? 'all' : 'none';
        if (broken.length > 0)
          say(`World ${spec.seed} breaks an invariant without a mutant: ${broken[0]?.message}`);
        else map.worlds[kind][spec.seed] = { ms: Math.round(ms), sites: toNumbers(sites) };
      }
      saveMap(map);
      say(`Worlds: ${Math.min(from + WORLDS_AT_ONCE, specs.length)} of ${specs.length}`);
    }
    return map;
  } finally {
    rmSync(overlay, { recursive: true, force: true });
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** Test files that may run what is mutated, those nearest to it first. */
export function testFiles(): string[] {
  const mutated = new Set(mutatedFiles());
  return globSync(TEST_FILES, { cwd: ROOT })
    .filter((file) => !LEFT_OUT.some((left) => file.startsWith(left)))
    .sort()
    .flatMap((file) => {
      const distance = distanceTo(file, mutated);
      return distance === undefined ? [] : [{ file, distance }];
    })
    .sort((a, b) => (a.distance === b.distance ? 0 : a.distance - b.distance))
    .map(({ file }) => file);
}

/** Writes all sources with notes. Returns the ids of each file's sites. */
function noteSources(folder: string): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, readonly string[]>();
  for (const file of mutatedFiles()) {
    const source = parseSource(file, readSource(file));
    const sites = sitesOf(source);
    ids.set(
      file,
      sites.map(({ id }) => id),
    );
    writeOverlay(folder, [[file, applyEdits(source.text, notesOf(source, sites))]]);
  }
  return ids;
}

/** Returns the sites that each test file's processes have written. */
function sitesIn(folder: string): Map<string, Record<string, number[]>[]> {
  const lists = new Map<string, Record<string, number[]>[]>();
  for (const name of readdirSync(folder)) {
    const file = decodeURIComponent(name.slice(0, name.lastIndexOf('.')));
    const ran = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    lists.set(file, [...(lists.get(file) ?? []), ran]);
  }
  return lists;
}
