/** `npm run simulate -- --replay`: one world, and what happened in it. */
import { terminalOf } from '../../cli/drawn-line.ts';
import { formatCount, formatCounted, formatDuration, toned } from '../../cli/format.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { didYouMean } from '../../shared/core/text/nearest.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { FAULT_NAMES } from '../models/faults.ts';
import type { Outcome, Violation } from '../worlds/spec.ts';
import { hostsOf, timelineLines } from '../worlds/timeline.ts';
import { replayCommand } from './command-line.ts';
import type { ReplayCommand } from './options.ts';
import { violationLines } from './report.ts';
import { exitCodes, type Streams, shrinkFinding } from './seeds.ts';
import type { RunWorld } from './serve.ts';
import { firstViolation } from './tally.ts';

const MAX_VIOLATIONS = 30;
const MAX_HOSTS = 10;

/** Returns the exit code. */
export async function replay(
  command: ReplayCommand,
  run: RunWorld,
  { out, environment }: Pick<Streams, 'out' | 'environment'>,
): Promise<number> {
  const outcome = await run(command.spec, { timeline: true });
  const { violations } = outcome;
  if (command.json) out.write(`${JSON.stringify(outcome)}\n`);
  else out.write(`${replayText(outcome, command, terminalOf(out, environment).colour)}\n`);
  if (violations.length === 0) return exitCodes.held;
  if (command.isShrunk && !command.json) {
    const { shrunk } = await shrinkFinding({ spec: command.spec, violations, count: violations.length }, run);
    if (typeof shrunk === 'object')
      out.write(`\nThe smallest world found that breaks the same:\n  ${replayCommand(shrunk.spec)}\n`);
  }
  return exitCodes.broken;
}

/** Text without its end. Equal for equal worlds: nothing of real time is in it. */
export function replayText(
  outcome: Outcome,
  { host, isAll }: Pick<ReplayCommand, 'host' | 'isAll'>,
  colour = false,
): string {
  const { violations, timeline = [] } = outcome;
  const first = firstViolation(violations);
  const lines = [...worldLines(outcome), ''];
  const shown = isAll && host === undefined ? undefined : (host ?? first?.host ?? hostsIn(violations)[0]);
  if (shown !== undefined || isAll) {
    if (host !== undefined) expectHost(host, timeline.length > 0 ? hostsOf(timeline) : [host]);
    lines.push(
      toned(shown === undefined ? 'All that happened' : `What happened to ${shown}`, 'bold', colour),
    );
    const maxLines = isAll ? Number.POSITIVE_INFINITY : undefined;
    lines.push(...timelineLines(timeline, { host: shown, violations, maxLines }), '');
  } else {
    const hosts = hostsOf(timeline);
    const some = hosts.slice(0, MAX_HOSTS).join(', ') + (hosts.length > MAX_HOSTS ? ', ...' : '');
    lines.push(
      `What happened: --host NAME for one of its hosts (${some || 'none'}), --all for everything`,
      '',
    );
  }
  for (const violation of violations.slice(0, MAX_VIOLATIONS)) lines.push(...violationLines(violation));
  if (violations.length > MAX_VIOLATIONS)
    lines.push(`  and ${formatCounted(violations.length - MAX_VIOLATIONS, 'more violation')}`);
  if (violations.length > 0) lines.push('');
  lines.push(
    first === undefined
      ? toned('Every invariant held', 'green', colour)
      : toned(
          `${formatCounted(violations.length, 'violation')}, the first one of ${first.invariant}`,
          'red',
          colour,
        ),
  );
  return lines.join('\n');
}

function worldLines({ spec, figures, strikes }: Outcome): string[] {
  const { hosts, pages, requests, virtualMs } = figures;
  const struck = FAULT_NAMES.filter((name) => strikes[name] > 0).map(
    (name) => `${name} ${formatCount(strikes[name])}`,
  );
  const counted = [
    formatCounted(hosts, 'host'),
    formatCounted(pages, 'page'),
    formatCounted(requests, 'request'),
  ];
  return [
    `World of seed ${spec.seed}: ${counted.join(', ')}, ${formatDuration(virtualMs)} of its time`,
    `Faults struck: ${struck.length > 0 ? struck.join(', ') : 'none'}`,
  ];
}

const hostsIn = (violations: readonly Violation[]): string[] => violations.flatMap(({ host }) => host ?? []);

function expectHost(host: string, hosts: readonly string[]): void {
  if (hosts.includes(host)) return;
  const some = hosts.slice(0, MAX_HOSTS).join(', ') + (hosts.length > MAX_HOSTS ? ', ...' : '');
  throw new UsageError(
    `Expected --host with a host of this world, got ${quoted(host)}; ${didYouMean(host, hosts, 'nothing happened to it.')} ` +
      `There are: ${some}`,
  );
}
