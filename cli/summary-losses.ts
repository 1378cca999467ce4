import type { Losses } from '../shared/services/report/summary.ts';
import { formatCounted } from './format.ts';

/** Says what a crawl has lost, the worst first. Undefined if that is nothing. */
export function lossesText(losses: Losses): string | undefined {
  const { hostsGivenUp = 0, urlsGivenUp = 0, hostsRefused = 0, pagesRefused = 0, quarantined = 0 } = losses;
  const { undecoded = 0, brokeOff = 0, cut = 0, traps = 0 } = losses;
  const parts = [
    [hostsRefused, 'host', hostsRefused === 1 ? 'that refuses this crawler' : 'that refuse this crawler'],
    [hostsGivenUp, 'host', `given up (${formatCounted(urlsGivenUp, 'URL')} not fetched)`],
    [pagesRefused, 'page', 'refused'],
    [quarantined, 'page', 'in quarantine'],
    [undecoded, 'response', 'not decoded'],
    [brokeOff, 'response', 'not read to the end'],
    [cut, 'page', 'cut at a limit'],
    [traps, 'link', 'left out as traps'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, noun, what]) => `${formatCounted(count, noun)} ${what}`);
  if (said.length === 0) return undefined;
  const last = said.pop();
  return said.length === 0 ? last : `${said.join(', ')} and ${last}`;
}
