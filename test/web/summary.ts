/** A log in a few lines, for people. */
import type { LogEntry } from './server.ts';

export function summarize(log: readonly LogEntry[]): string {
  if (log.length === 0) return 'No requests.';
  const statuses = new Map<string, number>();
  const hosts = new Set<string>();
  const urls = new Set<string>();
  let first = Infinity;
  let last = 0;
  for (const { host, path, status, isAborted, startedAt, endedAt } of log) {
    const name = isAborted ? 'aborted' : status === 0 ? 'broken' : `${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    hosts.add(host);
    urls.add(host + path);
    first = Math.min(first, startedAt);
    last = Math.max(last, endedAt);
  }
  const seconds = Math.max(0.001, (last - first) / 1000);
  const counts = [...statuses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name}: ${count}`);
  const most = mostInFlight(log);
  return [
    `${log.length} requests for ${urls.size} URLs of ${hosts.size} hosts in ${seconds.toFixed(1)} s:`,
    `${(log.length / seconds).toFixed(0)} a second; ${counts.join(', ')}.`,
    `At most ${most.all} in flight at once, ${most.host} at one host.`,
  ].join('\n');
}

function mostInFlight(log: readonly LogEntry[]): { readonly all: number; readonly host: number } {
  // Ends come before starts of the same moment.
  const events = log
    .flatMap(({ host, startedAt, endedAt }) => [
      { at: startedAt, host, step: 1 },
      { at: endedAt, host, step: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.step - b.step);
  const inFlight = new Map<string, number>();
  const most = { all: 0, host: 0 };
  let all = 0;
  for (const { host, step } of events) {
    const here = (inFlight.get(host) ?? 0) + step;
    inFlight.set(host, here);
    all += step;
    most.all = Math.max(most.all, all);
    most.host = Math.max(most.host, here);
  }
  return most;
}
