import { printable } from '../../shared/core/text/printable.ts';
import type { UnreadableHosts } from '../../shared/services/report/unreadable-hosts.ts';
import { formatCounted } from '../format.ts';

/** `Lacks 12 URLs of 2 hosts whose stored state cannot be read: a.test, b.test`. */
export function unreadableText({ hosts, hostCount, urls }: UnreadableHosts): string {
  const names = hosts.map(({ host }) => printable(host)).join(', ');
  return `Lacks ${formatCounted(urls, 'URL')} of ${formatCounted(hostCount, 'host')} whose stored state cannot be read: ${names}`;
}
