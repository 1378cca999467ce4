/**
 * A TypeScript source as a syntax tree whose positions are those of the source itself, and the names of its
 * functions.
 */
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Program, parse, type Token } from 'acorn';

export interface ParsedSource {
  readonly file: string;
  /** As written, with types. */
  readonly text: string;
  readonly program: Program;
  /** The text of a node, with types. */
  textOf(node: AnyNode): string;
  /** Where a node ends, with the type that stands behind it (`x as T`). */
  endOf(node: AnyNode): number;
  /** A hash of the node's tokens: types, comments and white space change nothing. */
  hashOf(node: AnyNode): string;
}

/** Throws a SyntaxError for what is no TypeScript that Node can run. */
export function parseSource(file: string, text: string): ParsedSource {
  const stripped = stripTypeScriptTypes(text);
  if (stripped.length !== text.length) throw new Error(`${file}: stripping its types moved its text`);
  const tokens: Token[] = [];
  const program = parse(stripped, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  const hashes = new Map<AnyNode, string>();
  return {
    file,
    text,
    program,
    textOf: ({ start, end }) => text.slice(start, end),
    endOf({ end }) {
      let next = end;
      while (/\s/.test(stripped[next] ?? '')) next++;
      return end + text.slice(end, next).trimEnd().length;
    },
    hashOf(node) {
      // A function is asked for once for each of its mutants.
      const known = hashes.get(node);
      if (known !== undefined) return known;
      const own = tokens.filter((token) => token.start >= node.start && token.end <= node.end);
      const words = own.map((token) => stripped.slice(token.start, token.end)).join(' ');
      const hash = createHash('sha256').update(words).digest('hex').slice(0, 12);
      hashes.set(node, hash);
      return hash;
    },
  };
}

export type Visit = (node: AnyNode, parents: readonly AnyNode[]) => void;

/** Calls `visit` for every node, parents first, in the order of the text. `parents`: the outermost first. */
export function visitNodes(root: AnyNode, visit: Visit): void {
  const parents: AnyNode[] = [];
  (function walk(node: AnyNode): void {
    visit(node, parents);
    parents.push(node);
    for (const child of childrenOf(node)) walk(child);
    parents.pop();
  })(root);
}

const children = new WeakMap<AnyNode, readonly AnyNode[]>();

/** The nodes directly below, in the order of the text. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  const known = children.get(node);
  if (known) return known;
  const found = Object.values(node)
    .flat()
    .filter(isNode)
    .sort((a, b) => a.start - b.start);
  children.set(node, found);
  return found;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

export const isFunction = (node: AnyNode | undefined): node is FunctionNode =>
  node?.type === 'FunctionDeclaration' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'ArrowFunctionExpression';

/** A named function, or a constant of the module. */
export interface Owner {
  /** `createQueue.send`: from the outermost to the innermost name. */
  readonly name: string;
  readonly node: AnyNode;
}

/** The innermost named function that a node is in, or the constant of the module that it is a part of. */
export function ownerOf(parents: readonly AnyNode[]): Owner {
  // Without a name: the module's statement.
  let owner: Owner = { name: '', node: parents[1] ?? (parents[0] as AnyNode) };
  let isInFunction = false;
  for (const [i, node] of parents.entries()) {
    isInFunction ||= isFunction(node);
    const name = nameOf(node, parents[i + 1], isInFunction);
    if (name !== undefined) owner = { name: owner.name ? `${owner.name}.${name}` : name, node };
  }
  return owner.name ? owner : { ...owner, name: 'module' };
}

/** The name that a node gives to what is below it. `child`: the one of its children that leads there. */
function nameOf(node: AnyNode, child: AnyNode | undefined, isInFunction: boolean): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id?.name;
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'Property': {
      if (child !== node.value || !isFunction(child)) return undefined;
      if (node.key.type === 'PrivateIdentifier') return `#${node.key.name}`;
      return node.key.type === 'Identifier' ? node.key.name : undefined;
    }
    case 'VariableDeclarator': {
      if (node.id.type !== 'Identifier') return undefined;
      return isFunction(node.init ?? undefined) || !isInFunction ? node.id.name : undefined;
    }
    default:
      return undefined;
  }
}
