import { createMeter } from '../../shared/engines/aws/cost/meter.ts';
import { meterEngine } from '../../shared/engines/aws/cost/metered-engine.ts';
import { type AwsEngine, createAwsEngine } from '../../shared/engines/aws/engine.ts';
import { regionOf, timesOf } from '../../shared/engines/aws/settings.ts';
import type { SimCloud } from './cloud.ts';
import type { SimProcess } from './process.ts';

export interface SimEngineOptions {
  /** How long a received group is locked. Default: as in the stack. */
  readonly leaseMs?: number;
  /** How long a crawl must have had nothing to do. Default: as in the stack. */
  readonly settleMs?: number;
}

/**
 * The engine of a process as `SimCloud.open` gives it, with times of its own. Like any engine on AWS, it
 * holds nothing that must be closed.
 */
export function openSimEngine(
  cloud: SimCloud,
  process: SimProcess,
  { leaseMs, settleMs }: SimEngineOptions = {},
): AwsEngine {
  const { settings } = cloud;
  if (leaseMs === undefined && settleMs === undefined) return cloud.open(process).engine;
  const clients = cloud.clientsOf(process);
  const meter = createMeter({ clock: process.clock });
  for (const client of [clients.dynamo, clients.s3, clients.sqs]) meter.watch(client);
  const engine = createAwsEngine({
    clients,
    names: settings,
    clock: process.clock,
    visibilityMs: leaseMs ?? timesOf(settings).leaseMs,
    sizes: cloud.sizes,
    archive: { software: 'Strand/sim', prefix: 'Sim' },
    settleMs,
    region: regionOf(settings),
    meter,
  });
  return meterEngine(engine, meter);
}
