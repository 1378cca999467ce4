/** Finds the branches and lines of a TypeScript source that can be reached, by a parser. */
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Node, parse } from 'acorn';
import { ownerOf } from '../mutants/parse.ts';

export interface Block {
  /** The function that it is in, as mutants name it: `createQueue.send`. */
  readonly owner: string;
  /** For a branch without text (`else`): where its `if` begins and ends. */
  readonly start: number;
  readonly end: number;
  /** `else`: what happens where the condition of an `if` without `else` is false. */
  readonly kind: 'function' | 'branch' | 'else' | 'line';
  /**
   * For `else`: where the consequent begins, which runs as often as the `if` unless the condition is sometimes
   * false.
   */
  readonly consequent?: number;
}

type SyntaxNode = Node & Readonly<Record<string, unknown>>;

/**
 * The functions, branches (arms of conditions, operands on the right of `&&`, `||` and `??`, cases, handlers
 * of errors, bodies of loops) and lines with a statement in them. Positions are those of `source`. What is
 * nested follows what holds it. Throws a SyntaxError for what is no TypeScript that Node can run.
 */
export function findBlocks(source: string): Block[] {
  // Types become blanks, so that positions hold.
  const program = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const blocks: Block[] = [];
  const lines = new Set<number>();
  let owner = '';
  const add = (kind: Block['kind'], node: SyntaxNode | null | undefined, more?: Partial<Block>) => {
    if (node) blocks.push({ owner, kind, start: node.start, end: node.end, ...more });
  };
  const see = (node: SyntaxNode, parents: readonly SyntaxNode[]) => {
    owner = ownerOf(parents as readonly unknown[] as readonly AnyNode[]).name;
    const part = (name: string) => node[name] as SyntaxNode | null | undefined;
    if (/^(?!Block).*Statement$|^VariableDeclaration$/.test(node.type)) addLine(node);
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        add('function', part('body'));
        break;
      case 'IfStatement':
        add('branch', part('consequent'));
        if (part('alternate')) add('branch', part('alternate'));
        // A process that ends while the condition is waited for would look like one that is false.
        else if (!holdsAwait(part('test')))
          add('else', node, { consequent: (part('consequent') as SyntaxNode).start });
        break;
      case 'ConditionalExpression':
        add('branch', part('consequent'));
        add('branch', part('alternate'));
        break;
      case 'LogicalExpression':
        add('branch', part('right'));
        break;
      case 'SwitchCase':
        add('branch', (node.consequent as SyntaxNode[])[0], { end: node.end });
        break;
      case 'CatchClause':
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
        add('branch', part('body'));
        break;
    }
  };
  function addLine(node: SyntaxNode): void {
    const { line } = (node.loc as NonNullable<Node['loc']>).start;
    if (!lines.has(line)) add('line', node);
    lines.add(line);
  }
  visit(program, see);
  return blocks;
}

/** In the function itself, not in those that it makes. */
function holdsAwait(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsAwait);
  if (!isNode(value) || /Function/.test(value.type)) return false;
  return value.type === 'AwaitExpression' || Object.values(value).some(holdsAwait);
}

/** `parents`: from the program down to the node itself. */
type See = (node: SyntaxNode, parents: readonly SyntaxNode[]) => void;

function visit(value: unknown, see: See, above: readonly SyntaxNode[] = []): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see, above);
  else if (isNode(value)) {
    const parents = [...above, value];
    see(value, parents);
    for (const child of Object.values(value)) visit(child, see, parents);
  }
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
