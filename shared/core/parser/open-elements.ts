/**
 * The stack of the elements that `html-tree.ts` tracks. What an end tag closes is found without walking the
 * stack.
 */

/**
 * `foreign`: an SVG or MathML element; `gate`: one that holds HTML (an "integration point", such as
 * `foreignObject`); `html`: an HTML element inside a gate.
 */
export interface Open {
  readonly kind: 'foreign' | 'gate' | 'html' | 'template' | 'select';
  readonly name: string;
  readonly vocabulary?: 'svg' | 'math' | undefined;
  /** A template whose content is part of the document. */
  readonly isShadowRoot?: boolean;
}

interface Entry {
  readonly element: Open;
  /** The next lower element of the same name and class (SVG and MathML, or another), or -1. */
  readonly sameName: number;
  /** Where the run of SVG and MathML elements begins that this element ends; above it if it is none. */
  readonly foreignFrom: number;
  /** The last gate or template up to this element, or -1; the last template. */
  readonly gateAt: number;
  readonly templateAt: number;
}

export class OpenElements {
  readonly #entries: Entry[] = [];
  /** The last index of each name, for the two classes. Made for the first such element: most pages have none. */
  #foreign: Map<string, number> | undefined;
  #others: Map<string, number> | undefined;

  get length(): number {
    return this.#entries.length;
  }

  top(): Open | undefined {
    return this.#entries.at(-1)?.element;
  }

  push(element: Open): void {
    const { kind, name } = element;
    const at = this.#entries.length;
    const below = this.#entries.at(-1);
    const names = this.#namesOf(element);
    this.#entries.push({
      element,
      sameName: names.get(name) ?? -1,
      foreignFrom: isForeign(kind) ? (below?.foreignFrom ?? 0) : at + 1,
      gateAt: kind === 'gate' || kind === 'template' ? at : (below?.gateAt ?? -1),
      templateAt: kind === 'template' ? at : (below?.templateAt ?? -1),
    });
    names.set(name, at);
  }

  pop(): Open | undefined {
    const entry = this.#entries.pop();
    if (entry === undefined) return undefined;
    const names = this.#namesOf(entry.element);
    if (entry.sameName === -1) names.delete(entry.element.name);
    else names.set(entry.element.name, entry.sameName);
    return entry.element;
  }

  /** The last element of the name among the SVG and MathML elements on top, gates included, or -1. */
  lastForeign(name: string): number {
    const at = this.#foreign?.get(name) ?? -1;
    return at >= (this.#entries.at(-1)?.foreignFrom ?? 0) ? at : -1;
  }

  /** The last HTML element of the name above the last gate or template, or -1. */
  lastHtml(name: string): number {
    const at = this.#others?.get(name) ?? -1;
    return at > (this.#entries.at(-1)?.gateAt ?? -1) && this.#entries[at]?.element.kind === 'html' ? at : -1;
  }

  /** Whether a gate or a template is open. */
  isInGate(): boolean {
    return (this.#entries.at(-1)?.gateAt ?? -1) >= 0;
  }

  /** The last template, or -1. */
  lastTemplate(): number {
    return this.#entries.at(-1)?.templateAt ?? -1;
  }

  #namesOf({ kind }: Open): Map<string, number> {
    if (isForeign(kind)) {
      this.#foreign ??= new Map();
      return this.#foreign;
    }
    this.#others ??= new Map();
    return this.#others;
  }
}

const isForeign = (kind: Open['kind']): boolean => kind === 'foreign' || kind === 'gate';
