/**
 * Namespaces of office documents. Modules know names by the prefixes that programs use mostly; a document may have any other
 * for the same namespace, or none (Namespaces in XML 1.0, section 5).
 */

import type { RawAttributes } from '../parser/tag-attributes.ts';
import { decodeXml } from '../parser/xml-scanner.ts';

const ODF = 'urn:oasis:names:tc:opendocument:xmlns:';
const OOXML = 'http://schemas.openxmlformats.org/';
/** The URIs of the strict variant (ISO/IEC 29500-1). */
const STRICT = 'http://purl.oclc.org/ooxml/';

const PREFIXES: ReadonlyMap<string, string> = new Map([
  [`${OOXML}wordprocessingml/2006/main`, 'w'],
  [`${STRICT}wordprocessingml/main`, 'w'],
  [`${OOXML}officeDocument/2006/relationships`, 'r'],
  [`${STRICT}officeDocument/relationships`, 'r'],
  [`${OOXML}officeDocument/2006/math`, 'm'],
  [`${STRICT}officeDocument/math`, 'm'],
  [`${ODF}text:1.0`, 'text'],
  [`${ODF}table:1.0`, 'table'],
  [`${ODF}meta:1.0`, 'meta'],
  [`${ODF}svg-compatible:1.0`, 'svg'],
  ['http://www.w3.org/1999/xlink', 'xlink'],
]);

/** Elements of these have names with the prefix: others have elements of the same names. */
const QUALIFIED: ReadonlySet<string> = new Set(['m', 'svg']);

/** Declared prefixes that count. */
const MAX_PREFIXES = 100;

/** The namespaces of the elements that are open. */
export class Namespaces {
  /** The usual prefix by the declared one. */
  #declared: ReadonlyMap<string, string> = new Map();
  /** Declared prefixes by the usual one. */
  #byUsual: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #outer: { readonly depth: number; readonly declared: ReadonlyMap<string, string> }[] = [];

  /** To be called for each element, whose own declarations count for it. `depth`: elements around it. */
  open(attributes: RawAttributes, depth: number): void {
    const names = attributes.namesWith('xmlns');
    if (names.length === 0) return;
    const declared = new Map(this.#declared);
    for (const name of names) {
      const prefix = name === 'xmlns' ? '' : /^xmlns:(.+)$/.exec(name)?.[1];
      const usual = PREFIXES.get(decodeXml(attributes.get(name) ?? '').trim());
      if (prefix === undefined) continue;
      // A namespace that is not known takes a prefix from its usual one, too.
      if (declared.size < MAX_PREFIXES || declared.has(prefix)) declared.set(prefix, usual ?? '?');
    }
    this.#outer.push({ depth, declared: this.#declared });
    this.#use(declared);
  }

  /** To be called when an element has ended. */
  close(depth: number): void {
    const outer = this.#outer.at(-1);
    if (outer?.depth !== depth) return;
    this.#outer.pop();
    this.#use(outer.declared);
  }

  /** `p` of `w:p`; `m:r` of whatever prefix the namespace of formulas has. */
  elementName(qualified: string): string {
    const colon = qualified.indexOf(':');
    const prefix = colon < 0 ? '' : qualified.slice(0, colon);
    const local = qualified.slice(colon + 1);
    const usual = this.#declared.get(prefix) ?? prefix;
    return QUALIFIED.has(usual) ? `${usual}:${local}` : local;
  }

  /** `name`: with its usual prefix, or without one. */
  attribute(attributes: RawAttributes, name: string): string | undefined {
    const colon = name.indexOf(':');
    const prefixes = colon < 0 ? undefined : this.#byUsual.get(name.slice(0, colon));
    if (prefixes === undefined) return attributes.get(name);
    for (const prefix of prefixes) {
      const raw = attributes.get(`${prefix}${name.slice(colon)}`);
      if (raw !== undefined) return raw;
    }
    return undefined;
  }

  #use(declared: ReadonlyMap<string, string>): void {
    this.#declared = declared;
    const byUsual = new Map<string, string[]>();
    for (const [prefix, usual] of declared)
      if (prefix !== '') byUsual.set(usual, [...(byUsual.get(usual) ?? []), prefix]);
    this.#byUsual = byUsual;
  }
}
