/**
 * Faults of the worker in the tests of a deployed stack: it exits at the worst moments. Without their
 * environment variables there are none.
 *
 * - `STRAND_TEST_EXIT_RATE` (0 to 1): at each commit of a head, the process exits with that probability,
 *   before the commit or after it.
 * - `STRAND_TEST_EXIT_URL`: the process exits when a URL that contains this is about to be fetched.
 * - `STRAND_TEST_EXIT_HEADER`: the process exits when a response has a header of this name.
 */
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';

export interface WorkerFaults {
  /** The probability that a commit is the last one. */
  readonly exitRate: number;
  /** A part of the URLs whose fetch makes the process exit. */
  readonly exitUrl?: string;
  /** The name of a header, in lower case. The site decides which response is the last one. */
  readonly exitHeader?: string;
}

export interface Chance {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly exit: () => never;
}

export function readWorkerFaults(
  env: Readonly<Record<string, string | undefined>>,
): WorkerFaults | undefined {
  const {
    STRAND_TEST_EXIT_RATE: rate,
    STRAND_TEST_EXIT_URL: exitUrl,
    STRAND_TEST_EXIT_HEADER: exitHeader,
  } = env;
  if (!rate && !exitUrl && !exitHeader) return undefined;
  const exitRate = Number(rate || '0');
  if (!(exitRate >= 0 && exitRate <= 1))
    throw new Error(`Expected STRAND_TEST_EXIT_RATE to be a number from 0 to 1, got ${JSON.stringify(rate)}`);
  return { exitRate, ...(exitUrl && { exitUrl }), ...(exitHeader && { exitHeader }) };
}

/** Returns an engine whose commits may end the process, before or after they take effect. */
export function withFaultyCommits<E extends Engine>(
  engine: E,
  faults: WorkerFaults | undefined,
  { random, exit }: Chance,
): E {
  if (!faults || faults.exitRate === 0) return engine;
  const { ledgers } = engine;
  return {
    ...engine,
    ledgers: {
      ...ledgers,
      async commit(...args) {
        const dies = random() < faults.exitRate;
        if (dies && random() < 0.5) exit();
        await ledgers.commit(...args);
        if (dies) exit();
      },
    },
  };
}

/** Returns a fetcher that ends the process when it is to fetch a URL that contains `exitUrl`, or has a response with `exitHeader`. */
export function withFaultyFetches(
  fetcher: Fetcher,
  faults: WorkerFaults | undefined,
  { exit }: Chance,
): Fetcher {
  const { exitUrl, exitHeader } = faults ?? {};
  if (exitUrl === undefined && exitHeader === undefined) return fetcher;
  return {
    ...fetcher,
    async fetch(request) {
      if (exitUrl !== undefined && request.url.includes(exitUrl)) exit();
      const outcome = await fetcher.fetch(request);
      const isLast =
        outcome.status === 'response' && outcome.headers.some(([name]) => name.toLowerCase() === exitHeader);
      return isLast ? exit() : outcome;
    },
  };
}
