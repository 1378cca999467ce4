/** Whether the tests notice a mutant, and which of them do so first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CoverageMap, type Unit, worldSpec } from './coverage.ts';
import { applyEdits } from './edit.ts';
import type { Mutant } from './mutants.ts';
import { judgeInProcess } from './one-process/judge-in-process.ts';
import type { TestRunner } from './one-process/test-runner.ts';
import { writeOverlay } from './overlay.ts';
import { runTestFiles, runWorlds } from './run-tests.ts';
import { readSource } from './scope.ts';
import { stageOf, type Verdict } from './verdict.ts';

export interface JudgeOptions {
  /** Worlds with all faults, and with none, of which those are run that reach the mutant. */
  readonly worlds: number;
  readonly calmWorlds: number;
  /**
   * The longest time for a mutant, by the time that its test files and worlds took when they were measured:
   * half for each.
   */
  readonly effortMs: number;
}

/** Test files that take no longer than this together are run before the first worlds. */
const QUICK_MS = 5000;
const QUICK_WORLDS = 24;

export interface JudgeTools {
  readonly map: CoverageMap;
  readonly runner: TestRunner;
  /** Test files that it has passed before. */
  readonly passed: readonly string[];
}

export async function judge(mutant: Mutant, tools: JudgeTools, options: JudgeOptions): Promise<Verdict> {
  const { map, runner } = tools;
  const folder = mkdtempSync(join(tmpdir(), 'strand-mutant-'));
  try {
    writeOverlay(folder, [[mutant.file, applyEdits(readSource(mutant.file), mutant.edits)]]);
    const files = within(options.effortMs / 2, testFilesFor(mutant, map), ([, unit]) => unit);
    const worlds = within(
      options.effortMs / 2,
      worldsFor(mutant, map, options),
      ([seed, faults]) => map.worlds[faults][seed] as Unit,
    );
    const quick = within(QUICK_MS, files, ([, unit]) => unit);
    const done = new Set(tools.passed);
    const restOf = (list: typeof files) => list.map(nameOf).filter((file) => !done.has(file));
    const inProcess = async () => {
      const { verdict, passed } = await judgeInProcess(runner, mutant, restOf(files), options.effortMs / 2);
      for (const file of passed) done.add(file);
      return verdict;
    };
    const stages = [
      inProcess,
      () => inTests(folder, restOf(quick)),
      () => inWorlds(folder, worlds.slice(0, QUICK_WORLDS)),
      () => inTests(folder, restOf(files.slice(quick.length))),
      () => inWorlds(folder, worlds.slice(QUICK_WORLDS)),
    ];
    for (const stage of stages) {
      const verdict = await stage();
      if (verdict) return verdict;
    }
    const testFiles = new Set([...done, ...files.map(nameOf)]).size;
    return { kind: 'survived', testFiles, worlds: worlds.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first ones, which take no longer than that together; two in any case. */
function within<T>(ms: number, list: readonly T[], unitOf: (item: T) => Unit): T[] {
  let sum = 0;
  const end = list.findIndex((item) => {
    sum += unitOf(item).ms;
    return sum > ms;
  });
  return list.slice(0, end < 0 ? list.length : Math.max(2, end));
}

const nameOf = ([name]: readonly [string, unknown]): string => name;

/** Test files that run the mutant's statement, the cheapest first. */
function testFilesFor(mutant: Mutant, map: CoverageMap): [string, Unit][] {
  const runs = reacherOf(mutant, map);
  return Object.entries(map.testFiles)
    .filter(([, unit]) => unit.failure === undefined && runs(unit))
    .sort(([, a], [, b]) => a.ms - b.ms);
}

type KnownWorld = readonly [seed: number, faults: 'all' | 'none'];

/** Worlds that run the mutant's statement; where faults are on and where they are off in turn. */
function worldsFor(mutant: Mutant, map: CoverageMap, options: JudgeOptions): KnownWorld[] {
  const runs = reacherOf(mutant, map);
  const reaching = (faults: 'all' | 'none', count: number) =>
    Object.entries(map.worlds[faults])
      .filter(([seed, unit]) => Number(seed) <= count && runs(unit))
      .map(([seed]) => [Number(seed), faults] as const);
  const [wild, calm] = [reaching('all', options.worlds), reaching('none', options.calmWorlds)];
  return wild.flatMap((world, i) => (calm[i] ? [world, calm[i]] : [world])).concat(calm.slice(wild.length));
}

/**
 * Whether a unit runs a mutant. Of a function that is new or has changed: whether it runs one of that name.
 */
function reacherOf({ sites }: Mutant, map: CoverageMap): (unit: Unit) => boolean {
  const wanted = new Set<number>();
  for (const site of sites) {
    const isKnown = map.ids.some((id) => functionOf(id) === functionOf(site));
    for (const [i, id] of map.ids.entries())
      if (isKnown ? id === site : nameIn(id) === nameIn(site)) wanted.add(i);
  }
  return (unit) => unit.sites.some((site) => wanted.has(site));
}

const nameIn = (site: string): string => site.slice(0, site.indexOf('@'));
/** The function of a site and its hash. */
const functionOf = (site: string): string => site.slice(0, site.lastIndexOf(':'));

async function inTests(overlay: string, files: readonly string[]): Promise<Verdict | undefined> {
  if (files.length === 0) return undefined;
  const run = await runTestFiles(overlay, files, { stopsAtFirst: true });
  const failed = run.files.find(({ failure }) => failure);
  if (failed?.failure) {
    const { test, message } = failed.failure;
    const kind = /timed out/i.test(message) ? 'hung' : 'killed';
    return { kind, stage: stageOf(failed.file), by: `${failed.file}: ${test}`, why: message };
  }
  if (!run.isHung) return undefined;
  const by = files.find((file) => !run.files.some((done) => done.file === file)) ?? '';
  return { kind: 'hung', stage: stageOf(by), by, why: 'silent for too long' };
}

async function inWorlds(overlay: string, worlds: readonly KnownWorld[]): Promise<Verdict | undefined> {
  if (worlds.length === 0) return undefined;
  const { lines, end, err } = await runWorlds(
    overlay,
    worlds.map(([seed, faults]) => worldSpec(seed, faults)),
  );
  const nameOf = ([seed, faults]: KnownWorld) => `world ${seed}${faults === 'none' ? ' without faults' : ''}`;
  const stage = 'simulation';
  for (const [i, { broken }] of lines.entries()) {
    const [first] = broken;
    if (!first) continue;
    const by = `${nameOf(worlds[i] as KnownWorld)}: ${[...new Set(broken.map(({ invariant }) => invariant))]}`;
    return { kind: 'killed', stage, by, why: first.message.slice(0, 300) };
  }
  const last = worlds[lines.length];
  if (end === 'done' || !last) return undefined;
  return end === 'hung'
    ? { kind: 'hung', stage, by: nameOf(last), why: 'silent for too long' }
    : { kind: 'killed', stage, by: `${nameOf(last)}: the process died`, why: errorIn(err) };
}

const errorIn = (err: string): string =>
  err
    .split('\n')
    .find((line) => /Error|^\[?\w+\]?: /.test(line))
    ?.slice(0, 300) ?? '';
