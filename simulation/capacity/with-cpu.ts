/**
 * The simulated account with processors: what a process has called or fetched reaches it when its CPU has
 * come to it.
 */

import { hostKey } from '../../shared/core/url/host-key.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import { openStack } from '../../shared/engines/aws/stack.ts';
import { HEAD } from '../../shared/engines/aws/state/tables.ts';
import type { SimClient } from '../models/client.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimProcess } from '../models/process.ts';
import type { ServiceName } from '../models/service.ts';
import { type Cpu, createCpu } from './cpu.ts';
import type { UnitFigures } from './unit-figures.ts';

export interface CpuCloud {
  readonly cloud: SimCloud;
  /** The fetcher as a process has it whose CPU has to work on what it brings. */
  fetcherOf(process: SimProcess, fetcher: Fetcher): Fetcher;
  /** CPU ms that the process has used so far, of one whole CPU. */
  usedMs(process: SimProcess): number;
  /** CPU ms of all processes that have fetched, so far. */
  workersCpuMs(): number;
  /** The longest that work requested now has to wait for its worker's CPU. */
  backlogMs(): number;
}

/** A connection that has rested for longer is closed (`shared/crawler/fetcher/agent.ts`). */
const KEEP_ALIVE_MS = 8000;
/** Hosts whose last exchange is remembered by a process. */
const MAX_HOSTS = 5000;
const SERVICES: readonly ServiceName[] = ['sqs', 'dynamo', 's3'];

export function withCpu(cloud: SimCloud, { figures }: UnitFigures): CpuCloud {
  const cpus = new WeakMap<SimProcess, Cpu>();
  const workers = new Set<Cpu>();
  const pageMs = figures.cpuMsPerPage.value + figures.cpuMsPerPageOutside.value;

  function cpuOf(process: SimProcess, memoryMb = cloud.settings.workerMemoryMb): Cpu {
    const known = cpus.get(process);
    if (known) return known;
    const cpu = createCpu(cloud.time, memoryMb);
    cpus.set(process, cpu);
    return cpu;
  }

  /** A turn begins by loading its head: that represents what it costs besides its pages. */
  function charge(client: SimClient, service: ServiceName, cpu: Cpu): void {
    const callMs = figures.cpuMsPerCall.value[service];
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args);
          const key =
            commandName === 'GetItemCommand'
              ? (args.input as { Key: { sk?: { S?: string } } }).Key
              : undefined;
          await cpu.use(callMs + (key?.sk?.S === HEAD ? figures.cpuMsPerTurn.value : 0));
          return answer;
        },
      { step: 'finalizeRequest' },
    );
  }

  const open: SimCloud['open'] = (process, { turnQueueUrl, memoryMb, startSmall } = {}) => {
    const clients = cloud.clientsOf(process);
    const cpu = cpuOf(process, memoryMb);
    for (const service of SERVICES) charge(clients[service] as unknown as SimClient, service, cpu);
    return openStack(cloud.settings, { clock: process.clock, clients, turnQueueUrl, memoryMb, startSmall });
  };

  return {
    cloud: { ...cloud, open },
    fetcherOf(process, fetcher) {
      const cpu = cpuOf(process);
      workers.add(cpu);
      let lastAt = new Map<string, number>();
      return {
        ...fetcher,
        async fetch(request) {
          const outcome = await fetcher.fetch(request);
          const host = hostKey(request.url);
          const isKept = outcome.startedAt - (lastAt.get(host) ?? Number.NEGATIVE_INFINITY) < KEEP_ALIVE_MS;
          if (lastAt.size >= MAX_HOSTS) lastAt = new Map();
          lastAt.set(host, outcome.endedAt);
          await cpu.use(pageMs + (isKept ? 0 : figures.cpuMsPerConnection.value));
          return outcome;
        },
      };
    },
    usedMs: (process) => cpus.get(process)?.usedMs() ?? 0,
    workersCpuMs: () => workers.values().reduce((sum, cpu) => sum + cpu.usedMs(), 0),
    backlogMs: () => workers.values().reduce((most, cpu) => Math.max(most, cpu.backlogMs()), 0),
  };
}
