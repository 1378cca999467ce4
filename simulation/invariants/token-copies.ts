/** How often a token may be in the queues: once, and again while it is moved between a turn queue and its backlog. */
import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { hostQueues, type SimCloud } from '../models/cloud.ts';
import type { FaultName } from '../models/faults.ts';

/**
 * A move of a token between a turn queue and its backlog sends it before it deletes it where it was. So it is there twice
 * for as long as that takes ...
 */
const MOVE_MS = 10_000;
/** ... and until it is served where one of these faults came between, once for each strike. */
const CUTS_MOVES = [
  'callFailsBefore',
  'callFailsAfter',
  'throttleStorm',
  'batchEntryFails',
  'workerKilled',
  'workerFrozen',
  'callStruck',
  'pageHarms',
  'deployed',
] as const satisfies readonly FaultName[];

interface Sends {
  count: number;
  lastAt: number;
}

/** How often each token was sent to a turn queue or a backlog: once, and once for each move. */
function countSends({ sqs, settings, time }: SimCloud): ReadonlyMap<string, Sends> {
  const sends = new Map<string, Sends>();
  const queues = new Set(hostQueues(settings));
  const watched = sqs as { handle: SimCloud['sqs']['handle'] };
  const { handle } = sqs;
  watched.handle = (command, input) => {
    const { QueueUrl = '', Entries = [] } = input as SendMessageBatchCommandInput;
    if (command === 'SendMessageBatchCommand' && queues.has(QueueUrl))
      for (const { MessageBody = '' } of Entries) {
        const { message } = parseMessageText(MessageBody);
        if (message.kind === 'token')
          sends.set(message.token, {
            count: (sends.get(message.token)?.count ?? 0) + 1,
            lastAt: time.now(),
          });
      }
    return handle.call(sqs, command, input);
  };
  return sends;
}

/** Watches a cloud. Returns a function that says how many copies of a token there may be now. */
export function createTokenCopies(cloud: SimCloud): (token: string) => number {
  const sends = countSends(cloud);
  const cuts = () => CUTS_MOVES.reduce((sum, name) => sum + cloud.faults.counts[name], 0);
  return (token) => {
    const { count = 1, lastAt = Number.NEGATIVE_INFINITY } = sends.get(token) ?? {};
    if (count < 2) return 1;
    return 1 + Math.min(count - 1, cuts()) + (cloud.time.now() - lastAt < MOVE_MS ? 1 : 0);
  };
}
