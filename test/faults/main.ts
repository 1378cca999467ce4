/**
 * The command `npm run faults`: crawls by the real program while the disk, the clock or the process fails.
 * `--help` says all.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { exitCodes } from '../../cli/exit-codes.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { type Classes, type Outcome, runCampaign } from './campaign.ts';
import { buildFaultDisk } from './fault-disk.ts';
import type { KindName } from './kinds.ts';
import { type FaultsOptions, HELP, readOptions } from './options.ts';
import { type Played, playWorld } from './play.ts';
import { worldText } from './strikes.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Worlds between two lines of progress. */
const PROGRESS_WORLDS = 20;

async function main(options: FaultsOptions): Promise<number> {
  if (options.verb === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const built = buildFaultDisk();
  if ('reason' in built) throw new UsageError(built.reason);
  const { library } = built;
  const keep = options.keep === undefined ? undefined : keepIn(options.keep);
  if (options.verb === 'replay')
    return printed(await playWorld(options.spec, { library, address: '127.66.1.1', keep }));

  const outcomes: Outcome[] = [];
  const printClasses = (classes: Classes) => {
    for (const kind of options.kinds) print(lineOf(kind, outcomes, classes.get(kind) ?? 0));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      printClasses(new Map());
      process.exit(exitCodes.interrupted);
    });
  const classes = await runCampaign({ ...options, library, keep }, (outcome) => {
    outcomes.push(outcome);
    if (outcomes.length % PROGRESS_WORLDS === 0) process.stderr.write(`${outcomes.length} worlds\n`);
    if (outcome.violations.length === 0) return;
    print(`BROKEN (${outcome.kind}; processes ended with ${outcome.ends.join(', ')})`);
    for (const violation of outcome.violations) print(`  ${violation}`);
    print(`  npm run faults -- --replay '${worldText(outcome.spec)}'`);
  });
  printClasses(classes);
  return outcomes.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

function lineOf(kind: KindName, outcomes: readonly Outcome[], classes: number): string {
  const own = outcomes.filter((outcome) => outcome.kind === kind);
  const struck = own.flatMap((outcome) => outcome.struck ?? []);
  const broken = own.filter(({ violations }) => violations.length > 0).length;
  const where = `, ${struck.length} struck, at calls of ${new Set(struck).size} of ${classes} classes`;
  return `${kind.padEnd(6)} ${own.length} worlds${classes > 0 ? where : ''}; ${broken} broken`;
}

function printed({ legs, violations }: Played): number {
  for (const { verb, code, signal, wasStruck, err } of legs)
    print(
      `${verb}: ended with ${code ?? signal}${wasStruck ? ', struck' : ''}\n${err.trimEnd().replace(/^/gm, '  ')}`,
    );
  for (const violation of violations) print(`BROKEN: ${violation}`);
  return violations.length > 0 ? 1 : 0;
}

const keepIn = (place: string) => (folder: string) => {
  mkdirSync(place, { recursive: true });
  const kept = join(place, basename(folder));
  cpSync(folder, kept, { recursive: true });
  rmSync(folder, { recursive: true });
  print(`  kept in ${kept}`);
};

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? messageOf(error) : (error as Error).stack}\n`);
  process.exitCode = 2;
}
