/**
 * A simulated account with the deployed handlers, whose waker and compactor are invoked by hand, so that the CPU of each
 * run is known. What these two use is metered for the account, whatever crawls are charged for it.
 */
import { MEMORY_MB } from '../../../cdk/constructs/sizes.ts';
import { parseOptions } from '../../../cdk/options.ts';
import { createMeter } from '../../../shared/engines/aws/cost/meter.ts';
import type { Usage } from '../../../shared/engines/aws/cost/prices.ts';
import type { OpenedStack } from '../../../shared/engines/aws/stack.ts';
import { readUnitFigures } from '../../../simulation/capacity/unit-figures.ts';
import { withCpu } from '../../../simulation/capacity/with-cpu.ts';
import { createSimCloud, type SimCloud } from '../../../simulation/models/cloud.ts';
import { createFaults, NO_FAULTS } from '../../../simulation/models/faults.ts';
import { drive } from '../../../simulation/models/virtual-time.ts';
import type { WebShape } from '../../../simulation/web/shape.ts';
import { createSimWeb } from '../../../simulation/web/web.ts';
import { type Deployment, deploy } from '../../../simulation/worlds/deployment.ts';
import { openOperator } from '../../../simulation/worlds/operator-process.ts';
import type { Harm, SimWeb, WebRequest } from '../../../simulation/worlds/spec.ts';
import { cpuMsSince } from '../../harness/cpu-time.ts';

export const SEED = 45;
/** MB of memory that buy one whole CPU (Lambda developer guide, "Configure Lambda function memory"). */
const MB_PER_CPU = 1769;

/** Processes of the functions that work for crawls at rest. */
const METERED = /^(waker|compactor)-/;

export interface AccountOptions {
  readonly web: Pick<WebShape, 'hosts' | 'minPages' | 'maxPages'>;
  readonly harmOf?: (url: string) => Harm | undefined;
  readonly onRequest?: (request: WebRequest) => void;
  /** Default: those of a deployment. */
  readonly pool?: { readonly hostsPerWorker: number; readonly maxConcurrency: number };
}

/** The CPU of a run of a function. */
export interface RunCpu {
  /** Seconds of the function's own CPU: its memory buys a share of a core. */
  readonly seconds: number;
  /** The parts: calls of the SDK, as measured with its own clients; and handlers with adapters, in this process. */
  readonly calls: number;
  readonly handlers: number;
  /** Calls by kind. */
  readonly byCall: Readonly<Record<string, number>>;
}

export interface Account {
  readonly cloud: SimCloud;
  readonly web: SimWeb;
  readonly deployment: Deployment;
  /** The stack as an operator's process opens it: what it uses is not metered. */
  readonly operator: OpenedStack;
  /** Drives time until the promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
  /** Invokes the function, and waits for its end. Nothing else should run. */
  run(name: 'waker' | 'compactor'): Promise<RunCpu>;
  /** The usage of waker and compactor since the last call: requests by unit, and their billed time. */
  takeUsage(): Usage;
}

export function createAccount({ web: size, harmOf, onRequest, pool }: AccountOptions): Account {
  const figures = readUnitFigures();
  const stack = { ...parseOptions({}), ...pool };
  const plain = createSimCloud({
    seed: SEED,
    faults: () => createFaults({ seed: SEED, names: ['pageHarms'], certain: ['pageHarms'] }),
    turnQueues: stack.turnQueues,
    linkShards: stack.linkShards,
    settings: {
      hostsPerWorker: stack.hostsPerWorker,
      workersPerQueue: Math.floor(stack.maxConcurrency / stack.turnQueues),
      workerMemoryMb: stack.workerMemoryMb,
      smallWorkerMemoryMb: stack.smallWorkerMemoryMb,
      workerTimeoutMs: stack.workerTimeout * 1000,
      dueShards: stack.dueShards,
      hasHooks: false,
    },
  });
  const meter = createMeter({ clock: plain.time });
  const models = watchModels(plain);
  const { cloud, ...cpu } = withCpu(
    {
      ...plain,
      clientsOf(process) {
        const clients = plain.clientsOf(process);
        if (METERED.test(process.name))
          for (const client of [clients.dynamo, clients.s3, clients.sqs]) meter.watch(client);
        return clients;
      },
    },
    figures,
  );
  const web = createSimWeb({
    seed: SEED,
    time: cloud.time,
    faults: NO_FAULTS,
    keepLog: false,
    ...(onRequest && { onRequest }),
    shape: {
      ...size,
      linksPerPage: 20,
      sameHostShare: 1,
      responseMs: [200],
      plain: true,
      seedHosts: size.hosts,
    },
  });
  const deployment = deploy(cloud, {
    fetcherOf: (process, config) => cpu.fetcherOf(process, web.fetcherOf(process, config)),
    maxConcurrency: stack.maxConcurrency,
    cpuMsOf: cpu.usedMs,
    routerWindowMs: stack.routerWindow * 1000,
    ...(harmOf && { harmOf }),
  });
  const { time } = cloud;
  const { functions } = deployment;
  const billed = { ms: 0, invocations: 0 };

  return {
    cloud,
    web,
    deployment,
    operator: openOperator(cloud, SEED),
    drive: (promise) => drive(time, promise),
    async run(name) {
      meter.takeCalls();
      const modelsBefore = models.cpuMs();
      const began = process.cpuUsage();
      await drive(time, functions[name].invoke(undefined));
      const handlersMs = cpuMsSince(began) - (models.cpuMs() - modelsBefore);
      const byCall = meter.takeCalls();
      const callsMs = sdkMs(byCall, figures.figures.cpuMsPerCall.value);
      const share = Math.min(1, MEMORY_MB[name] / MB_PER_CPU);
      return {
        seconds: (callsMs + handlersMs) / 1000 / share,
        calls: callsMs / 1000 / share,
        handlers: handlersMs / 1000 / share,
        byCall,
      };
    },
    takeUsage() {
      const { waker, compactor } = functions;
      const memoryMs =
        waker.counts.billedMs * MEMORY_MB.waker + compactor.counts.billedMs * MEMORY_MB.compactor;
      const invocations = waker.counts.invocations + compactor.counts.invocations;
      const usage = {
        ...meter.takeTotal(),
        lambdaMbMs: memoryMs - billed.ms,
        lambdaRequests: invocations - billed.invocations,
      };
      Object.assign(billed, { ms: memoryMs, invocations });
      return usage;
    },
  };
}

/** CPU ms that the SDK needs for the calls, with one whole core. */
function sdkMs(
  byCall: Readonly<Record<string, number>>,
  perCall: Readonly<Record<'sqs' | 'dynamo' | 's3', number>>,
): number {
  let sum = 0;
  for (const [name, count] of Object.entries(byCall))
    sum += count * perCall[name.startsWith('sqs') ? 'sqs' : name.startsWith('s3') ? 's3' : 'dynamo'];
  return sum;
}

/** Counts the CPU that the models of the services use: it is not the functions'. */
function watchModels(cloud: SimCloud): { cpuMs(): number } {
  let cpuMs = 0;
  for (const service of [cloud.sqs, cloud.dynamo, cloud.s3]) {
    const watched = service as { handle: (command: string, input: unknown) => unknown };
    const handle = service.handle.bind(service);
    watched.handle = (command, input) => {
      const began = process.cpuUsage();
      try {
        return handle(command, input);
      } finally {
        cpuMs += cpuMsSince(began);
      }
    };
  }
  return { cpuMs: () => cpuMs };
}
