/**
 * Which mutants `npm run check` refuses: the linter and the compiler look at many at once, as errors name
 * their files.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { applyEdits } from './edit.ts';
import type { Mutant } from './mutants.ts';
import { ROOT, readSource } from './scope.ts';

/** All of the program, without its tests. */
const FOLDERS = ['api', 'cdk', 'cli', 'functions', 'shared'];
const COPIED = ['package.json', 'tsconfig.json', 'biome.json'];
/** The compiler remembers results that the next round need not check again. */
const TSCONFIG = {
  extends: './tsconfig.json',
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: './mutants.tsbuildinfo',
    // An engineer would have removed a declaration together with its last use.
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowUnreachableCode: true,
  },
};
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TSC_ARGS = [TSC, '-p', 'tsconfig.mutants.json', '--noEmit', '--singleThreaded', '--pretty', 'false'];
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
/**
 * The rule that refuses promises which nobody awaits. Other rules complain of a mutant's form, not of its
 * error.
 */
const LINT_RULE = 'nursery/noFloatingPromises';

export interface Refusal {
  readonly by: 'lint' | 'tsc';
  /** The first error. */
  readonly why: string;
}

/**
 * The mutants that cannot be landed, and why. Mutants of different files are checked together. `folders` must have those
 * that import what is changed, or it is not seen that a type does not suit them.
 */
export async function refusalsOf(
  mutants: readonly Mutant[],
  folders: readonly string[] = FOLDERS,
): Promise<Map<Mutant, Refusal>> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-check-'));
  try {
    for (const name of [...folders, ...COPIED])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'tsconfig.mutants.json'), JSON.stringify({ ...TSCONFIG, include: folders }));
    // Or each mutant would be blamed for it. Besides, the compiler remembers what it has checked.
    const own = errorsIn(await run(folder, TSC_ARGS));
    if (own.length > 0) throw new Error(`The program does not compile without a mutant: ${own[0]}`);
    const refusals = new Map<Mutant, Refusal>();
    for (const round of roundsOf(mutants))
      for (const [mutant, why] of await lint(folder, folders, round))
        refusals.set(mutant, { by: 'lint', why });
    for (const round of roundsOf(mutants.filter((mutant) => !refusals.has(mutant))))
      for (const [mutant, why] of await compile(folder, round)) refusals.set(mutant, { by: 'tsc', why });
    return refusals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a round a file has one mutant. */
function roundsOf(mutants: readonly Mutant[]): Mutant[][] {
  const rounds: Mutant[][] = [];
  for (const mutant of mutants) {
    const free = rounds.find((round) => round.every(({ file }) => file !== mutant.file));
    if (free) free.push(mutant);
    else rounds.push([mutant]);
  }
  return rounds;
}

async function lint(
  folder: string,
  folders: readonly string[],
  round: readonly Mutant[],
): Promise<Map<Mutant, string>> {
  writeMutants(folder, round);
  try {
    const args = [
      `--only=${LINT_RULE}`,
      '--vcs-enabled=false',
      '--max-diagnostics=none',
      '--reporter=github',
    ];
    const output = await run(folder, [BIOME, 'lint', ...args, ...folders]);
    const errors = output.matchAll(/^::error title=lint.*?,file=([^,]+),.*?::(.*)$/gm);
    const whyOf = new Map(
      [...errors].map(([, file, why]) => [relative(folder, resolve(folder, file as string)), why]),
    );
    return new Map(
      round.flatMap((mutant) => (whyOf.has(mutant.file) ? [[mutant, whyOf.get(mutant.file) as string]] : [])),
    );
  } finally {
    restore(folder, round);
  }
}

async function compile(folder: string, round: readonly Mutant[]): Promise<Map<Mutant, string>> {
  writeMutants(folder, round);
  try {
    const lines = errorsIn(await run(folder, TSC_ARGS));
    const errors = new Map<Mutant, string>();
    const suspects: Mutant[][] = [];
    for (const line of lines) {
      const mutant = round.find(({ file }) => line.startsWith(`${file}(`));
      if (mutant && !errors.has(mutant)) errors.set(mutant, line.slice(line.indexOf('error')));
    }
    // By one of the others, which must be found out: a type that another file sees has changed.
    const isElsewhere = lines.some((line) => !round.some(({ file }) => line.startsWith(`${file}(`)));
    const rest = isElsewhere ? round.filter((mutant) => !errors.has(mutant)) : [];
    if (rest.length === 1 && errors.size === 0) errors.set(rest[0] as Mutant, lines[0] as string);
    else if (rest.length > 0) suspects.push(rest.slice(0, rest.length / 2), rest.slice(rest.length / 2));
    restore(folder, round);
    for (const some of suspects.filter(({ length }) => length > 0))
      for (const [mutant, why] of await compile(folder, some)) errors.set(mutant, why);
    return errors;
  } finally {
    restore(folder, round);
  }
}

const errorsIn = (output: string): string[] =>
  output.split('\n').filter((line) => /^[^\s(]+\(\d+,\d+\): error/.test(line));

function writeMutants(folder: string, round: readonly Mutant[]): void {
  for (const { file, edits } of round) writeFileSync(join(folder, file), applyEdits(readSource(file), edits));
}

function restore(folder: string, round: readonly Mutant[]): void {
  for (const { file } of round) writeFileSync(join(folder, file), readSource(file));
}

/** The output of a program that prints errors and exits with a code if it finds some. */
async function run(cwd: string, args: readonly string[]): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 26 });
    return '';
  } catch (error) {
    const { stdout, code } = error as { stdout?: string; code?: number };
    if (!stdout) throw new Error(`${args[0]} could not be run (exit code ${code})`, { cause: error });
    return stdout;
  }
}
