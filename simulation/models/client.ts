/**
 * A client of the AWS SDK whose calls go to a model of the service, on virtual time: with latency, the SDK's
 * own retries of what failed on its way, and faults. What is done by the adapters above is the real thing.
 */
import { ANSWER_MS, transientRetries } from '../../shared/engines/aws/clients.ts';
import { type CallFaults, NO_CALL_FAULTS } from './call-faults.ts';
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { ServiceName, SimService } from './service.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Milliseconds that a call takes, there and back. */
export type Latency = (random: Random, service: ServiceName, command: string) => number;

export interface SimClientOptions {
  readonly service: SimService;
  readonly process: SimProcess;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly faults: Faults;
  readonly calls?: CallFaults;
  readonly latency: Latency;
  /** Whether the service refuses the call for its rate: a storm, or a limit. */
  readonly isThrottled: (service: ServiceName, command: string, input: object) => boolean;
  readonly trace?: Trace;
}

interface Command {
  readonly input: object;
}

interface Args {
  readonly input: object;
}
type Handler = (args: Args) => Promise<{ readonly output: unknown }>;
type Middleware = (
  next: Handler,
  context: { readonly clientName: string; readonly commandName: string },
) => Handler;

/** As much of a client of the SDK as the engine uses. */
export interface SimClient {
  send(command: Command): Promise<unknown>;
  readonly middlewareStack: { add(middleware: Middleware, options: { readonly step: string }): void };
  destroy(): void;
}

export function createSimClient(options: SimClientOptions): SimClient {
  const { service, process, time, random, faults, latency, isThrottled, trace } = options;
  const { calls = NO_CALL_FAULTS } = options;
  const { name, clientName } = service;
  /** Around the whole call, and around each attempt. */
  const around: Middleware[] = [];
  const each: Middleware[] = [];
  const retries = transientRetries({ random });

  /** One attempt, seen from the world: the process may be gone when it ends. */
  async function attempt(commandName: string, input: object): Promise<{ readonly output: unknown }> {
    const isPoll = commandName === 'ReceiveMessageCommand';
    const ms = Math.max(2, Math.round(latency(random, name, commandName)));
    await time.sleep(Math.ceil(ms / 2));
    if (isThrottled(name, commandName, input)) {
      await time.sleep(ms / 2);
      throw throttled(name, commandName);
    }
    if (faults.strikes('callFailsBefore')) {
      trace?.({ process: process.name, what: `${commandName} fails before it took effect` });
      throw await broken('callFailsBefore');
    }
    const output = await service.handle(commandName, input);
    if (isPoll ? hasMessages(output) && faults.strikes('receivedUnseen') : isAnswerLost(commandName, input)) {
      trace?.({ process: process.name, what: `${commandName} takes effect, and its answer is lost` });
      throw await broken('callFailsAfter');
    }
    await time.sleep(ms / 2);
    return { output };
  }

  function isAnswerLost(commandName: string, input: object): boolean {
    const isConditional = /^(Put|Update)ItemCommand$/.test(commandName) && 'ConditionExpression' in input;
    if (isConditional && faults.strikes('conditionAnswerLost')) return true;
    return faults.strikes('callFailsAfter');
  }

  /** A connection that breaks, or an answer that never comes. */
  async function broken(fault: 'callFailsBefore' | 'callFailsAfter'): Promise<Error> {
    const isSilent = faults.random(fault) < 0.3;
    await time.sleep(isSilent ? ANSWER_MS : 5);
    return Object.assign(new Error(isSilent ? 'no answer' : 'socket hang up'), {
      name: isSilent ? 'TimeoutError' : 'Error',
      isTransient: true,
    });
  }

  async function withRetries(
    work: () => Promise<{ readonly output: unknown }>,
  ): Promise<{ readonly output: unknown }> {
    let token = await retries.acquireInitialRetryToken('');
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error as { isTransient?: boolean }).isTransient) throw error;
        try {
          token = await retries.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
        } catch {
          throw error;
        }
        await process.clock.sleep(token.getRetryDelay());
      }
    }
  }

  /** The calls of commands through the middlewares, by the commands' names. */
  const callers = new Map<string, Handler>();

  function callerOf(commandName: string): Handler {
    const known = callers.get(commandName);
    if (known) return known;
    const context = { clientName, commandName };
    const wrap = (middlewares: readonly Middleware[], handler: Handler) =>
      middlewares.reduceRight((next, middleware) => middleware(next, context), handler);
    const once = wrap(each, ({ input }) => process.io(() => attempt(commandName, input)));
    const whole = wrap(around, (args) => withRetries(() => once(args)));
    callers.set(commandName, whole);
    return whole;
  }

  return {
    middlewareStack: {
      add(middleware, { step }) {
        (step === 'initialize' ? around : each).push(middleware);
        callers.clear();
      },
    },
    destroy() {},
    async send(command) {
      const commandName = command.constructor.name;
      const call = callerOf(commandName);
      const { output } = await calls.call(process, commandName, () => call({ input: command.input }));
      return output;
    },
  };
}

const hasMessages = (output: unknown): boolean =>
  ((output as { Messages?: readonly unknown[] }).Messages?.length ?? 0) > 0;

/** By the names that the services give their refusals. */
function throttled(service: ServiceName, commandName: string): Error {
  // Without a body, and so without a name.
  if (commandName === 'HeadObjectCommand')
    return Object.assign(new Error('UnknownError'), { name: 'Unknown', $metadata: { httpStatusCode: 503 } });
  const name = { sqs: 'RequestThrottled', dynamo: 'ThrottlingException', s3: 'SlowDown' }[service];
  return Object.assign(new Error('Rate exceeded'), { name, $metadata: { httpStatusCode: 400 } });
}
