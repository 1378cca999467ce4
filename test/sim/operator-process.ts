import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import { type OpenedStack, openStack } from '../../shared/engines/aws/stack.ts';
import { createSimClient } from '../../shared/engines/sim/client.ts';
import type { SimCloud } from '../../shared/engines/sim/cloud.ts';
import { NO_FAULTS } from '../../shared/engines/sim/faults.ts';
import { awsLatency } from '../../shared/engines/sim/latency.ts';
import { createProcess } from '../../shared/engines/sim/process.ts';
import { randomOf } from '../../shared/engines/sim/random.ts';
import type { SimService } from '../../shared/engines/sim/service.ts';

/** The stack as a process opens it that no fault strikes: neither itself nor its calls. */
export function openOperator(
  { time, trace, uuid, sqs, dynamo, s3, settings, sizes }: SimCloud,
  seed: number,
): OpenedStack {
  const process = createProcess({
    name: 'operator',
    time,
    trace,
    uuid,
    random: randomOf(seed, 'operator process'),
    faults: NO_FAULTS,
  });
  const clientOf = (service: SimService) =>
    createSimClient({
      service,
      process,
      time,
      random: randomOf(seed, 'operator client', service.name),
      faults: NO_FAULTS,
      latency: awsLatency,
      isThrottled: () => false,
      trace,
    });
  const clients = { sqs: clientOf(sqs), dynamo: clientOf(dynamo), s3: clientOf(s3) } as unknown as AwsClients;
  return openStack(settings, { clock: process.clock, clients, sizes });
}
