/** How the functions of a simulated stack call for the operator's attention. Nobody reads the metrics. */
import { announceNewer, createAttention } from '../../functions/attention.ts';
import type { Log } from '../../functions/log.ts';
import { countDead, StackWatch } from '../../functions/stack-watch.ts';
import { createNewerLog, type ReportNewer } from '../../functions/unread-messages.ts';
import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import type { OpenedStack } from '../../shared/engines/aws/stack.ts';
import { createAttentionNotes } from '../../shared/engines/aws/state/attention-notes.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimProcess } from '../models/process.ts';

function attentionOf({ settings }: SimCloud, { clock }: SimProcess, log: Log, dynamo: AwsClients['dynamo']) {
  const notes = createAttentionNotes({ dynamo, clock, table: settings.crawlState });
  const attention = createAttention({ stack: settings.stack, now: clock.now, log, write() {}, notes });
  return { notes, attention };
}

export function simNewerLog(cloud: SimCloud, process: SimProcess, log: Log): ReportNewer {
  const { now } = process.clock;
  const { attention } = attentionOf(cloud, process, log, cloud.clientsOf(process).dynamo);
  return createNewerLog({ log, announce: announceNewer(attention, { now, log }) });
}

export function simStackWatch(
  cloud: SimCloud,
  process: SimProcess,
  log: Log,
  stack: OpenedStack,
): StackWatch {
  const { clock } = process;
  const { attention, notes } = attentionOf(cloud, process, log, stack.clients.dynamo);
  const urls = { DeadTurns: cloud.turnDeadLetterUrl, DeadLinks: cloud.settings.linkDeadLetterUrl };
  return new StackWatch({
    now: clock.now,
    attention,
    notes,
    deadLetters: countDead(stack.clients.sqs, urls, clock),
    maxCostPerHour: cloud.settings.maxCostPerHour,
  });
}
