import type { HostKey } from '../../../ports.ts';
import { fingerprint } from '../../../url/fingerprint.ts';

const halves = new Uint32Array(2);

/** Which of so many threads serves the host, from 0 on: always the same, and the hosts spread evenly. */
export function blockOf(host: HostKey, blocks: number): number {
  fingerprint(host, halves, 0);
  return (halves[0] as number) % blocks;
}
