/** Packets that the processes of a browser send, by strace: not sockets, since Chromium connects some by UDP and sends nothing. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserProgram } from '../../../shared/crawler/renderer/find-browser.ts';

export const STRACE = '/usr/bin/strace';
export const hasStrace = (): boolean => existsSync(STRACE);

export interface TracedBrowser {
  readonly program: BrowserProgram;
  /** Packets and connections since the last call, each as `connect 127.0.0.10:80`. */
  takePackets(): string[];
}

/** The browser with a wrapper around it, which notes its calls in `folder`. */
export function traceBrowser({ path, isShell }: BrowserProgram, folder: string): TracedBrowser {
  const calls = join(folder, 'calls');
  const wrapper = join(folder, 'traced-browser');
  const traced = `${STRACE} -f -qq -yy -e trace=connect,sendto,sendmsg,sendmmsg -e signal=none -o '${calls}'`;
  writeFileSync(wrapper, `#!/bin/sh\nexec ${traced} '${path}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  let seen = 0;
  return {
    program: { path: wrapper, isShell },
    takePackets() {
      const text = existsSync(calls) ? readFileSync(calls, 'latin1') : '';
      const lines = text.slice(seen).split('\n');
      seen = text.length;
      return lines.flatMap(packetOf);
    },
  };
}

function packetOf(line: string): string[] {
  const call = /\b(connect|sendto|sendmsg|sendmmsg)\((\d+<([^>]*)>)/.exec(line);
  const address =
    /sin6?_port=htons\((\d+)\), (?:sin_addr=inet_addr\("([^"]+)"\)|.*?inet_pton\(AF_INET6, "([^"]+)")/.exec(
      line,
    );
  if (call === null) return [];
  const [, name, , kind = ''] = call;
  const isOfInternet = /^(?:TCP|UDP|ICMP|RAW|PING)/.test(kind);
  // A connected UDP socket has sent nothing.
  if (!isOfInternet || (name === 'connect' && !kind.startsWith('TCP'))) return [];
  const [, port, v4, v6] = address ?? [];
  return [`${name} ${v4 ?? v6 ?? kind}:${port ?? ''}`];
}
