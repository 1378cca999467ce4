import type { PageDocument } from './page-document.ts';

/** Further characters of a value are left out: a title may be a megabyte long. */
const MAX_VALUE_CHARS = 1000;

/**
 * The facts of a document as YAML between two lines of dashes, as static site generators and editors read it.
 */
export function frontMatter(document: PageDocument): string {
  const { url, fetchedAt, title, description, author, published, modified, language } = document;
  const facts = { url, title, description, author, published, modified, language, fetched: fetchedAt };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${yamlString(value)}\n`],
  );
  const truncated = document.truncated ? 'truncated: true\n' : '';
  return `---\n${lines.join('')}${truncated}---\n\n`;
}

/**
 * A double-quoted scalar (YAML 1.2, section 7.3.1): JSON is one, if no line separators are in it, no half of a character, and
 * nothing that YAML does not take as it is (section 5.1).
 */
const yamlString = (value: string): string =>
  JSON.stringify(value.slice(0, MAX_VALUE_CHARS).toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
