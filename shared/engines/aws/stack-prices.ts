import { type Prices, priceOf } from './prices.ts';
import type { StackSettings } from './settings.ts';

/** By which prices a stack is paid for: its region is the one that its queues' URLs name, `https://sqs.REGION....`. */
export function stackPrices({ linkQueueUrl }: Pick<StackSettings, 'linkQueueUrl'>): Prices {
  return priceOf(/^https?:\/\/sqs\.([a-z0-9-]+)\./.exec(linkQueueUrl)?.[1] ?? 'us-east-1');
}
