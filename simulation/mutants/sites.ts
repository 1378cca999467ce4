/**
 * The statements of a source, by which it is known what runs it; and the source with a note at each of them.
 */
import type { AnyNode } from 'acorn';
import type { Edit } from './operators/operator.ts';
import { isFunction, ownerOf, type ParsedSource, visitNodes } from './parse.ts';

/** A statement within a function, or the body of an arrow function. */
export interface Site {
  /**
   * The function, its hash and the number of the statement in it: a site of an unchanged function keeps its
   * id.
   */
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** Whether the note is in an expression. */
  readonly isExpression: boolean;
}

export function sitesOf(source: ParsedSource): Site[] {
  const counts = new Map<string, number>();
  const sites: Site[] = [];
  visitNodes(source.program, (node, parents) => {
    const parent = parents.at(-1);
    const isArrowBody = parent?.type === 'ArrowFunctionExpression' && parent.body === node && !isBlock(node);
    if (!isArrowBody && !isStatementIn(parent, node)) return;
    if (!parents.some(isFunction)) return;
    const owner = ownerOf(parents);
    const key = `${owner.name}@${source.hashOf(owner.node)}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    sites.push({ id: `${key}:${count}`, start: node.start, end: node.end, isExpression: isArrowBody });
  });
  return sites;
}

const isBlock = ({ type }: AnyNode): boolean => type === 'BlockStatement';

/** Returns whether a note can stand before the node. */
function isStatementIn(parent: AnyNode | undefined, node: AnyNode): boolean {
  if (/^(Function|Class)Declaration$/.test(node.type)) return false;
  if (parent?.type === 'BlockStatement') return true;
  return parent?.type === 'SwitchCase' && parent.test !== node;
}

/** The innermost site around a node. */
export function siteAround(
  sites: readonly Site[],
  { start, end }: { start: number; end: number },
): Site | undefined {
  return sites.findLast((site) => site.start <= start && site.end >= end);
}

/** Notes in the file's list of `globalThis.mutantSites` which statements have run. */
export function notesOf(source: ParsedSource, sites: readonly Site[]): Edit[] {
  const list = 'mutantSites';
  const edits: Edit[] = sites.flatMap(({ start, end, isExpression }, i) =>
    isExpression
      ? [
          { start, end: start, text: `(${list}[${i}] = 1, ` },
          { start: end, end, text: ')' },
        ]
      : [{ start, end: start, text: `${list}[${i}] = 1; ` }],
  );
  const key = JSON.stringify(source.file);
  // A `var`, as functions may run before the module's first line: imports that go in a circle.
  const declared = `var ${list} = ((globalThis.mutantSites ??= {})[${key}] ??= new Uint8Array(${sites.length}));`;
  return [...edits, { start: 0, end: 0, text: declared }];
}
