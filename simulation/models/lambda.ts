/**
 * A model of a Lambda function (developer guide, "Understanding the Lambda execution environment lifecycle"):
 * environments that are made when one more is needed, serve one invocation at a time, stand still between
 * them, and are killed when time is up.
 */
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimContext {
  /** By the world's time: the platform counts it, not the process's own clock. */
  getRemainingTimeInMillis(): number;
}

/** The handler that an environment has loaded: its module's state is in it. */
export type SimHandler<Event, Result> = (event: Event, context: SimContext) => Promise<Result>;

export type Invoked<Result> =
  | { readonly status: 'done'; readonly result: Result }
  /** Thrown by the handler, or the environment died, or its time was up. */
  | { readonly status: 'failed'; readonly error: Error }
  /** All the concurrency is in use: nothing was begun. */
  | { readonly status: 'throttled' };

export interface FunctionCounts {
  invocations: number;
  coldStarts: number;
  /** Those that failed, for whatever reason; deaths and time-outs are among them. */
  failures: number;
  deaths: number;
  timeouts: number;
  throttles: number;
  /** With the starts, which are billed, too (since 2025-08). */
  billedMs: number;
  maxRunning: number;
}

export interface SimFunction<Event, Result> {
  /** Never rejects. */
  invoke(event: Event): Promise<Invoked<Result>>;
  readonly counts: Readonly<FunctionCounts>;
  /** Invocations now. */
  readonly running: number;
  /** Environments that wait for an invocation. */
  readonly idle: number;
  /** Another version is deployed: what runs is seen to its end, and no environment serves once more. */
  replaceAll(): void;
  /** Kills the environment that has run the longest, if any runs. Whether one did. */
  killOne(why: string): boolean;
}

export interface SimFunctionFailure {
  readonly process: string;
  readonly error: Error;
}

export interface SimLambdaOptions<Event, Result> {
  readonly name: string;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace;
  readonly timeoutMs: number;
  /** Default: an account's 1,000. */
  readonly maxConcurrency?: number;
  /** Begins the process of an environment. */
  readonly begin: (name: string) => SimProcess;
  /** Called with each invocation as it begins. */
  readonly onBegin?: (process: SimProcess) => void;
  /** Loads the handler once the process has started. */
  readonly load: (process: SimProcess) => SimHandler<Event, Result>;
  readonly onFailure?: (failure: SimFunctionFailure) => void;
  /** Median of a start. */
  readonly coldStartMs?: number;
}

interface Environment<Event, Result> {
  readonly process: SimProcess;
  readonly handler: SimHandler<Event, Result>;
  readonly bornAt: number;
  idleSince: number;
  /** Serves no more. */
  isSpent?: boolean;
  /** Serves no more after this. */
  isReplaced?: boolean;
  /** Ends the invocation in progress. */
  fail?: (error: Error) => void;
}

const ACCOUNT_CONCURRENCY = 1000;
/** AWS names neither; observed are 5 to 15 minutes idle, and some 2 hours in all. */
const MAX_IDLE_MS = 600_000;
const MAX_AGE_MS = 7_200_000;
const COLD_START_MS = 400;
/** A start that a fault strikes. Lambda ends none before 10 s. */
const SLOW_START_MS = 10_000;
/**
 * Where processes stand still now and then, one may do so when its time is up, and continue for a moment
 * before it is ended: its caller got the error long before. Of the time-outs in such a world, and how long.
 * One that freezes by then is ended after it continues.
 */
const LINGERS = 0.5;
const MAX_LINGER_MS = 120_000;
const LAST_WORDS_MS = 3000;

