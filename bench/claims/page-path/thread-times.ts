/** CPU of this process's threads other than the main one, by what they are for. */
import { readdirSync, readFileSync } from 'node:fs';

/** By thread name, as Node sets it. */
const KINDS: Readonly<Record<string, string>> = {
  'libuv-worker': 'libuv threads: zlib, files',
  V8Worker: 'V8 threads: garbage collection, compiling',
};
const OTHERS = 'other threads';
/** The profiler's own, without which the crawl would be. */
const PROFILER = 'v8:ProfEvntProc';
const TASKS = '/proc/self/task';

/** Milliseconds so far, by kind. Empty where there is no /proc: then the thread is unknown. */
export function threadTimes(): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of threads()) {
    const name = readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim();
    if (name === PROFILER) continue;
    const [runNs] = readFileSync(`${TASKS}/${thread}/schedstat`, 'utf8').split(' ');
    const kind = KINDS[name] ?? OTHERS;
    times.set(kind, (times.get(kind) ?? 0) + Number(runNs) / 1e6);
  }
  return times;
}

function threads(): string[] {
  try {
    return readdirSync(TASKS).filter((thread) => Number(thread) !== process.pid);
  } catch {
    return [];
  }
}

/** `total`, shared out by how much each kind has used between two looks. */
export function sharedOut(
  total: number,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Map<string, number> {
  const used = [...after].map(([kind, ms]) => [kind, Math.max(0, ms - (before.get(kind) ?? 0))] as const);
  const sum = used.reduce((all, [, ms]) => all + ms, 0);
  if (sum === 0) return new Map([[OTHERS, total]]);
  return new Map(used.map(([kind, ms]) => [kind, (ms / sum) * total]));
}
