/** The exchanges that a signal ends. */
export interface Abortable {
  /** Called once, when the signal aborts, in no order, unless {@link unwatchAbort} was before. */
  onAbort(): void;
  /**
   * Where this stands among those that watch the same signal; -1 while it watches none. Only this module
   * changes it.
   */
  abortPlace: number;
}

const watching = new WeakMap<AbortSignal, Abortable[]>();

/**
 * Adds one of many that come and go. The signal has one listener for all of them, which stand in an array: a
 * removed listener of an `AbortSignal` still names the one after it, as the table that a `Set` has outgrown
 * names the next, so that a dead one which has grown old keeps all that came after it until V8 looks through
 * all of its heap. A crawl's requests kept their pages so, 40 KB each.
 */
export function watchAbort(signal: AbortSignal, one: Abortable): void {
  let all = watching.get(signal);
  if (all === undefined) {
    const those: Abortable[] = [];
    signal.addEventListener('abort', () => {
      for (let last = those.pop(); last !== undefined; last = those.pop()) {
        last.abortPlace = -1;
        last.onAbort();
      }
    });
    watching.set(signal, those);
    all = those;
  }
  one.abortPlace = all.push(one) - 1;
}

/** Does nothing for one that does not watch. */
export function unwatchAbort(signal: AbortSignal, one: Abortable): void {
  const { abortPlace } = one;
  const last = abortPlace < 0 ? undefined : watching.get(signal)?.pop();
  if (last === undefined) return;
  if (last !== one) {
    (watching.get(signal) as Abortable[])[abortPlace] = last;
    last.abortPlace = abortPlace;
  }
  one.abortPlace = -1;
}
