/**
 * Faults at one call: the calls that an invocation of a function makes are numbered, and one of them is
 * struck, just before it or just after it took effect. Random faults seldom meet such a moment; to enumerate
 * them meets each.
 */
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export const CALL_MOMENTS = ['before', 'after'] as const;
export const CALL_FAULT_KINDS = ['dies', 'freezes', 'fails'] as const;

export interface CallFault {
  /** The function, and which of its invocations, from 1. */
  readonly actor: string;
  readonly invocation: number;
  /** Which of the invocation's calls, from 1, in the order begun. */
  readonly call: number;
  readonly moment: (typeof CALL_MOMENTS)[number];
  /** `freezes`: the process freezes for longer than a host's lease. `fails`: the caller gets an error. */
  readonly kind: (typeof CALL_FAULT_KINDS)[number];
}

export interface CallFaults {
  /** An invocation of the function begins in the process. */
  begin(actor: string, process: SimProcess): void;
  /** Makes a call of the process, perhaps struck. Traces name the call. */
  call<T>(process: SimProcess, what: string, work: () => Promise<T>): Promise<T>;
  /**
   * The same for a request to the web, which never throws: it is struck only afterwards, as a process that
   * freezes between the last look at the clock and the sending hurries a host whatever the code is.
   */
  request<T>(process: SimProcess, work: () => Promise<T>): Promise<T>;
  /**
   * Calls made, by `actor/invocation`: in their order, `c` for a call of a service and `r` for a request to
   * the web.
   */
  readonly made: ReadonlyMap<string, string>;
}

export interface CallFaultsOptions {
  readonly time: VirtualTime;
  readonly faults: Pick<Faults, 'strikes' | 'random'>;
  readonly planned: readonly CallFault[];
  /**
   * How long an invocation of the function has what it works on for itself. Who freezes does so for longer.
   */
  readonly leaseMs: (actor: string) => number;
  readonly trace?: Trace;
}

/** Messages received, or leases held, since the invocation began have a later end. */
const LEAST_FREEZE_MS = 60_000;
/** Beyond the lease at most. */
const MAX_BEYOND_MS = 60_000;
/** A connection that breaks is noticed after this. */
const BROKEN_MS = 5;

export function createCallFaults(options: CallFaultsOptions): CallFaults {
  const { time, faults, planned, leaseMs, trace } = options;
  const invocations = new Map<string, number>();
  const current = new WeakMap<SimProcess, { readonly name: string; readonly beganAt: number }>();
  const made = new Map<string, string>();
  const left = new Map(planned.map((fault) => [`${fault.actor}/${fault.invocation}/${fault.call}`, fault]));

  /** The fault that strikes the next call of the process. */
  function next(process: SimProcess, isRequest: boolean): CallFault | undefined {
    const invocation = current.get(process)?.name;
    if (invocation === undefined) return undefined;
    const calls = (made.get(invocation) ?? '') + (isRequest ? 'r' : 'c');
    made.set(invocation, calls);
    if (left.size === 0) return undefined;
    const key = `${invocation}/${calls.length}`;
    const fault = left.get(key);
    if (!fault || (isRequest && !strikesRequests(fault))) return undefined;
    return left.delete(key) && faults.strikes('callStruck') ? fault : undefined;
  }

  async function strike(
    process: SimProcess,
    { actor, moment, kind }: CallFault,
    what: string,
  ): Promise<void> {
    trace?.({ process: process.name, what: `is struck ${moment} ${what}: ${kind}` });
    if (kind === 'dies') process.kill('struck');
    else if (kind === 'freezes') {
      const now = time.now();
      const leaseEnd = (current.get(process)?.beganAt ?? now) + leaseMs(actor);
      const until = Math.max(leaseEnd, now + LEAST_FREEZE_MS) + faults.random('callStruck') * MAX_BEYOND_MS;
      process.freeze();
      time.at(until, () => process.thaw());
    }
    // A process that freezes gets here later, and a dead one never.
    await process.io(() => time.sleep(BROKEN_MS));
    if (kind === 'fails')
      throw Object.assign(new Error(`socket hang up (${what})`), { name: 'TimeoutError' });
  }

  async function call<T>(
    process: SimProcess,
    what: string,
    work: () => Promise<T>,
    isRequest = false,
  ): Promise<T> {
    const fault = next(process, isRequest);
    if (fault?.moment === 'before') await strike(process, fault, what);
    const result = await work();
    if (fault?.moment === 'after') await strike(process, fault, what);
    return result;
  }

  return {
    made,
    begin(actor, process) {
      const invocation = (invocations.get(actor) ?? 0) + 1;
      invocations.set(actor, invocation);
      current.set(process, { name: `${actor}/${invocation}`, beganAt: time.now() });
    },
    call: (process, what, work) => call(process, what, work),
    request: (process, work) => call(process, 'a request', work, true),
  };
}

export const strikesRequests = ({ moment, kind }: Pick<CallFault, 'moment' | 'kind'>): boolean =>
  moment === 'after' && kind !== 'fails';

/** Without numbers or strikes. */
export const NO_CALL_FAULTS: CallFaults = {
  made: new Map(),
  begin() {},
  call: (_process, _what, work) => work(),
  request: (_process, work) => work(),
};

/** As text, such as `worker/3/17/before/dies`. */
export const callFaultText = ({ actor, invocation, call, moment, kind }: CallFault): string =>
  [actor, invocation, call, moment, kind].join('/');

/** Undefined for a text that names none. */
export function parseCallFault(text: string): CallFault | undefined {
  const [actor = '', invocation, call, moment, kind, ...rest] = text.split('/');
  const numbers = [Number(invocation), Number(call)] as const;
  if (!numbers.every((number) => Number.isSafeInteger(number) && number > 0)) return undefined;
  const found = CALL_MOMENTS.find((known) => known === moment);
  const kindFound = CALL_FAULT_KINDS.find((known) => known === kind);
  if (!/^[a-z]+$/.test(actor) || !found || !kindFound || rest.length > 0) return undefined;
  return { actor, invocation: numbers[0], call: numbers[1], moment: found, kind: kindFound };
}
