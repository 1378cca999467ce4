/**
 * Worlds run in processes of their own. Each process runs one world at a time (to ask costs far less than a
 * world), and shares nothing with the others. One that dies or hangs is a finding at the seed it was at;
 * another one takes its place.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Outcome, WorldSpec } from '../worlds/spec.ts';
import { type Watch, watchCpu } from './cpu-watch.ts';
import { type Answer, type Ask, outcomeWithout, type RunWorld } from './serve.ts';

/** The processes cannot be started, so there is no result for any seed. */
export class CannotRun extends Error {
  override name = 'CannotRun';
}

export interface PoolOptions {
  /** The program of the processes, which calls `serveWorlds`, and its arguments. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly jobs: number;
  readonly watch?: Watch;
  /** The number of worlds after which a process is replaced, so that leaks do not add up. */
  readonly worldsEach?: number;
  /** Whether what worlds print is let through, to standard error: for developers who look for a bug. */
  readonly isHeard?: boolean;
}

export interface WorldPool {
  /** Waits for a free process. Rejects with {@link CannotRun}, and with that alone. */
  readonly run: RunWorld;
  /** Ends all processes at once; what runs is never answered. Safe to repeat. */
  close(): void;
}

const WORLDS_EACH = 1000;
/** How much of the output of a dead process is kept. */
const LAST_CHARACTERS = 2000;

export function createPool(options: PoolOptions): WorldPool {
  const { program, args = [], jobs, watch = watchCpu(), worldsEach = WORLDS_EACH, isHeard = false } = options;
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: ((place: Worker | undefined) => void)[] = [];
  let places = jobs;

  /** A process that is free, or undefined for leave to begin one. */
  function take(): Promise<Worker | undefined> {
    for (let free = idle.pop(); free; free = idle.pop()) {
      if (!free.isGone()) return Promise.resolve(free);
      all.delete(free);
      places++;
    }
    if (places > 0) {
      places--;
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => waiting.push(resolve));
  }

  function give(worker: Worker | undefined): void {
    const next = waiting.shift();
    if (next) next(worker);
    else if (worker) idle.push(worker);
    else places++;
  }

  async function run(spec: WorldSpec, runOptions?: Ask['options']): Promise<Outcome> {
    let worker = await take();
    try {
      if (!worker) {
        worker = begin(program, args, isHeard);
        all.add(worker);
        await worker.ready;
      }
      return await worker.ask({ spec, options: runOptions }, watch);
    } finally {
      if (worker && (worker.isGone() || worker.worlds() >= worldsEach)) {
        worker.end();
        all.delete(worker);
        worker = undefined;
      }
      give(worker);
    }
  }

  return {
    run,
    close() {
      for (const worker of all) worker.end();
      all.clear();
    },
  };
}

interface Worker {
  /** Rejects with {@link CannotRun} if it ends before. */
  readonly ready: Promise<void>;
  ask(ask: Ask, watch: Watch): Promise<Outcome>;
  worlds(): number;
  isGone(): boolean;
  end(): void;
}

function begin(program: string, args: readonly string[], isHeard: boolean): Worker {
  // Output of worlds must not appear in the command's standard output.
  const stdio = ['ignore', isHeard ? process.stderr : 'ignore', 'pipe', 'ipc'] as const;
  // Code from the cache has lost the places that V8's coverage is counted by.
  const env = args.includes('--coverage') ? { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } : process.env;
  const child: ChildProcess = fork(program, args, { stdio: [...stdio], env });
  const ready = Promise.withResolvers<void>();
  let written = '';
  let worlds = 0;
  let isGone = false;
  let answered: ((outcome: Outcome | string) => void) | undefined;
  let stop: (() => void) | undefined;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-LAST_CHARACTERS);
    if (isHeard) process.stderr.write(text);
  });
  child.on('message', (answer: Answer) => {
    if ('isReady' in answer) ready.resolve();
    else answered?.(answer.outcome);
  });
  const gone = (how: string) => {
    if (isGone) return;
    isGone = true;
    ready.reject(new CannotRun(`A process for the worlds ended before it could begin: ${how}\n${written}`));
    answered?.(`The simulator died at this seed: ${how}${errorIn(written)}`);
  };
  child.on('error', ({ message }) => gone(message));
  // Not 'exit': all that it wrote is there by 'close'.
  child.on('close', (code, signal) => gone(signal ?? `exit code ${code}`));
  ready.promise.catch(() => {});

  return {
    ready: ready.promise,
    worlds: () => worlds,
    isGone: () => isGone,
    end() {
      isGone = true;
      // A world that runs is never answered: its watch would keep this process alive.
      stop?.();
      child.kill('SIGKILL');
    },
    async ask(ask, watch) {
      worlds++;
      const answer = Promise.withResolvers<Outcome | string>();
      answered = answer.resolve;
      const giveUp = () => {
        answer.resolve('The simulator hung at this seed');
        isGone = true;
        child.kill('SIGKILL');
      };
      stop = watch(ask.spec, giveUp, child.pid);
      // A process that is gone by now says so by 'close'.
      child.send(ask, () => {});
      const outcome = await answer.promise;
      stop();
      stop = undefined;
      answered = undefined;
      return typeof outcome === 'string'
        ? outcomeWithout(ask.spec, { invariant: 'ends', message: outcome })
        : outcome;
    },
  };
}

/** The line that names the error, of what Node writes when it ends by one, and where it was thrown. */
function errorIn(written: string): string {
  const lines = written.split('\n').map((line) => line.trim());
  const at = lines.findIndex((line) => /^(\w*Error|\[?\w+\]?: |FATAL ERROR)/.test(line));
  return at < 0 ? '' : `: ${lines.slice(at, at + 3).join(' | ')}`;
}
