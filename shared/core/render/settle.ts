/** Decides when a page has settled, and when one of its scripts does not end. */

/** A page without requests for this time has settled; between two steps of scrolling a shorter time is enough. */
export const QUIET_MS = 300;
export const QUIET_STEP_MS = 120;

export interface PageActivity {
  /** The document of this navigation, and not the empty one before it, was loaded. */
  readonly hasLoaded: boolean;
  /** The page wanted to go elsewhere. Then its own loading may never end. */
  readonly hasNavigated: boolean;
  /** Requests without an answer yet. */
  readonly inFlight: number;
  /** Requests that get no answer in this round: what waits for them, such as loading, does not go on. */
  readonly held: number;
}

/** Whether nothing is left to wait for, apart from the quiet time. */
export const isIdle = ({ hasLoaded, hasNavigated, inFlight, held }: PageActivity): boolean =>
  inFlight === 0 && (hasLoaded || hasNavigated || held > 0);

/** A script that uses this much CPU without giving the page its turn does not end by itself. */
const STUCK_CPU_MS = 800;
/** The limit where the CPU of a process is unknown, and at the latest. */
const STUCK_MS = 6000;
/** A page that gives no answer for less than this is only busy. */
const BUSY_MS = 800;

/**
 * Whether a script must be ended: the page has not answered a question for `waitedMs`. `cpuMs`: the most that one
 * process of the browser has used meanwhile, so that a busy machine ends no script. Undefined if unknown.
 */
export const isStuck = (waitedMs: number, cpuMs: number | undefined): boolean =>
  waitedMs >= STUCK_MS || (waitedMs >= BUSY_MS && (cpuMs ?? 0) >= STUCK_CPU_MS);

/** A page with fewer characters of text shows nothing. */
const EMPTY_CHARS = 200;

/** Whether a page that went elsewhere before it had settled is a redirect by script. */
export const isScriptRedirect = (textChars: number): boolean => textChars < EMPTY_CHARS;
