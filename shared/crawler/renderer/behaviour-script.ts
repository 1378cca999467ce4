/** The function `behave` of a project, as it runs in a page. */

export interface BehaviourStep {
  readonly isDone?: boolean;
  /** The message of an error of the function. */
  readonly error?: string;
  readonly isLate?: boolean;
}

export const BEHAVIOUR_STEP_MS = 5000;
const MAX_ERROR_CHARS = 300;

/**
 * Runs the function to its next `yield`: in a world of its own, which has the page's document, and none of the page's objects.
 * `script`: an expression that gives the function.
 */
export const behaviourScript = (script: string): string => `(async () => {
  const shown = (e) => e instanceof HTMLElement && e.getClientRects().length > 0 && !e.disabled;
  const page = {
    url: location.href,
    document,
    click(selector) {
      const element = [...document.querySelectorAll(selector)].find(shown);
      element?.click();
      return element !== undefined;
    },
    scroll() {
      const before = scrollY;
      scrollBy({ top: innerHeight * 0.9, behavior: 'instant' });
      return scrollY !== before;
    },
  };
  const late = new Promise((resolve) => setTimeout(resolve, ${BEHAVIOUR_STEP_MS}, { isLate: true }));
  const next = async () => {
    const given = (globalThis.behaviour ??= (${script})(page));
    if (typeof given?.next !== 'function') {
      await given;
      return { isDone: true };
    }
    const isDone = (await given.next()).done === true;
    const frames = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await Promise.race([frames, new Promise((resolve) => setTimeout(resolve, 1000))]);
    return { isDone };
  };
  const failed = (error) => ({ error: String(error?.message ?? error).slice(0, ${MAX_ERROR_CHARS}) });
  return Promise.race([next().catch(failed), late]);
})()`;
