/**
 * The result of a run: scores by folder and kind of bug, the stages that noticed the mutants, and the
 * unnoticed ones.
 */
import { diffOf } from './edit.ts';
import type { Mutant } from './mutants.ts';
import { folderOf, readSource } from './scope.ts';
import type { Verdict } from './verdict.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** Why no test can notice it, if it was judged so. */
  readonly equivalent?: string;
}

export interface Score {
  readonly mutants: number;
  /** Refused by the linter or the compiler: it cannot be landed, and is not counted. */
  readonly refused: number;
  readonly equivalent: number;
  readonly noticed: number;
  readonly survived: number;
  /** Noticed of those that are not refused and are not equivalent, 0 to 1; 1 if there are none. */
  readonly share: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const isRefused = ({ verdict }: Judged) => verdict.kind !== 'survived' && verdict.stage === 'check';
  const run = judged.filter((one) => !isRefused(one));
  const survived = run.filter(({ verdict }) => verdict.kind === 'survived');
  const equivalent = survived.filter((one) => one.equivalent !== undefined).length;
  const noticed = run.length - survived.length;
  const counted = run.length - equivalent;
  return {
    mutants: judged.length,
    refused: judged.length - run.length,
    equivalent,
    noticed,
    survived: survived.length - equivalent,
    share: counted === 0 ? 1 : noticed / counted,
  };
}

export function report(judged: readonly Judged[]): string {
  const all = scoreOf(judged);
  return [
    ...table('folder', judged, ({ mutant }) => folderOf(mutant.file)),
    '',
    ...table('kind of bug', judged, ({ mutant }) => mutant.group),
    '',
    'Noticed first by, or refused',
    ...[...Map.groupBy(judged, ({ verdict }) => noticedBy(verdict))].map(
      ([by, list]) => `  ${by.padEnd(24)}${list.length}`,
    ),
    '',
    `${all.noticed} of ${all.noticed + all.survived} mutants are noticed, ${percent(all.share)}`,
  ].join('\n');
}

function noticedBy(verdict: Verdict): string {
  if (verdict.kind === 'survived') return 'nothing';
  if (verdict.stage === 'check') return `refused by ${verdict.by === 'tsc' ? 'the compiler' : 'lint'}`;
  return verdict.kind === 'hung' ? `${verdict.stage}, by a time limit` : verdict.stage;
}

const COLUMNS = ['mutants', 'refused', 'equivalent', 'noticed', 'survived'] as const;

function table(what: string, judged: readonly Judged[], by: (one: Judged) => string): string[] {
  const row = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(24)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  const rows = [...Map.groupBy(judged, by)].sort().map(([name, list]) => {
    const score = scoreOf(list);
    return row(name, [...COLUMNS.map((column) => String(score[column])), percent(score.share)]);
  });
  return [row(what, [...COLUMNS, 'score']), ...rows];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** A mutant with what it changes, and what is known of it. */
export function describeMutant({ mutant, verdict, equivalent }: Judged): string {
  const lines = [`${mutant.id}  (key ${mutant.key})`, diffOf(readSource(mutant.file), mutant.edits)];
  if (verdict.kind === 'survived') {
    const { testFiles, worlds } = verdict;
    lines.push(
      testFiles + worlds === 0
        ? '  no test file and no world runs this statement'
        : `  survived ${testFiles} test files and ${worlds} worlds that run it`,
    );
  }
  if (equivalent !== undefined) lines.push(`  equivalent: ${equivalent}`);
  return lines.join('\n');
}
