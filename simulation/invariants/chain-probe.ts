/** Looks at the chains of tokens while a world runs. */
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { DELETED, HEAD, hostPartition } from '../../shared/engines/aws/state/tables.ts';
import { hostQueues, type SimCloud } from '../models/cloud.ts';
import type { Violation } from '../worlds/spec.ts';
import { headIn } from '../worlds/stored-items.ts';
import type { CauseProbe } from './cause-probe.ts';
import { createFindings, since } from './findings.ts';
import { createTokenCopies } from './token-copies.ts';

export interface ChainProbe {
  /** To be called now and then: once in each of the world's minutes. */
  sample(): void;
  readonly violations: readonly Violation[];
}

/**
 * Tokens may wait beside the one that counts, to be dropped: those of turns that came to nothing, as many as
 * tries fail one after the other while the group is held; and one for each message of links or wake-up that
 * was waiting before them, as it begins a turn, which names a token of its own. More means that chains
 * double.
 */
const MAX_TOKENS = 8;

interface Chain {
  readonly host: string;
  readonly tokens: string[];
  /** Messages seen that were no tokens. */
  readonly others: Set<string>;
}

/**
 * A token is sent before the head that names it, and deleted after the next one. But while a worker freezes
 * between the two, another one may take the token for one of a turn that came to nothing: `wasDroppedEarly`.
 * Then the waker wakes the host, at the time that its head says.
 */
export function createChainProbe(
  cloud: SimCloud,
  { wasDroppedEarly }: Pick<CauseProbe, 'wasDroppedEarly'>,
): ChainProbe {
  const { sqs, dynamo, settings, time } = cloud;
  const findings = createFindings('oneChain');
  const chains = new Map<string, Chain>();

  const wasLost = (token: string): boolean =>
    sqs.lost.some((body) => {
      const { message } = parseMessageText(body);
      return message.kind === 'token' && message.token === token;
    });

  const mostCopies = createTokenCopies(cloud);

  function gather(id: string, body: string): void {
    const { host, message } = parseMessageText(body);
    const partition = hostPartition(message.crawl, host);
    const chain = chains.get(partition) ?? { host, tokens: [], others: new Set() };
    chains.set(partition, chain);
    if (message.kind === 'token') chain.tokens.push(message.token);
    else chain.others.add(id);
  }

  return {
    violations: findings.list,
    sample() {
      const at = time.now();
      // Where one chain was left at the last look, what was there before explains nothing more.
      for (const { tokens, others } of chains.values()) {
        if (tokens.length < 2) others.clear();
        tokens.length = 0;
      }
      for (const queue of hostQueues(settings))
        for (const { id, body } of sqs.messages(queue)) gather(id, body);
      const items = Array.from(dynamo.items(settings.crawlState));
      // Workers drop its messages.
      const deleted = items.flatMap(({ pk, sk }) => (pk?.S === DELETED && sk?.S ? `${sk.S} ` : []));
      for (const item of items) {
        const { pk, sk } = item;
        if (sk?.S !== HEAD || deleted.some((prefix) => pk?.S?.startsWith(prefix))) continue;
        const chain = chains.get(pk?.S ?? '');
        const { token, version, dueAt } = headIn(item);
        const isMissing = token !== undefined && !chain?.tokens.includes(token);
        if (isMissing && !((wasDroppedEarly(token) || wasLost(token)) && dueAt !== undefined))
          findings.add(
            `${since(at)}, no message carries the token ${token} that the head ${pk?.S} (version ${version}) names`,
            { host: chain?.host, at },
          );
        if (!chain || chain.tokens.length < 2) continue;
        const named = chain.tokens.filter((one) => one === token).length;
        if (named > mostCopies(token ?? ''))
          findings.add(
            `${since(at)}, ${named} messages carry the token ${token} that the head ${pk?.S} (version ${version}) names`,
            { host: chain.host, at },
          );
      }
      for (const [partition, { host, tokens, others }] of chains) {
        const most = MAX_TOKENS + others.size;
        if (tokens.length > most)
          findings.add(
            `${since(at)}, ${tokens.length} tokens wait for ${partition}, expected at most ${most}: ${tokens.join(' ')}`,
            { host, at },
          );
      }
    },
  };
}
