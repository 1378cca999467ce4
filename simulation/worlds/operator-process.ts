import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import { type OpenedStack, openStack } from '../../shared/engines/aws/stack.ts';
import { createSimClient } from '../models/client.ts';
import type { SimCloud } from '../models/cloud.ts';
import { NO_FAULTS } from '../models/faults.ts';
import { awsLatency } from '../models/latency.ts';
import { createProcess } from '../models/process.ts';
import { randomOf } from '../models/random.ts';
import type { SimService } from '../models/service.ts';

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
