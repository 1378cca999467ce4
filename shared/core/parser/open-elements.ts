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

export function createOpenElements() {
  const entries: Entry[] = [];
  /** The last index of each name, for the two classes. */
  const foreign = new Map<string, number>();
  const others = new Map<string, number>();
  const namesOf = ({ kind }: Open) => (isForeign(kind) ? foreign : others);

  return {
    get length(): number {
      return entries.length;
    },
    top: (): Open | undefined => entries.at(-1)?.element,

    push(element: Open): void {
      const { kind, name } = element;
      const at = entries.length;
      const below = entries.at(-1);
      const names = namesOf(element);
      entries.push({
        element,
        sameName: names.get(name) ?? -1,
        foreignFrom: isForeign(kind) ? (below?.foreignFrom ?? 0) : at + 1,
        gateAt: kind === 'gate' || kind === 'template' ? at : (below?.gateAt ?? -1),
        templateAt: kind === 'template' ? at : (below?.templateAt ?? -1),
      });
      names.set(name, at);
    },

    pop(): Open | undefined {
      const entry = entries.pop();
      if (entry === undefined) return undefined;
      const names = namesOf(entry.element);
      if (entry.sameName === -1) names.delete(entry.element.name);
      else names.set(entry.element.name, entry.sameName);
      return entry.element;
    },

    /** The last element of the name among the SVG and MathML elements on top, gates included, or -1. */
    lastForeign(name: string): number {
      const at = foreign.get(name) ?? -1;
      return at >= (entries.at(-1)?.foreignFrom ?? 0) ? at : -1;
    },

    /** The last HTML element of the name above the last gate or template, or -1. */
    lastHtml(name: string): number {
      const at = others.get(name) ?? -1;
      return at > (entries.at(-1)?.gateAt ?? -1) && entries[at]?.element.kind === 'html' ? at : -1;
    },

    /** Whether a gate or a template is open. */
    isInGate: (): boolean => (entries.at(-1)?.gateAt ?? -1) >= 0,

    /** The last template, or -1. */
    lastTemplate: (): number => entries.at(-1)?.templateAt ?? -1,
  };
}

const isForeign = (kind: Open['kind']): boolean => kind === 'foreign' || kind === 'gate';
