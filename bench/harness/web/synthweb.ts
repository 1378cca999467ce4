/** A generated web that is a program in Go: built from its folder, started on a port of its own. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSize } from './graph.ts';
import type { WebCounts } from './stats.ts';

const PORT = 8107;
const READY_WITHIN_MS = 120_000;

/** Throws where something else answers in its place. */
export async function buildSynthweb(source: string, { hosts, pages }: WebSize, port = PORT) {
  const answers = () =>
    fetch(`http://127.1.0.2:${port}/__seeds`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (await answers())
    throw new Error(`Expected port ${port} to be free for ${source}, but a web answers there`);
  const folder = mkdtempSync(join(tmpdir(), 'strand-bench-web-'));
  const program = join(folder, 'web');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: 'inherit' });
  return {
    folder,
    command: [program, '-hosts', String(hosts), '-pages', String(pages), '-port', String(port)],
    /** Its port, when it answers. */
    async ready(child: ChildProcess): Promise<number> {
      for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(200)) {
        if (await answers()) return port;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`The web of ${source} ended before it could be asked`);
      }
      throw new Error(`Expected the web of ${source} to answer within ${READY_WITHIN_MS / 1000} s`);
    },
  };
}

/** The fields of its `/__stats` that are used here. */
interface SynthwebStats {
  readonly requests: number;
  readonly status: Readonly<Record<string, number>>;
  readonly assets: number;
  readonly robots_fetches: number;
  readonly robots_violations: number;
  readonly false_link_requests: number;
  readonly unknown_404: number;
  readonly span_s: number;
  readonly truth_all: { readonly n: number; readonly hit: number; readonly refetched: number };
  readonly truth_allowed: { readonly n: number; readonly hit: number };
}

export const synthwebCounts = (stats: SynthwebStats): WebCounts => ({
  requests: stats.requests,
  pages: (stats.status['200'] ?? 0) - stats.assets - stats.robots_fetches,
  all: { there: stats.truth_all.n, found: stats.truth_all.hit, again: stats.truth_all.refetched },
  allowed: { there: stats.truth_allowed.n, found: stats.truth_allowed.hit },
  disallowed: stats.robots_violations,
  false: stats.false_link_requests,
  unknown: stats.unknown_404,
  spanMs: stats.span_s * 1000,
});
