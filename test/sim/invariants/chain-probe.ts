/** Looks at the chains of tokens while a world runs. */
import { parseMessageText } from '../../../shared/engines/aws/message-text.ts';
import { HEAD, hostPartition } from '../../../shared/engines/aws/tables.ts';
import type { SimCloud } from '../../../shared/engines/sim/cloud.ts';
import type { Head } from '../../../shared/frontier/head.ts';
import type { Violation } from '../spec.ts';
import { createFindings, since } from './findings.ts';

export interface ChainProbe {
  /** To be called now and then: once in each of the world's minutes. */
  sample(): void;
  readonly violations: readonly Violation[];
}

/**
 * Tokens of turns that came to nothing may wait beside the one that counts, to be dropped on sight: as many as tries fail
 * one after the other while the group is held. More means that chains double.
 */
const MAX_TOKENS = 8;

interface Chain {
  readonly host: string;
  readonly tokens: string[];
}

export function createChainProbe(cloud: SimCloud): ChainProbe {
  const { sqs, dynamo, settings, time } = cloud;
  const findings = createFindings('oneChain');
  return {
    violations: findings.list,
    sample() {
      const at = time.now();
      const chains = new Map<string, Chain>();
      for (const queue of settings.turnQueueUrls)
        for (const { body } of sqs.messages(queue)) gather(chains, body);
      for (const [partition, { tokens }] of chains) if (tokens.length < 2) chains.delete(partition);
      if (chains.size === 0) return;
      for (const { pk, sk, head } of dynamo.items(settings.crawlState)) {
        const chain = sk?.S === HEAD ? chains.get(pk?.S ?? '') : undefined;
        if (!chain) continue;
        const { token, version } = JSON.parse(head?.S as string) as Head;
        const named = chain.tokens.filter((one) => one === token).length;
        if (named > 1)
          findings.add(
            `${since(at)}, ${named} messages carry the token ${token} that the head ${pk?.S} (version ${version}) names`,
            { host: chain.host, at },
          );
      }
      for (const [partition, { host, tokens }] of chains)
        if (tokens.length > MAX_TOKENS)
          findings.add(
            `${since(at)}, ${tokens.length} tokens wait for ${partition}, expected at most ${MAX_TOKENS}: ${tokens.join(' ')}`,
            { host, at },
          );
    },
  };
}

function gather(chains: Map<string, Chain>, body: string): void {
  const { host, message } = parseMessageText(body);
  if (message.kind !== 'token') return;
  const partition = hostPartition(message.crawl, host);
  const chain = chains.get(partition);
  if (chain) chain.tokens.push(message.token);
  else chains.set(partition, { host, tokens: [message.token] });
}
