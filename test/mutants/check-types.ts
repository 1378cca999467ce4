/** Which mutants the compiler refuses: many at once, as its errors say where they are. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyEdits } from './edit.ts';
import type { Mutant } from './mutants.ts';
import { ROOT, readSource } from './scope.ts';

const COPIED = ['shared', 'functions', 'cli', 'cdk', 'package.json', 'tsconfig.json'];
/** What the next round need not check again is remembered. */
const TSCONFIG = {
  extends: './tsconfig.json',
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: './mutants.tsbuildinfo',
    // What a mutant leaves unused an engineer would have removed with it.
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowUnreachableCode: true,
  },
  include: ['shared', 'functions', 'cli', 'cdk'],
};
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The first error of each mutant that does not compile. Mutants of other files are compiled together. */
export async function typeErrors(mutants: readonly Mutant[]): Promise<Map<Mutant, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'strand-types-'));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'tsconfig.mutants.json'), JSON.stringify(TSCONFIG));
    const errors = new Map<Mutant, string>();
    for (const round of roundsOf(mutants))
      for (const [mutant, why] of await compile(folder, round)) errors.set(mutant, why);
    return errors;
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

async function compile(folder: string, round: readonly Mutant[]): Promise<Map<Mutant, string>> {
  for (const { file, edits } of round) writeFileSync(join(folder, file), applyEdits(readSource(file), edits));
  try {
    const lines = (await tsc(folder)).split('\n').filter((line) => /^[^\s(]+\(\d+,\d+\): error/.test(line));
    const errors = new Map<Mutant, string>();
    const suspects: Mutant[][] = [];
    for (const line of lines) {
      const mutant = round.find(({ file }) => line.startsWith(`${file}(`));
      if (mutant && !errors.has(mutant)) errors.set(mutant, line.slice(line.indexOf('error')));
    }
    // By one of the others, which is to be found out: a type that another file sees has changed.
    const isElsewhere = lines.some((line) => !round.some(({ file }) => line.startsWith(`${file}(`)));
    const rest = isElsewhere ? round.filter((mutant) => !errors.has(mutant)) : [];
    if (rest.length === 1 && errors.size === 0) errors.set(rest[0] as Mutant, lines[0] as string);
    else if (rest.length > 0) suspects.push(rest.slice(0, rest.length / 2), rest.slice(rest.length / 2));
    for (const { file } of round) writeFileSync(join(folder, file), readSource(file));
    for (const some of suspects.filter(({ length }) => length > 0))
      for (const [mutant, why] of await compile(folder, some)) errors.set(mutant, why);
    return errors;
  } finally {
    for (const { file } of round) writeFileSync(join(folder, file), readSource(file));
  }
}

async function tsc(folder: string): Promise<string> {
  try {
    await promisify(execFile)(
      process.execPath,
      [TSC, '-p', 'tsconfig.mutants.json', '--noEmit', '--pretty', 'false'],
      {
        cwd: folder,
        maxBuffer: 2 ** 26,
      },
    );
    return '';
  } catch (error) {
    const { stdout, code } = error as { stdout?: string; code?: number };
    if (!stdout) throw new Error(`The compiler could not be run (exit code ${code})`, { cause: error });
    return stdout;
  }
}
