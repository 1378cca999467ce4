/**
 * `work`, of which one run continues at a time and at most one more stands by: a call during a run is served
 * by the next one, which begins after the call. So a call's work sees all that was done before it, and many
 * calls share a run. A run that fails fails all its callers, and no later one.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function call(): Promise<void> {
    if (!running) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return call();
      });
    return next;
  }
  return call;
}
