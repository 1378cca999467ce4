/** Sentences about the cost of options, for the deployer. */
import type { StackOptions } from './options.ts';

/** Returns the sentence about the limit of cost, which is an output of the stack. */
export const limitSentence = ({ maxCostPerDay }: Pick<StackOptions, 'maxCostPerDay'>): string =>
  maxCostPerDay === 'none'
    ? 'Nothing limits what all crawls together cost (maxCostPerDay=none).'
    : `All crawls together may cost ${maxCostPerDay} US dollars a day; then they are paused until 00:00 UTC. ` +
      'Deploy with maxCostPerDay=AMOUNT or none to change it.';

/** Returns sentences to print before the deployment. */
export const notices = ({ fixedAddress }: Pick<StackOptions, 'fixedAddress'>): string[] =>
  fixedAddress
    ? [
        'fixedAddress: the NAT gateway costs $33 a month, and $0.045 for each GB: $1.44 for a million pages of 32 KB. It is in ' +
          'one availability zone, and all workers of a subnet share 1,024 packets of DNS a second.',
      ]
    : [];
