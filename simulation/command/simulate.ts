/**
 * The command `npm run simulate`: proves the crawler in simulated worlds. `--help` says all. Begun with
 * `--worker`, it is a process that runs worlds for another one of it.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../cli/usage-error.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import type { Outcome } from '../worlds/spec.ts';
import { helpText } from './help.ts';
import { type Command, readCommand } from './options.ts';
import { CannotRun, createPool } from './pool.ts';
import { replay } from './replay.ts';
import { exitCodes, simulateSeeds } from './seeds.ts';
import { type RunWorld, serveWorlds } from './serve.ts';

const PROGRAM = fileURLToPath(import.meta.url);

async function main(command: Command): Promise<number> {
  switch (command.verb) {
    case 'help':
      process.stdout.write(helpText());
      return exitCodes.held;
    case 'coverage':
      return (await import('../coverage/coverage.ts')).runCoverage(command.args, PROGRAM);
    case 'capacity':
      return (await import('../capacity/capacity.ts')).runCapacity(command.args);
  }
  const interrupt = new AbortController();
  // A second one ends it without a word, as ever.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const jobs =
    command.verb === 'seeds' && !command.struckActors ? Math.min(command.jobs, command.count) : command.jobs;
  const pool = createPool({
    program: PROGRAM,
    args: ['--worker'],
    jobs,
    isHeard: command.verb === 'replay',
  });
  const streams = { out: process.stdout, err: process.stderr, environment: process.env };
  try {
    if (command.verb === 'seeds') return await simulateSeeds(command, pool.run, streams, interrupt.signal);
    const aborted = new Promise<number>((resolve) => {
      interrupt.signal.addEventListener('abort', () => resolve(exitCodes.interrupted), { once: true });
    });
    return await Promise.race([replay(command, pool.run, streams), aborted]);
  } finally {
    pool.close();
  }
}

/** Loads the program, which takes 1.7 s of CPU, 0.9 of them where another process has compiled it before. */
async function loaded(): Promise<RunWorld> {
  enableCompileCache();
  const { runWorld } = await import('../worlds/world.ts');
  let isStored = false;
  return async (spec, options) => {
    const outcome = await runWorld(spec, options);
    // With the functions that a world compiles; and the process is killed at its end, so Node would not store it.
    if (!isStored) flushCompileCache();
    isStored = true;
    return outcome;
  };
}

/** Runs worlds, and says what each reached. Not from the cache: then V8 counts less precisely. */
async function covered(): Promise<RunWorld> {
  const { startCoverage } = await import('../coverage/probe.ts');
  // Before the program is loaded.
  const probe = startCoverage();
  const { runWorld } = await import('../worlds/world.ts');
  return async (spec) => {
    let reached: Outcome['reached'] = {};
    const beforeJudging = () => {
      reached = probe.take();
    };
    const outcome = await runWorld(spec, { beforeJudging });
    probe.skip();
    return { ...outcome, reached };
  };
}

// A reader that went away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.held);
  throw error;
});

if (process.argv[2] === '--worker') {
  await serveWorlds(process.argv[3] === '--coverage' ? await covered() : await loaded());
} else {
  try {
    process.exitCode = await main(readCommand(process.argv.slice(2)));
  } catch (error) {
    const isForPeople = error instanceof UsageError || error instanceof CannotRun;
    const text = error instanceof Error && !isForPeople ? (error.stack ?? error.message) : messageOf(error);
    process.stderr.write(`simulate: ${text}\n`);
    process.exitCode = exitCodes.couldNotRun;
  }
}
