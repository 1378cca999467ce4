/** Hosts of which two in five allow fewer fetches than their pages are worth. */
import { randomOf } from '../../../simulation/models/random.ts';
import { bounded, type ChangingWeb, createChangingWeb, normal } from './changing-web.ts';
import type { Host } from './run-policy.ts';

/** @param share Fetches per page and day that the budget allows on the mean. */
export function createLimitedHosts(
  count: number,
  share: number,
  seed: number,
): { readonly web: ChangingWeb; readonly hosts: readonly Host[] } {
  const random = randomOf('hosts', seed);
  const hosts: Host[] = [];
  const factors: number[] = [];
  for (let rank = 1; rank <= count; rank++) {
    const size = Math.max(3, Math.round((2000 / rank ** 0.7) * (0.5 + random())));
    const factor = Math.exp(0.8 * normal(random));
    const limit = random() < 0.4 ? 0.1 + 0.6 * random() : 4;
    hosts.push({
      pages: Array.from({ length: size }, (_, k) => factors.length + k),
      perDay: size * share * limit,
    });
    for (let k = 0; k < size; k++) factors.push(factor);
  }
  const web = createChangingWeb({
    pages: factors.length,
    days: 60,
    warmUpDays: 20,
    seed,
    rateOf: (page, own) => bounded(0.05 * (factors[page] as number) * Math.exp(1.6 * normal(own))),
  });
  return { web, hosts };
}
