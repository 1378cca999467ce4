/** The labels of tabs, which stand in a list of their own, and the panels that they name. */
import type { ContentElement } from './content-element.ts';
import { textOf } from './element-text.ts';

/** Attributes that are read besides the others. */
export const TAB_ATTRIBUTES: readonly string[] = ['aria-controls', 'aria-labelledby'];

/** An attribute of the line that is made of a label. A page cannot set it: attributes of this name are not read. */
export const TAB_LABEL = 'data-tab-label';

const MAX_CHARS = 60;
const MAX_NODES = 20;
/** Elements between code and its panel. */
const MAX_STEPS = 12;

interface TabList {
  readonly list: ContentElement;
  readonly tabs: ContentElement[];
  readonly panels: ContentElement[];
}

/** Takes the elements of a document in their order. */
export class TabFinder {
  readonly #lists: TabList[] = [];
  readonly #listOfTab = new Map<string, TabList>();
  readonly #panels: ContentElement[] = [];
  /** Tabs by their ids, and by those of the panels that they open. */
  readonly #tabs = new Map<string, ContentElement>();

  note(element: ContentElement): void {
    const { role, id, 'aria-controls': controls } = element.attributes;
    if (role === 'tablist') this.#lists.push({ list: element, tabs: [], panels: [] });
    else if (role === 'tabpanel') this.#panels.push(element);
    else if (role === 'tab') {
      const around = this.#lists.at(-1);
      around?.tabs.push(element);
      for (const name of [id, controls]) {
        if (!name || !around || this.#tabs.has(name)) continue;
        this.#tabs.set(name, element);
        this.#listOfTab.set(name, around);
      }
    }
  }

  /**
   * Returns labels for the panels of each list that opens several, some of them with code: they say what the code is for. Lists and panels
   * refer to each other, or are in one order. A panel that begins with its label gets no second one. `elements`: all of the document,
   * code marked.
   */
  labels(elements: readonly ContentElement[]): ReadonlyMap<ContentElement, string> {
    const found = new Map<ContentElement, string>();
    if (this.#panels.length < 2) return found;
    const withCode = panelsWithCode(elements);
    const tabOf = new Map<ContentElement, ContentElement>();
    let next = 0;
    for (const panel of this.#panels) {
      const { id = '', 'aria-labelledby': by = '' } = panel.attributes;
      const name = [by, id].find((one) => this.#tabs.has(one));
      if (name !== undefined) {
        tabOf.set(panel, this.#tabs.get(name)!);
        this.#listOfTab.get(name)!.panels.push(panel);
        continue;
      }
      while (next + 1 < this.#lists.length && this.#lists[next + 1]!.list.index < panel.index) next++;
      this.#lists[next]?.panels.push(panel);
    }
    for (const { tabs, panels } of this.#lists) {
      if (panels.length < 2 || !panels.some((panel) => withCode.has(panel))) continue;
      const isInOrder = panels.length === tabs.length;
      for (const [i, panel] of panels.entries()) {
        const tab = tabOf.get(panel) ?? (isInOrder ? tabs[i] : undefined);
        const label = tab && !hasPicture(tab) ? textOf(tab, MAX_NODES, MAX_CHARS + 1) : undefined;
        if (!label || label.length > MAX_CHARS) continue;
        const first = panel.children.find((child) => typeof child === 'object');
        if (!first || textOf(first, MAX_NODES, MAX_CHARS + 1) !== label) found.set(panel, label);
      }
    }
    return found;
  }
}

/** Its title is text for those who do not see it. */
const hasPicture = ({ children }: ContentElement): boolean =>
  children.some((child) => typeof child === 'object' && child.name === 'svg');

function panelsWithCode(elements: readonly ContentElement[]): ReadonlySet<ContentElement> {
  const panels = new Set<ContentElement>();
  for (const { whole, parent } of elements) {
    if (whole !== 'code') continue;
    let up = parent;
    for (let step = 0; up && step < MAX_STEPS && up.attributes.role !== 'tabpanel'; step++) up = up.parent;
    if (up?.attributes.role === 'tabpanel') panels.add(up);
  }
  return panels;
}
