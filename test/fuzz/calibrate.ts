/** How slow the machine is at this moment: limits in microseconds a byte are for one that is not busy. */
import { leastCpuOf } from './measure.ts';

/** CPU of {@link work} in microseconds, on the idle machine for which the limits were set. */
const EXPECTED_CPU = 4000;
/** The first ones are slower: V8 compiles the function meanwhile. */
const FIRST_RUNS = 10;
const RUNS = 3;
let isCompiled = false;
/**
 * However slow the machine, a limit grows no further: a parser that hangs must not count as a slow machine.
 */
const MAX_SLOWNESS = 4;

/**
 * CPU time here and now by CPU time on the machine for which the limits were set. From 1 to {@link
 * MAX_SLOWNESS}.
 */
export async function slowness(): Promise<number> {
  const cpu = await leastCpuOf(work, isCompiled ? RUNS : FIRST_RUNS);
  isCompiled = true;
  return Math.min(MAX_SLOWNESS, Math.max(1, cpu / EXPECTED_CPU));
}

/** A figure of {@link slowness} is good for so long, in ms: the machine's other work comes and goes. */
const RECENT_MS = 5000;
let recent = { slowness: 1, until: Number.NEGATIVE_INFINITY };

/** {@link slowness} as measured in the last seconds: for choices that a wrong figure does not make wrong. */
export async function recentSlowness(): Promise<number> {
  if (performance.now() > recent.until)
    recent = { slowness: await slowness(), until: performance.now() + RECENT_MS };
  return recent.slowness;
}

const TEXT = Array.from({ length: 10_000 }, (_, i) => `<a href="/path/${i}?q=${i % 7}">text ${i}</a>`).join(
  '\n',
);

/** Does what parsers do: reads characters, matches expressions, cuts strings, fills maps and buffers. */
function work(): number {
  let sum = 0;
  for (let i = 0; i < TEXT.length; i++) sum = (sum * 31 + TEXT.charCodeAt(i)) | 0;
  const counts = new Map<string, number>();
  for (const [, path = '', query = ''] of TEXT.matchAll(/href="([^"?]*)\?([^"]*)"/g)) {
    counts.set(path, (counts.get(path) ?? 0) + query.length);
  }
  const parts = TEXT.split('<').map((part) => part.toLowerCase().trim());
  const bytes = Buffer.from(parts.join('>'), 'latin1');
  return sum + counts.size + bytes.indexOf('no such text') + JSON.stringify(parts).length;
}
