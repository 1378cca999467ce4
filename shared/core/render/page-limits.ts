/** How long a page may be rendered; its requests end soon after that. */
export const RENDER_MS = 20_000;
export const MAX_RENDER_MS = RENDER_MS + 2000;

/** Limits of one page that is rendered, apart from those of its job. */
export const PAGE_LIMITS = {
  /** An answer that is not whole after this time is given as far as it came; one that never ends sooner. */
  partMs: 4000,
  streamMs: 1000,
  /** Bytes of one answer, decoded. */
  partBytes: 20 * 1024 * 1024,
  /** Images and styles that are not loaded: a script may ask for one after the other. */
  emptyParts: 500,
  elements: 200_000,
  popups: 20,
  navigations: 20,
  /** How often a page is loaded, and how often it changes its own URL, each of which is a link. */
  loads: 3,
  histories: 100,
  /** Clicks, steps of scrolling, and steps of the project's function. */
  steps: 25,
  behaviourSteps: 100,
  shadowRoots: 2000,
  /** Buttons that are looked at. */
  buttons: 500,
  /** Scripts of the page that are ended because they do not end. */
  endedScripts: 2,
  /** Resident memory of one process of the browser. */
  processBytes: 700_000_000,
  /** Cookies that its scripts have set. */
  cookies: 50,
} as const;
