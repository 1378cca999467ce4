/**
 * One operation of the engine `aws` over models of its services, struck at each of its calls in turn. This
 * shows that each call is retried when it is throttled, is awaited, and reports its failure to the caller.
 */

import { SIZES } from '../../../shared/core/base/sizes.ts';
import { type AwsClients, type AwsEngine, createAwsEngine } from '../../../shared/engines/aws/engine.ts';
import { createSimCloud, type SimCloud } from '../../../simulation/models/cloud.ts';
import { type Faults, NO_FAULTS } from '../../../simulation/models/faults.ts';
import { drive, T0 } from '../../../simulation/models/virtual-time.ts';
import { textOf } from '../../golden.ts';

/**
 * `throttled`: refused for its rate. `fails`: the service refuses the call. `isDown`: this call and all later
 * ones fail. `lost`: it is carried out, and its answer is lost. `repeated`: the same, and the SDK makes the
 * call again by itself.
 */
export const FAULT_KINDS = ['throttled', 'fails', 'isDown', 'lost', 'repeated'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Strike {
  /** Which of the operation's calls, from 1. `each`: the first one of each command and input. */
  readonly call: number | 'each';
  readonly kind: FaultKind;
}

/** A process of the stack. */
export interface World {
  readonly cloud: SimCloud;
  readonly engine: AwsEngine;
  readonly clients: AwsClients;
  /** Waits for the promise while virtual time passes. */
  wait<T>(promise: Promise<T>): Promise<T>;
  /** Another process, whose calls are not struck. */
  other(): World;
}

export interface Operation<P = unknown> {
  readonly name: string;
  /** Prepares the state before the operation. */
  readonly prepare?: (world: World) => Promise<P>;
  /** The operation. Its result must not depend on the time. */
  readonly run: (world: World, prepared: P) => Promise<unknown>;
  /** Returns the state afterwards, as another process sees it. */
  readonly look?: (world: World, prepared: P) => Promise<unknown>;
  /** Commands whose failure the operation hides from its caller, as its documentation says. */
  readonly hides?: readonly string[];
  /** Kinds after which something else may be there, as the documentation says. */
  readonly excuses?: readonly FaultKind[];
  /** How long after a failure it is run again. Default 30,000. */
  readonly againAfterMs?: number;
  /** Not to be run again after a failure: what it was given is used up. */
  readonly isOnce?: boolean;
  /** Its result depends on how long its calls take. */
  readonly isTimed?: boolean;
  /** Its calls are too many to fail each of them in turn. */
  readonly isLong?: boolean;
  /** It reads an index, which may lag. */
  readonly readsIndex?: boolean;
  /** Checks that must hold after a failure, before the operation is repeated. */
  readonly meanwhile?: (world: World, prepared: P) => Promise<void>;
  /** The sizes of what it stores or reads depend on how well that was compressed. */
  readonly isCompressed?: boolean;
  /** Makes several calls at a time: which of them fails first is not said. */
  readonly isConcurrent?: boolean;
}

/** Small, so that a few bytes take each way. */
const SMALL = {
  ...SIZES,
  maxRowBytes: 200,
  maxMessageBytes: 2000,
  maxCountsInUpdate: 4,
  warcObjectBytes: 3000,
  uploadPartBytes: 2000,
  joinedBytes: 5000,
  scanBytes: 700,
  minJoinAgeMs: 0,
  maxScanned: 3,
  archiveGatherMs: 0,
};
const LATENCY_MS = 4;

class Calls {
  readonly made: string[] = [];
  /** Each with its time and its input, as text. */
  readonly texts: string[] = [];
  /** The calls that were struck. */
  readonly struck = new Set<string>();
  inFlight = 0;
  strike: Strike | undefined;
}

function isMeant({ call, kind }: Strike, number: number, isFirst: boolean): boolean {
  if (call === 'each') return isFirst;
  return kind === 'isDown' ? number >= call : number === call;
}

/** Each read that may lag does so, by almost two seconds. */
const ALWAYS_STALE: Faults = { ...NO_FAULTS, strikes: (name) => name === 'staleRead', random: () => 0.95 };

function openWorld(isStale: boolean): { readonly world: World; readonly calls: Calls } {
  const cloud = createSimCloud({
    ...{ seed: 1, sizes: SMALL, linkShards: 2, latency: () => LATENCY_MS },
    ...(isStale && { faults: () => ALWAYS_STALE }),
  });
  const calls = new Calls();
  return { world: begin(cloud, calls), calls };
}

function begin(cloud: SimCloud, calls: Calls | undefined): World {
  const process = cloud.begin('process');
  const clients = cloud.clientsOf(process);
  const struck = calls
    ? (Object.fromEntries(
        Object.entries(clients).map(([name, client]) => [name, strikable(client, calls, cloud)]),
      ) as unknown as AwsClients)
    : clients;
  const engine = createAwsEngine({
    clients: struck,
    names: cloud.settings,
    clock: process.clock,
    visibilityMs: 60_000,
    sizes: cloud.sizes,
    settleMs: 1000,
    archive: { software: 'Strand/test', prefix: 'T' },
  });
  return {
    cloud,
    engine,
    clients: struck,
    wait: (promise) => drive(cloud.time, promise),
    other: () => begin(cloud, undefined),
  };
}

interface Client {
  send(command: object): Promise<unknown>;
}

function strikable(client: Client, calls: Calls, cloud: SimCloud): Client {
  return {
    async send(command) {
      const { name } = command.constructor;
      const number = calls.made.push(name);
      const call = `${name} ${textOf((command as { input?: object }).input)}`;
      calls.texts.push(`${cloud.time.now() - T0} ${call}`);
      const { strike } = calls;
      const isStruck = strike && isMeant(strike, number, !calls.struck.has(call));
      if (isStruck) calls.struck.add(call);
      calls.inFlight++;
      try {
        if (!isStruck) return await client.send(command);
        const { kind } = strike;
        if (kind === 'lost' || kind === 'repeated') await client.send(command);
        else await cloud.time.sleep(LATENCY_MS);
        if (kind === 'repeated') return await client.send(command);
        throw errorOf(kind, number);
      } finally {
        calls.inFlight--;
      }
    },
  };
}

const errorOf = (kind: FaultKind, number: number): Error =>
  Object.assign(new Error(`call ${number} ${kind}`), {
    name: kind === 'throttled' ? 'ThrottlingException' : 'AccessDenied',
    $metadata: { httpStatusCode: 400 },
  });

export interface Outcome {
  /** The result, or the messages of the operation's error and of that error's causes. */
  readonly result?: unknown;
  readonly error?: string;
  /** The number of calls that were in flight when it ended or began later. */
  readonly leftOver: number;
  /** The state in the end, once the operation is repeated if it had failed. */
  readonly left?: unknown;
  /** The commands called, in their order. */
  readonly made: readonly string[];
  /** The same with their times and inputs. */
  readonly texts: readonly string[];
}

const AGAIN_AFTER_MS = 30_000;

/** Carries the operation out in a world of its own. */
export async function carryOut<P>(
  operation: Operation<P>,
  strike?: Strike,
  { isStale = false }: { readonly isStale?: boolean } = {},
): Promise<Outcome> {
  const { world, calls } = openWorld(isStale);
  const prepared = (await operation.prepare?.(world)) as P;
  calls.made.length = 0;
  calls.texts.length = 0;
  calls.strike = strike;
  let atEnd = { inFlight: 0, made: 0 };
  const ended = operation.run(world, prepared).finally(() => {
    atEnd = { inFlight: calls.inFlight, made: calls.made.length };
  });
  const outcome = await world.wait(
    ended.then(
      (result) => ({ result }),
      (error: unknown) => ({ error: messagesOf(error) }),
    ),
  );
  await world.cloud.time.advance(operation.againAfterMs ?? AGAIN_AFTER_MS);
  const [made, texts] = [[...calls.made], [...calls.texts]];
  const leftOver = atEnd.inFlight + made.length - atEnd.made;
  calls.strike = undefined;
  if ('error' in outcome) await operation.meanwhile?.(world, prepared);
  if ('error' in outcome && !operation.isOnce) await world.wait(operation.run(world, prepared));
  const left = await operation.look?.(world, prepared);
  return { ...outcome, leftOver, left, made, texts };
}

function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) messages.push(one.message);
  return messages.join(' < ');
}