export function createSimLambda<Event, Result>(
  options: SimLambdaOptions<Event, Result>,
): SimFunction<Event, Result> {
  const { name, time, faults, random, trace, timeoutMs, begin, load, onFailure } = options;
  const { maxConcurrency = ACCOUNT_CONCURRENCY, coldStartMs = COLD_START_MS } = options;
  type Own = Environment<Event, Result>;
  /** Last used last. */
  const idle: Own[] = [];
  /** In the order begun. */
  const serving = new Set<Own>();
  let running = 0;
  let environments = 0;
  const counts: FunctionCounts = {
    invocations: 0,
    coldStarts: 0,
    failures: 0,
    deaths: 0,
    timeouts: 0,
    throttles: 0,
    billedMs: 0,
    maxRunning: 0,
  };

  /** The environment used last, if it has not been ended meanwhile. */
  function reuse(): Own | undefined {
    const now = time.now();
    let ended = 0;
    while (ended < idle.length && now - (idle[ended] as Own).idleSince > MAX_IDLE_MS) ended++;
    for (const { process } of idle.splice(0, ended)) process.kill('idle for long');
    for (;;) {
      const environment = idle.pop();
      if (!environment) return undefined;
      const { process, bornAt } = environment;
      if (now - bornAt <= MAX_AGE_MS && !process.isDead) return environment;
      process.kill('old');
    }
  }

  async function start(): Promise<Own> {
    counts.coldStarts++;
    const process = begin(`${name}-${++environments}`);
    const isSlow = faults.strikes('coldStart');
    const ms = isSlow ? faults.random('coldStart') * SLOW_START_MS : coldStartMs * (0.75 + random() / 2);
    trace?.({ process: process.name, what: `starts in ${Math.ceil(ms)} ms` });
    await time.sleep(ms);
    const environment: Own = { process, handler: load(process), bornAt: time.now(), idleSince: time.now() };
    void process.died.then((why) => environment.fail?.(new Error(`Runtime exited: ${why}`)));
    return environment;
  }

  /** Until it ends by itself, dies or its time is up. */
  async function serve(environment: Own, event: Event): Promise<Result> {
    const { process, handler } = environment;
    const endsAt = time.now() + timeoutMs;
    const ended = Promise.withResolvers<Result>();
    const cancel = time.at(endsAt, () => {
      counts.timeouts++;
      environment.fail = undefined;
      environment.isSpent = true;
      ended.reject(new Error(`Task timed out after ${timeoutMs / 1000} seconds`));
      end(process);
    });
    environment.fail = (error) => {
      counts.deaths++;
      environment.isSpent = true;
      ended.reject(error);
    };
    serving.add(environment);
    try {
      const context = { getRemainingTimeInMillis: () => Math.max(0, endsAt - time.now()) };
      handler(event, context).then(ended.resolve, ended.reject);
      return await ended.promise;
    } finally {
      cancel();
      environment.fail = undefined;
      serving.delete(environment);
    }
  }

  function end(process: SimProcess): void {
    const kill = () => process.kill('timed out');
    if (process.isFrozen) {
      void process.io(() => time.sleep(1)).then(() => time.at(time.now() + LAST_WORDS_MS, kill));
      return;
    }
    if (faults.random('workerFrozen') <= 1 - LINGERS) {
      kill();
      return;
    }
    process.freeze();
    const until = time.now() + faults.random('workerFrozen') * MAX_LINGER_MS;
    time.at(until, () => {
      process.thaw();
      time.at(until + faults.random('workerFrozen') * LAST_WORDS_MS, kill);
    });
  }

  async function run(event: Event): Promise<Invoked<Result>> {
    const beganAt = time.now();
    let environment: Own | undefined;
    try {
      environment = reuse();
      if (environment) environment.process.thaw();
      else environment = await start();
      trace?.({ process: environment.process.name, what: 'is invoked' });
      options.onBegin?.(environment.process);
      return { status: 'done', result: await serve(environment, event) };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      counts.failures++;
      const process = environment?.process.name ?? name;
      trace?.({ process, what: `fails: ${error.message}` });
      onFailure?.({ process, error });
      return { status: 'failed', error };
    } finally {
      counts.billedMs += time.now() - beganAt;
      if (environment && !environment.isSpent) rest(environment);
    }
  }

  function rest(environment: Own): void {
    if (environment.isReplaced) {
      environment.process.kill('replaced');
      return;
    }
    environment.process.freeze();
    environment.idleSince = time.now();
    idle.push(environment);
  }

  return {
    counts,
    get running() {
      return running;
    },
    get idle() {
      return idle.length;
    },
    async invoke(event) {
      if (running >= maxConcurrency) {
        counts.throttles++;
        return { status: 'throttled' };
      }
      counts.invocations++;
      counts.maxRunning = Math.max(counts.maxRunning, ++running);
      try {
        return await run(event);
      } finally {
        running--;
      }
    },
    replaceAll() {
      for (const { process } of idle.splice(0)) process.kill('replaced');
      for (const environment of serving) environment.isReplaced = true;
    },
    killOne(why) {
      const [oldest] = serving;
      oldest?.process.kill(why);
      return oldest !== undefined;
    },
  };
}
