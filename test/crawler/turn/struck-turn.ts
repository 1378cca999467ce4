/**
 * One piece of a turn's work, struck at each call of its ports in turn. This shows that each call is awaited, and that the
 * caller learns of each that fails: a turn whose call was lost in silence would commit what is not there.
 */
import { expect } from 'vitest';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { OptionalPorts } from '../../../shared/crawler/ports/engine.ts';
import { driven, type OpenTurn, openTurn, type TurnSituation } from './turn-bench.ts';

export interface Work {
  readonly situation: TurnSituation;
  /** Prepares what is stored, by calls that are not struck. */
  readonly prepare?: (turn: OpenTurn) => Promise<unknown>;
  readonly run: (turn: OpenTurn) => Promise<unknown>;
  /** Calls after the last commit whose failure the work survives, as its documentation says. */
  readonly survivesAfterCommit?: readonly string[];
}

interface Ended {
  readonly made: readonly string[];
  readonly error: string | undefined;
  /** Calls that were in progress at the end, or were made later. */
  readonly leftOver: readonly string[];
  /** Responses whose bodies nobody has disposed of. */
  readonly undisposed: readonly string[];
}

/** Long enough that nothing ends by chance before a call that nobody waits for. */
const SLOW_TICKS = 60;
const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | undefined)?.then === 'function';

class Calls {
  readonly made: string[] = [];
  readonly inProgress = new Set<string>();
  isOn = false;
  strikeAt: number | undefined;

  /** Wraps each method of the port that answers later. */
  watch(name: string, port: object): void {
    const methods = port as Record<string, unknown>;
    for (const key of Object.keys(methods)) {
      const method = methods[key];
      if (typeof method === 'function')
        methods[key] = (...args: unknown[]) => this.#call(`${name}.${key}`, () => method.apply(port, args));
    }
  }

  #call(what: string, carryOut: () => unknown): unknown {
    if (!this.isOn) return carryOut();
    const result = carryOut();
    return isPromise(result) ? this.#slowly(what, result) : result;
  }

  async #slowly(what: string, result: Promise<unknown>): Promise<unknown> {
    const number = this.made.push(what);
    const id = `${number} ${what}`;
    this.inProgress.add(id);
    result.catch(() => {});
    try {
      for (let tick = 0; tick < SLOW_TICKS; tick++) await undefined;
      if (number === this.strikeAt) throw new Error(`call ${id} fails`);
      return await result;
    } finally {
      this.inProgress.delete(id);
    }
  }
}

async function carryOut({ situation, prepare, run }: Work, strikeAt?: number): Promise<Ended> {
  const calls = new Calls();
  const turn = await openTurn({
    ...situation,
    ...(situation.optional && { optional: copiesOf(situation.optional) }),
  });
  const { engine, services } = turn;
  const { queue, exchange, ledgers, registry, skips, items, changes, payloads } = engine;
  const optional = { skips, items, changes, payloads };
  for (const [name, port] of Object.entries({ queue, exchange, ledgers, registry, ...optional }))
    if (port) calls.watch(name, port);
  calls.watch('archive', engine.archiveOf('c'));
  const { fetcherOf } = services;
  const bodies = new Set<string>();
  Object.assign(services, {
    fetcherOf: (...given: Parameters<typeof fetcherOf>) => {
      const fetcher = fetcherOf(...given);
      return {
        ...fetcher,
        async fetch(request: Parameters<typeof fetcher.fetch>[0]): Promise<FetchOutcome> {
          const outcome = await fetcher.fetch(request);
          if (outcome.status !== 'response') return outcome;
          const { url, body } = outcome;
          bodies.add(url);
          const { dispose } = body;
          body.dispose = () => {
            bodies.delete(url);
            return dispose();
          };
          calls.watch('body', body);
          return outcome;
        },
      };
    },
  });
  await prepare?.(turn);
  calls.strikeAt = strikeAt;
  calls.isOn = true;
  let leftOver: string[] = [];
  let madeAtEnd = 0;
  const ended = run(turn).finally(() => {
    leftOver = [...calls.inProgress];
    madeAtEnd = calls.made.length;
  });
  const error = await driven(turn, ended).then(
    () => undefined,
    (cause: unknown) => messagesOf(cause),
  );
  await turn.clock.advance(10);
  leftOver.push(...calls.made.slice(madeAtEnd));
  // As each turn does at its end. A piece of one has a pace of its own.
  calls.isOn = false;
  await turn.parts.pace.release();
  return { made: calls.made, error, leftOver, undisposed: [...bodies] };
}

/** The ports are watched, each time others. */
const copiesOf = (ports: OptionalPorts): OptionalPorts =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, { ...port }])) as OptionalPorts;

function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) messages.push(one.message);
  return messages.join(' < ');
}

/** Fails where a call is not awaited, or where one that fails does not fail the work. */
export async function strikeEach(work: Work): Promise<readonly string[]> {
  const plain = await carryOut(work);
  expect([plain.error, plain.leftOver, plain.undisposed]).toEqual([undefined, [], []]);
  expect(plain.made.length).toBeGreaterThan(0);
  const committed = plain.made.lastIndexOf('ledgers.commit');
  for (const [i, name] of plain.made.entries()) {
    const { error = 'nothing', leftOver, undisposed } = await carryOut(work, i + 1);
    const what = `after the failure of call ${i + 1}, ${name}`;
    const isSurvived = i > committed && work.survivesAfterCommit?.includes(name);
    if (!isSurvived) expect(error, what).toContain(`call ${i + 1} ${name} fails`);
    expect(leftOver, `in progress ${what}`).toEqual([]);
    expect(undisposed, `bodies left ${what}`).toEqual([]);
  }
  return plain.made;
}
