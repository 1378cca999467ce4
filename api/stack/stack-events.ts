/** The events of a watched crawl of a stack, from one status to the next. */
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { StackEvent } from '../stack-crawl.ts';

/** Whether the crawl has ended. A crawl that is paused by an operator, or until the next day, has not. */
export const isOver = ({ state, reasonCode }: Pick<CrawlSummary, 'state' | 'reasonCode'>): boolean =>
  state !== 'running' &&
  !(state === 'paused' && (reasonCode === 'operator' || reasonCode === 'maxCostPerDay'));

/** Returns a function that makes the events of each status. Each failure of a host is reported once. */
export function createStackEvents(): (summary: CrawlSummary) => StackEvent[] {
  const known = new Map<string, string>();
  /** Hosts come and go: a host that is no longer in the status is forgotten. */
  function forgetOthers({ failing, setAside }: CrawlSummary): void {
    const named = new Set([...failing, ...setAside].map(({ host }) => host));
    for (const host of known.keys()) if (!named.has(host)) known.delete(host);
  }
  const isNew = (host: string, state: string): boolean => {
    const before = known.get(host);
    known.set(host, state);
    return before !== state;
  };
  return (summary) => {
    const { failing, setAside, state, reason = '' } = summary;
    const events: StackEvent[] = [{ type: 'progress', summary }];
    for (const { host, cause, nextTryAt } of failing)
      if (isNew(host, nextTryAt))
        events.push({ type: 'hostBackoff', host, until: Date.parse(nextTryAt), cause });
    for (const { host, cause } of setAside)
      if (isNew(host, 'given up'))
        events.push({ type: 'warning', message: `${host} was given up: ${cause}` });
    forgetOthers(summary);
    if (!isOver(summary)) return events;
    // At its limit of cost a crawl is paused.
    if (state === 'limited' || state === 'paused') events.push({ type: 'limit', reason });
    return [...events, { type: 'finished', summary }];
  };
}
