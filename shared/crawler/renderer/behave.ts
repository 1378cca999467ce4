import { isMoreLabel } from '../../core/render/more-label.ts';
import { PAGE_LIMITS } from '../../core/render/page-limits.ts';
import type { RenderBehaviours } from '../ports/renderer.ts';
import { BEHAVIOUR_STEP_MS, type BehaviourStep, behaviourScript } from './behaviour-script.ts';

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

/** Runs the project's function, scrolls to the end, and clicks what brings more. Resolves to the fault of the function. */
export async function behave(
  { script, scroll, more }: RenderBehaviours,
  page: BehavingPage,
): Promise<string | undefined> {
  if (script !== undefined || scroll) await page.gather();
  const fault = script === undefined ? undefined : await runScript(script, page);
  if (scroll) await scrollToEnd(page);
  if (more) await clickMore(page);
  return fault;
}

/** The function stops at each `yield` until the page has settled. */
async function runScript(script: string, page: BehavingPage): Promise<string | undefined> {
  const expression = behaviourScript(script);
  for (let steps = 0; steps < PAGE_LIMITS.behaviourSteps; steps++) {
    const step = await page.run<BehaviourStep>(expression);
    if (step === undefined) return 'a step gave the page no turn, and was ended';
    const hasTime = await page.settle();
    await page.gather();
    if (step.error !== undefined) return step.error;
    if (step.isLate === true) return `a step took longer than ${BEHAVIOUR_STEP_MS / 1000} s`;
    if (step.isDone) return undefined;
    if (!hasTime) return 'the time of the page was over';
  }
  return `it took more than ${PAGE_LIMITS.behaviourSteps} steps`;
}

/** Elements that are looked at: whether they scroll. */
const MAX_ELEMENTS = 5000;
/** The document and what stands in open shadow roots: pages of web components have their lists and buttons there. */
const ROOTS = `const roots = [document];
  for (let i = 0; i < roots.length && i < ${PAGE_LIMITS.shadowRoots}; i++)
    for (const e of roots[i].querySelectorAll('*')) if (e.shadowRoot) roots.push(e.shadowRoot);`;
/** Two frames later all that listens has seen it; a page that is not rendered has no frames. */
const FRAMES = `Promise.race([
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  new Promise((resolve) => setTimeout(resolve, 1000)),
])`;

/** Scrolls the page by a screen, or, at its end, what scrolls within it: pages of one screen have their lists there. */
const SCROLL = `(async () => {
  const by = (height) => ({ top: height * 0.9, behavior: 'instant' });
  const before = scrollY;
  scrollBy(by(innerHeight));
  let isEnd = scrollY === before;
  if (isEnd) {
    ${ROOTS}
    for (const e of roots.flatMap((root) => [...root.querySelectorAll('*')]).slice(0, ${MAX_ELEMENTS})) {
      if (e.clientHeight < 100 || e.scrollHeight < e.clientHeight + 20 || !/auto|scroll/.test(getComputedStyle(e).overflowY)) continue;
      const top = e.scrollTop;
      e.scrollBy(by(e.clientHeight));
      if (e.scrollTop !== top) isEnd = false;
    }
  }
  await ${FRAMES};
  return isEnd;
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

interface Button {
  readonly label: string;
  readonly wasClicked: boolean;
}

/** Clicks buttons that were not clicked before; if there are none, one again that brought something. */
async function clickMore(page: BehavingPage): Promise<void> {
  for (let clicks = 0, progress = -1; clicks < PAGE_LIMITS.steps; clicks++) {
    const buttons = (await page.run<readonly Button[]>(BUTTONS)) ?? [];
    const isNew = ({ label, wasClicked }: Button) => !wasClicked && isMoreLabel(label);
    const isAgain = ({ wasClicked }: Button) => wasClicked && page.progress() > progress;
    const first = buttons.findIndex(isNew);
    const index = first < 0 ? buttons.findIndex(isAgain) : first;
    if (index < 0) return;
    progress = page.progress();
    page.beginClicks();
    const wasClicked = await page.run<boolean>(clickScript(index));
    const hasTime = await page.settle();
    await page.gather();
    if (wasClicked !== true || !hasTime) return;
  }
}

/** Buttons that are shown, and links that lead nowhere else. Not those that send a form. */
const BUTTONS = `(() => {
  ${ROOTS}
  const all = roots.flatMap((root) => [...root.querySelectorAll('button, input[type=button], [role=button], a:not([href]), a[href^="#"], a[href^="javascript:" i]')]);
  const slotted = (e) => [...e.querySelectorAll('slot')].flatMap((slot) => slot.assignedNodes({ flatten: true }));
  const textOf = (e) => String(e.value || [e, ...slotted(e)].map((part) => part.textContent).join(' '));
  const isShown = (e) => !e.disabled && !(e.type === 'submit' && e.form) && e.getClientRects().length > 0;
  const clicked = (globalThis.clicked ??= new WeakSet());
  globalThis.buttons = all.filter(isShown).slice(0, ${PAGE_LIMITS.buttons});
  return globalThis.buttons.map((e) => ({ label: textOf(e).trim().slice(0, 200), wasClicked: clicked.has(e) }));
})()`;

const clickScript = (index: number) => `(() => {
  const button = globalThis.buttons[${index}];
  if (!button?.isConnected) return false;
  globalThis.clicked.add(button);
  button.click();
  return true;
})()`;
