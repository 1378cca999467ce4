import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { RenderBehaviours } from '../ports/renderer.ts';

/** The parts of a page that behaviours use. */
export interface BehavingPage {
  /** Runs an expression; undefined if a script of the page had to be ended for it. */
  run<T>(expression: string): Promise<T | undefined>;
  /** Resolves to whether there is time for more. */
  settle(): Promise<boolean>;
  /** Keeps the links that the page has now: lists that recycle their rows forget earlier ones. */
  gather(): Promise<void>;
  /** Grows when the page makes a request, or has a new link. */
  progress(): number;
  /** From now on only requests that read are made. */
  beginClicks(): void;
}

/** Clicks what brings more, then scrolls to the end, in steps. */
export async function behave({ click, scroll }: RenderBehaviours, page: BehavingPage): Promise<void> {
  if (click.length > 0 || scroll) await page.gather();
  if (click.length > 0) await clickAll(click, page);
  if (scroll) await scrollToEnd(page);
}

async function clickAll(selectors: readonly string[], page: BehavingPage): Promise<void> {
  page.beginClicks();
  for (const selector of selectors)
    for (let clicks = 0, progress = -1; clicks < PAGE_LIMITS.steps; clicks++) {
      const mayRepeat = page.progress() > progress;
      progress = page.progress();
      const wasClicked = await page.run<boolean>(clickScript(selector, mayRepeat));
      if (wasClicked !== true || !(await page.settle())) break;
      await page.gather();
    }
}

/**
 * Clicks the first of these elements that is shown and was not clicked before; if there is none, one again that brought
 * something. A selector that is not valid clicks nothing.
 */
const clickScript = (selector: string, mayRepeat: boolean) => `(() => {
  const clicked = (globalThis.clicked ??= new WeakSet());
  let elements = [];
  try { elements = document.querySelectorAll(${JSON.stringify(selector)}); } catch {}
  const shown = [...elements].filter((e) => e.getClientRects().length > 0 && !e.disabled);
  const one = shown.find((e) => !clicked.has(e)) ?? (${mayRepeat} ? shown.at(-1) : undefined);
  if (one === undefined) return false;
  clicked.add(one);
  one.click();
  return true;
})()`;

/** Two frames later all that listens has seen it; a page that is not rendered has no frames. */
const SCROLL = `(async () => {
  const before = scrollY;
  scrollBy({ top: innerHeight * 0.9, behavior: 'instant' });
  const frames = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await Promise.race([frames, new Promise((resolve) => setTimeout(resolve, 1000))]);
  return scrollY === before;
})()`;

/** The end counts when it is reached twice, with nothing in flight in between. */
async function scrollToEnd(page: BehavingPage): Promise<void> {
  for (let steps = 0, ends = 0; steps < PAGE_LIMITS.steps && ends < 2; steps++) {
    const isEnd = await page.run<boolean>(SCROLL);
    const hasTime = await page.settle();
    if (isEnd === undefined) return;
    ends = isEnd ? ends + 1 : 0;
    if (!isEnd) await page.gather();
    if (!hasTime) return;
  }
  await page.gather();
}
