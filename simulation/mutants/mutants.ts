/** All mutants of a source: each is one small change of one function. */
import { changeOf } from './edit.ts';
import { boundaries } from './operators/boundaries.ts';
import { conditions } from './operators/conditions.ts';
import { errors } from './operators/errors.ts';
import type { Edit, Group, Operator } from './operators/operator.ts';
import { results } from './operators/results.ts';
import { stale } from './operators/stale.ts';
import { steps } from './operators/steps.ts';
import { values } from './operators/values.ts';
import { writes } from './operators/writes.ts';
import { ownerOf, type ParsedSource, parseSource, visitNodes } from './parse.ts';
import { mutatedFiles, readSource } from './scope.ts';
import { type Site, siteAround, sitesOf } from './sites.ts';

export const OPERATORS: readonly Operator[] = [
  ...conditions,
  ...boundaries,
  ...steps,
  ...errors,
  ...stale,
  ...writes,
  ...values,
  ...results,
];

export interface Mutant {
  /** File, function, operator and number: no line, so that it stays the same when code around it changes. */
  readonly id: string;
  /**
   * The function's hash, operator and number: what is known of the mutant holds wherever the function moves.
   */
  readonly key: string;
  readonly file: string;
  readonly functionName: string;
  readonly operator: string;
  readonly group: Group;
  readonly edits: readonly Edit[];
  /** The statement, by its site's id; if it is of a constant of the module: those that name the constant. */
  readonly sites: readonly string[];
  /** Where its function stands. */
  readonly start: number;
  readonly end: number;
}

/** The mutants of all these files. */
export function mutantsOfAll(files: readonly string[]): Mutant[] {
  const sources = mutatedFiles().map((file) => parseSource(file, readSource(file)));
  const mutants = sources.filter(({ file }) => files.includes(file)).flatMap(mutantsOfSource);
  // A constant that only other files use.
  const users = new Map<string, string[]>();
  const usersElsewhere = (name: string): string[] => {
    const known = users.get(name);
    if (known) return known;
    const found = sources.flatMap((source) =>
      source.text.includes(name) ? usersOf(name, source.text, sitesOf(source)) : [],
    );
    users.set(name, found);
    return found;
  };
  return mutants.map((mutant) => {
    if (mutant.sites.length > 0) return mutant;
    return { ...mutant, sites: usersElsewhere(mutant.functionName.split('.')[0] as string) };
  });
}

export const mutantsOf = (file: string, text: string): Mutant[] => mutantsOfSource(parseSource(file, text));

function mutantsOfSource(source: ParsedSource): Mutant[] {
  const { file, text } = source;
  const sites = sitesOf(source);
  const counts = new Map<string, number>();
  const known = new Set<string>();
  const mutants: Mutant[] = [];
  visitNodes(source.program, (node, parents) => {
    if (/^(Import|Export(All|Named|Default))/.test(node.type)) return;
    if (parents.some(({ type }) => type === 'ImportDeclaration')) return;
    for (const operator of OPERATORS) {
      for (const edits of operator.mutate({ node, parents, parent: parents.at(-1), source })) {
        const owner = ownerOf([...parents, node]);
        const hash = source.hashOf(owner.node);
        const name = `${owner.name}:${operator.name}`;
        const ordinal = (counts.get(`${name}@${hash}`) ?? 0) + 1;
        counts.set(`${name}@${hash}`, ordinal);
        const change = changeOf(text, edits);
        // Two operators may come to the same text.
        if (change === undefined || known.has(change)) continue;
        known.add(change);
        const site = siteAround(sites, edits[0] ?? node);
        mutants.push({
          id: `${file}#${name}:${ordinal}`,
          key: `${hash}:${operator.name}:${ordinal}`,
          file,
          functionName: owner.name,
          operator: operator.name,
          group: operator.group,
          edits,
          sites: site ? [site.id] : usersOf(owner.name, text, sites),
          start: owner.node.start,
          end: owner.node.end,
        });
      }
    }
  });
  return unique(mutants);
}

/** The innermost statements that name a constant. */
function usersOf(name: string, text: string, sites: readonly Site[]): string[] {
  const users = new Set<string>();
  for (const { index } of text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))) {
    const site = siteAround(sites, { start: index, end: index + name.length });
    if (site) users.add(site.id);
  }
  return [...users];
}

/** Functions of one name, as overloads in two branches, get a number. */
function unique(mutants: readonly Mutant[]): Mutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const count = (seen.get(mutant.id) ?? 0) + 1;
    seen.set(mutant.id, count);
    return count === 1 ? mutant : { ...mutant, id: `${mutant.id}~${count}` };
  });
}
