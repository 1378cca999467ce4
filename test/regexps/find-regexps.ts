/** The regular expressions of a TypeScript source, found by a parser. */
import { stripTypeScriptTypes } from 'node:module';
import { parse } from 'acorn';

export interface FoundRegexp {
  /** From 1. */
  readonly line: number;
  /** The literal, or the call that makes an expression from a text. */
  readonly text: string;
  /** The parts of a literal. */
  readonly literal?: { readonly source: string; readonly flags: string };
  /**
   * Why it may stand although the check does not pass it: a comment `// linear: ...` on its line or above it.
   */
  readonly reason?: string;
}

const REASON = /^\s*linear: (.+)/s;

/** Literals, and calls of `RegExp`. Throws a SyntaxError for what is no TypeScript that Node can run. */
export function findRegexps(source: string): FoundRegexp[] {
  const reasons = new Map<number, string>();
  const program = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onComment: (_isBlock, text, _start, _end, _from, to) => {
      const reason = REASON.exec(text)?.[1];
      if (reason !== undefined && to) reasons.set(to.line, reason.trim());
    },
  });
  const found: FoundRegexp[] = [];
  visit(program, (node) => {
    const literal = literalOf(node);
    if (literal === undefined && !isRegExpCall(node)) return;
    const { line } = (node.loc as { start: { line: number } }).start;
    const text = source.slice(node.start as number, node.end as number);
    const reason = reasons.get(line) ?? reasons.get(line - 1);
    found.push({ line, text, ...(literal && { literal }), ...(reason !== undefined && { reason }) });
  });
  return found;
}

type SyntaxNode = Readonly<Record<string, unknown>>;

function literalOf({ type, regex }: SyntaxNode): FoundRegexp['literal'] {
  if (type !== 'Literal' || regex === undefined) return undefined;
  const { pattern, flags } = regex as { pattern: string; flags: string };
  return { source: pattern, flags };
}

function isRegExpCall({ type, callee }: SyntaxNode): boolean {
  return (
    (type === 'NewExpression' || type === 'CallExpression') &&
    (callee as SyntaxNode | undefined)?.name === 'RegExp'
  );
}

function visit(value: unknown, see: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    see(value as SyntaxNode);
    for (const child of Object.values(value)) visit(child, see);
  }
}
