/**
 * Records the calls of a function to its surroundings, line by line: each, with the second at which it begins. A call takes a
 * second, and one of them may fail. So a test can compare the whole: what is called, with what, in which order, at which
 * time, and what happens after each failure.
 */
import { expect } from 'vitest';
import type { Log } from '../../functions/log.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { T0 } from '../crawler/worker/fake-clock.ts';
import { textOf } from '../golden.ts';

type Method = (...args: never[]) => Promise<unknown>;
/** How the arguments of a method are shown, where not all of them are. */
type Shown<Port> = {
  readonly [K in keyof Port]?: Port[K] extends Method ? Show<Parameters<Port[K]>> : never;
};
type Show<Args extends readonly unknown[]> = (...args: Args) => unknown;

/** Long enough that a call that nobody waits for is still in progress when the next one begins. */
const SLOW_TICKS = 30;

export class CallRecord {
  readonly lines: string[] = [];
  /** Where each call stands among the lines. */
  readonly calls: number[] = [];
  readonly clock: Clock;
  readonly log: Log = (level, fields) => this.note('log', level, fields);
  /** Calls that have begun and not ended. */
  inProgress = 0;
  /** The number of the call that fails, from 1. */
  readonly #failing: number | undefined;
  #now = T0;
  #isOn = true;

  constructor(failing?: number) {
    this.#failing = failing;
    this.clock = {
      now: () => this.#now,
      sleep: async (ms) => this.pass(ms),
      random: () => 0.5,
      uuid: () => 'uuid',
    };
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  /** Adds a line that is no call. */
  note(what: string, ...args: readonly unknown[]): void {
    const second = (this.#now - T0) / 1000;
    this.lines.push([`${second}s`, what, ...args.map(textOf)].join(' '));
  }

  /** The same port, whose calls are recorded. Each of its methods has to be one that answers later. */
  watch<Port extends object>(port: Port, shown: Shown<Port> = {}): Port {
    const methods = Object.entries(port).map(([name, method]) => [
      name,
      (...args: never[]) => {
        const show = (shown as Record<string, Show<never[]> | undefined>)[name];
        return this.#call([name, ...(show ? [show(...args)] : args)], () => method.apply(port, args));
      },
    ]);
    return { ...port, ...Object.fromEntries(methods) };
  }

  /** From then on calls take no time, fail no more, and are not recorded. */
  stop(): void {
    this.#isOn = false;
  }

  async #call([name, ...args]: readonly unknown[], carryOut: () => unknown): Promise<unknown> {
    if (!this.#isOn) return carryOut();
    const number = this.calls.push(this.lines.length);
    this.note(String(name), ...args);
    this.inProgress++;
    try {
      for (let tick = 0; tick < SLOW_TICKS; tick++) await undefined;
      this.pass(1000);
      if (number === this.#failing) throw new Error(`call ${number} fails`);
      return await carryOut();
    } finally {
      this.inProgress--;
    }
  }
}

/** Makes the surroundings and returns the work to be done in them, and what is left in the end. */
export type Work = (record: CallRecord) => {
  readonly run: () => Promise<unknown>;
  /** Returns the stored state. After a failure it has to be the same once the work was done again. */
  readonly left?: () => unknown;
};

/** The lines of the work, the last of which says how it ends. Fails if it leaves a call in progress. */
export async function linesOf(work: Work, failing?: number): Promise<readonly string[]> {
  const record = new CallRecord(failing);
  await carryOut(record, work(record).run);
  return record.lines;
}

/**
 * For each call of the work: what follows if it fails, by the names of the calls. Fails where nobody learns of the failure,
 * or where the work leaves something else when it is done again. `hidden`: calls whose failure nobody need learn of.
 */
export async function afterFailures(work: Work, hidden: readonly string[] = []): Promise<readonly string[]> {
  const plain = new CallRecord();
  const { run, left } = work(plain);
  await carryOut(plain, run);
  const found: string[] = [];
  for (const [i, at] of plain.calls.entries()) {
    const call = plain.lines[at] as string;
    const record = new CallRecord(i + 1);
    const struck = work(record);
    await carryOut(record, struck.run);
    const later = record.lines.slice(at + 1);
    if (!hidden.includes(nameIn(call)))
      expect(later.join('\n'), `after ${call}`).toContain(`call ${i + 1} fails`);
    found.push(`${nameIn(call)} fails: ${later.map(nameIn).join(', ')}`);
    record.stop();
    if (!struck.left) continue;
    await struck.run().catch(() => {});
    expect(struck.left(), `left after ${call}`).toEqual(left?.());
  }
  return found;
}

async function carryOut(record: CallRecord, run: () => Promise<unknown>): Promise<void> {
  await run().then(
    (result) => record.note('returns', result),
    (error: unknown) => record.note('throws', messagesOf(error)),
  );
  const count = record.lines.length;
  expect(record.inProgress, 'calls in progress at the end').toBe(0);
  for (let tick = 0; tick < 2 * SLOW_TICKS; tick++) await undefined;
  expect(record.lines.slice(count), 'calls after the end').toEqual([]);
}

/** Without the second and the arguments; the level of a log line. */
function nameIn(line: string): string {
  const [, name = '', first = ''] = line.split(' ');
  return name === 'log' ? `log ${first}` : name;
}

function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) messages.push(one.message);
  return messages.join(' < ');
}
