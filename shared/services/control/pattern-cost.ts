/**
 * Bounds the cost of matching a regular expression on the worst text: a crawl's expressions come with a
 * request.
 */

/**
 * The cost of a character for the engine that never goes back, in steps of the one that does. Measured: 25 ns
 * to 0.5 ns.
 */
const LINEAR_STEPS = 50;

/**
 * Steps to match a valid pattern on a text of `length` characters, no less than it takes at worst: 1e9 were
 * measured to be 60 to 500 ms. Infinity where nothing is known that bounds it. Some patterns cost much less
 * than this says.
 */
export function patternCost(pattern: string, length: number): number {
  const linear = isLinear(pattern) ? LINEAR_STEPS * length * pattern.length : Infinity;
  return Math.min(linear, backtrackingCost(pattern, length));
}

/**
 * Whether V8's engine that never goes back takes the pattern: its work grows no faster than the text. It
 * takes no lookahead, no backreference and no count beyond 16 (v8.dev/blog/non-backtracking-regexp). The
 * functions use it where the other engine goes back too often (`shared/engines/linear-regexps.ts`).
 */
function isLinear(pattern: string): boolean {
  if (!isCompiled('a')) throw new Error('Expected allowLinearFlag() to be called when the process starts');
  return isCompiled(pattern);
}

function isCompiled(pattern: string): boolean {
  try {
    // linear: the flag takes no pattern that could take more.
    new RegExp(pattern, 'l');
    return true;
  } catch {
    return false;
  }
}

/**
 * A repetition up to this many times counts by the ways there are to take it, a longer one by the text's
 * length.
 */
const SHORT = 16;

/** Infinity for a repeated repetition or choice, which may take forever, and for a backreference. */
function backtrackingCost(pattern: string, length: number): number {
  /** The whole, and the groups that are open in it. */
  const open = [{ alternatives: 1, isPlain: true }];
  /** A pattern without `^` is tried from each character on. */
  let power = pattern.startsWith('^') ? 0 : 1;
  let ways = 1;
  /** Whether the piece read last has neither a choice nor a repetition. */
  let isPlain = true;

  for (const { groups = {} } of pattern.matchAll(TOKEN)) {
    const around = open.at(-1);
    if (around === undefined || groups.back !== undefined) return Infinity;
    if (groups.begin !== undefined) open.push({ alternatives: 1, isPlain: true });
    else if (groups.or !== undefined) {
      around.alternatives++;
      ways = (ways / (around.alternatives - 1)) * around.alternatives;
      // The `^` was that of the first alternative.
      if (open.length === 1 && pattern.startsWith('^') && around.alternatives === 2) power++;
    } else if (groups.end !== undefined) {
      open.pop();
      isPlain = around.isPlain && around.alternatives === 1;
    } else if (groups.count !== undefined) {
      const [least, most] = boundsOf(groups);
      if (most > 1 && !isPlain) return Infinity;
      ways *= Math.max(1, least);
      if (most > SHORT && least !== most) power++;
      else ways *= most - least + 1;
      isPlain = false;
    } else isPlain = true;
    const outer = open.at(-1);
    if (outer && !isPlain) outer.isPlain = false;
  }
  return length ** power * ways * pattern.length;
}

/**
 * A group's begin and end, `|`, a backreference, a count; else a class of characters, an escape, a character.
 */
const TOKEN =
  /(?<begin>\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?)|(?<end>\))|(?<or>\|)|(?<back>\\(?:[1-9]|k<))|(?<count>[*+?]|\{(?<least>\d+)(?<comma>,(?<most>\d*))?\})\??|\[(?:\\.|[^\]\\])*\]|\\.|./gs;

function boundsOf({ count, least, comma, most }: Readonly<Record<string, string | undefined>>) {
  if (count === '?') return [0, 1] as const;
  if (least === undefined) return [count === '+' ? 1 : 0, Infinity] as const;
  if (comma === undefined) return [Number(least), Number(least)] as const;
  return [Number(least), most === '' ? Infinity : Number(most)] as const;
}
