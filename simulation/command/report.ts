/** The results of many worlds, for people and for scripts. */
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatRate,
  largestFirst,
  toned,
  wrapWords,
} from '../../cli/format.ts';
import { printable, shorten } from '../../shared/core/text/printable.ts';
import { FAULTS, type FaultName } from '../models/faults.ts';
import { EXCUSE_NAMES, EXCUSES, INVARIANTS, type Violation, type WorldSpec } from '../worlds/spec.ts';
import { formatAt } from '../worlds/timeline.ts';
import { type BudgetSum, sumText } from './budget.ts';
import { replayCommand } from './command-line.ts';
import { CORPUS_PATH, corpusLine } from './corpus.ts';
import { type Broken, firstViolation, type Tally } from './tally.ts';

/** A broken world, with the smaller one found, if it was looked for. */
export interface Finding extends Broken {
  /** `unrepeatable`: it broke nothing when it was run again. */
  readonly shrunk?: { readonly spec: WorldSpec; readonly runs: number } | 'unrepeatable';
}

export interface Ran {
  readonly tally: Tally;
  readonly findings: readonly Finding[];
  readonly faults: readonly FaultName[];
  /** Real time of all worlds, without the shrinking. */
  readonly ms: number;
  /** Worlds that were not begun any more. */
  readonly left: number;
  /** For a run by budget: the runs on this state of the code, including this one. */
  readonly sum?: BudgetSum | undefined;
}

const WIDTH = 110;
const MAX_FINDINGS = 10;
const MAX_VIOLATIONS = 4;
const MAX_MESSAGE = 400;

/** Text without its end; the last line sums up. */
export function reportText(ran: Ran, colour: boolean): string {
  const { tally, findings, faults, ms } = ran;
  const rate = ms > 0 ? `, ${formatRate((tally.worlds / ms) * 1000)} a second` : '';
  const lines: string[] = [];
  if (faults.length > 0) lines.push(...faultTable(tally, faults, colour), '');
  lines.push(...excuseTable(tally, colour));
  lines.push(
    `Worlds  ${formatCount(tally.worlds)} in ${formatDuration(ms)}${rate}`,
    `Pages   ${formatCount(tally.pages)} of ${formatCounted(tally.hosts, 'host')}, by ${formatCounted(tally.requests, 'request')}`,
    `Time    ${formatDuration(tally.virtualMs)} passed in the worlds`,
    '',
  );
  const isShrunk = ({ shrunk }: Finding) => shrunk !== undefined;
  const inOrder = [...findings.filter(isShrunk), ...findings.filter((finding) => !isShrunk(finding))];
  for (const finding of inOrder.slice(0, MAX_FINDINGS))
    lines.push(...findingLines(finding, colour, ran.sum?.day), '');
  if (findings.length > MAX_FINDINGS) lines.push(moreLine(inOrder.slice(MAX_FINDINGS)), '');
  if (ran.sum) lines.push(...wrapWords(sumText(ran.sum).split(' '), WIDTH), '');
  lines.push(toned(lastLine(ran), findings.length > 0 ? 'red' : 'green', colour));
  return lines.join('\n');
}

function faultTable(tally: Tally, faults: readonly FaultName[], colour: boolean): string[] {
  const names = Math.max(...faults.map((name) => name.length));
  const left = names + 24;
  const head = `${'fault'.padEnd(names)}${'struck'.padStart(11)}${'in worlds'.padStart(11)}  what it is`;
  return [
    toned(head, 'dim', colour),
    ...faults.flatMap((name) => {
      const count = tally.strikes[name];
      const columns = [count, tally.worldsStruck[name]].map((value) => formatCount(value).padStart(11));
      const start = `${name.padEnd(names)}${columns.join('')}  `;
      return wrapWords(FAULTS[name].what.split(' '), WIDTH - left).map((line, i) =>
        i === 0 ? toned(start, count > 0 ? 'bold' : 'yellow', colour) + line : ' '.repeat(left) + line,
      );
    }),
  ];
}

