/** Reads `/.well-known/tdmrep.json` (TDM Reservation Protocol, W3C Community Group report of 2024, section 4). */
import { MAX_PATH_CHARS, MAX_PATH_STATEMENTS, type PathStatement } from './path-statement.ts';
import { plainValue } from './usage-statement.ts';

/** Where a site keeps the file. */
export const TDMREP_PATH = '/.well-known/tdmrep.json';

/**
 * Returns the statements of the file, in its order. Without a file that can be read nothing is reserved, and an
 * entry with a fault states nothing, as the protocol wants it. Of a policy only its URL is read.
 */
export function readTdmrep(text: string): PathStatement[] {
  const statements: PathStatement[] = [];
  for (const entry of entriesOf(text)) {
    if (statements.length >= MAX_PATH_STATEMENTS) break;
    const { location: path, 'tdm-reservation': reservation, 'tdm-policy': policy } = entry;
    if (typeof path !== 'string' || !/^[/*]/.test(path) || path.length > MAX_PATH_CHARS) continue;
    const value = plainValue('tdm-reservation', `${reservation}`);
    if (value === '') continue;
    statements.push({ signal: 'tdm-reservation', path, value });
    const url = typeof policy === 'string' ? plainValue('tdm-policy', policy) : '';
    if (/^https?:\/\/\S+$/.test(url)) statements.push({ signal: 'tdm-policy', path, value: url });
  }
  return statements;
}

function entriesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // No JSON, or brackets nested too deep for the parser.
    return [];
  }
  return Array.isArray(file) ? file.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}