/** Where invariants were relaxed; nothing if they were not. */
function excuseTable({ excuses, worlds }: Tally, colour: boolean): string[] {
  const used = EXCUSE_NAMES.filter((name) => excuses[name]);
  if (used.length === 0) return [];
  const names = Math.max(...used.map((name) => name.length));
  const left = names + 32;
  const head = `${'excuse'.padEnd(names)}${'used'.padStart(8)}${'in worlds'.padStart(11)}${'at most'.padStart(11)}  what it is`;
  const rows = used.flatMap((name) => {
    const { what, maxShare } = EXCUSES[name];
    const { times, worlds: share } = excuses[name] ?? { times: 0, worlds: 0 };
    const columns = [
      formatCount(times).padStart(8),
      formatCount(share).padStart(11),
      percent(maxShare).padStart(11),
    ];
    const start = `${name.padEnd(names)}${columns.join('')}  `;
    const tone = share > maxShare * worlds ? 'yellow' : 'bold';
    return wrapWords(what.split(' '), WIDTH - left).map((line, i) =>
      i === 0 ? toned(start, tone, colour) + line : ' '.repeat(left) + line,
    );
  });
  return [toned(head, 'dim', colour), ...rows, ''];
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

/** `day`: today, where the seed may be added to the corpus. */
function findingLines(
  { spec, violations, count, shrunk }: Finding,
  colour: boolean,
  day: string | undefined,
): string[] {
  const lines = [toned(`Seed ${spec.seed} broke ${brokenNames(violations).join(', ')}:`, 'bold', colour)];
  for (const violation of violations.slice(0, MAX_VIOLATIONS)) lines.push(...violationLines(violation));
  if (count > MAX_VIOLATIONS) lines.push(`  and ${formatCounted(count - MAX_VIOLATIONS, 'more violation')}`);
  const shown =
    shrunk === undefined
      ? ['replay it:', spec]
      : shrunk === 'unrepeatable'
        ? ['broke nothing when run again, so something in it does not follow from the seed; replay it:', spec]
        : [
            `the smallest world found that breaks the same (${formatCounted(shrunk.runs, 'run')}):`,
            shrunk.spec,
          ];
  // Perhaps longer than the other lines: a command must survive being copied.
  lines.push(`  ${shown[0]}`, `    ${replayCommand(shown[1] as WorldSpec)}`);
  const first = firstViolation(violations);
  if (day !== undefined && first)
    lines.push(`  after the fix, add to ${CORPUS_PATH}:`, `    ${corpusLine(spec.seed, first, day)}`);
  return lines;
}

function moreLine(others: readonly Finding[]): string {
  const counts: Record<string, number> = {};
  for (const { violations } of others) {
    const first = firstViolation(violations)?.invariant ?? '';
    counts[first] = (counts[first] ?? 0) + 1;
  }
  const texts = largestFirst(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  return `and ${formatCounted(others.length, 'more broken seed')}: ${texts.join(', ')}`;
}

export function violationLines({ invariant, message, host, at }: Violation): string[] {
  const where = [host, at === undefined ? undefined : `at ${formatAt(at)}`].filter(
    (part) => part !== undefined,
  );
  const text = shorten(printable(message), MAX_MESSAGE);
  return [
    `  ${invariant}: ${INVARIANTS[invariant]}`,
    ...wrapWords(`${where.length > 0 ? `${where.join(', ')}: ` : ''}${text}`.split(' '), WIDTH - 4).map(
      (line) => `    ${line}`,
    ),
  ];
}

/** Each once; the one that was broken first, first. */
const brokenNames = (violations: readonly Violation[]): string[] => [
  ...new Set([firstViolation(violations), ...violations].flatMap((violation) => violation?.invariant ?? [])),
];

function lastLine({ tally, findings, faults, ms, left }: Ran): string {
  const struck = Object.values(tally.strikes).reduce((sum, count) => sum + count, 0);
  const what =
    faults.length === 0
      ? 'no faults'
      : `${faults.length === 1 ? '1 kind' : `${faults.length} kinds`} of faults struck ${formatCounted(struck, 'time')}`;
  const worlds = `${formatCounted(tally.worlds, 'seed')}${left > 0 ? ` (${formatCount(left)} left out)` : ''}`;
  return `${worlds}, ${what}: ${verdict(findings)} (${formatDuration(ms)})`;
}

function verdict(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'every invariant held';
  const shown = findings
    .slice(0, MAX_FINDINGS)
    .map(({ spec, violations }) => `${spec.seed} (${firstViolation(violations)?.invariant})`);
  if (findings.length > shown.length) shown.push('...');
  return `${formatCounted(findings.length, 'seed')} broke an invariant: ${shown.join(', ')}`;
}

/** One line without its end. Scripts rely on its keys. */
export function reportJson({ tally, findings, faults, ms, left, sum }: Ran): string {
  const { worlds, pages, hosts, requests, virtualMs, strikes, worldsStruck, excuses, digest } = tally;
  return JSON.stringify({
    seeds: worlds,
    left,
    held: findings.length === 0,
    ms: Math.round(ms),
    faults,
    strikes,
    worldsStruck,
    excuses,
    figures: { pages, hosts, requests, virtualMs },
    digest,
    ...(sum && { state: sum.state, newSeeds: { from: sum.from, count: sum.count }, onState: sum.worlds }),
    broken: findings.map(({ spec, violations, count, shrunk }) => ({
      seed: spec.seed,
      invariants: brokenNames(violations),
      count,
      violations,
      replay: replayCommand(typeof shrunk === 'object' ? shrunk.spec : spec),
      ...(shrunk === 'unrepeatable' && { unrepeatable: true }),
    })),
  });
}
