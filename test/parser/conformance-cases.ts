import { existsSync, readFileSync } from 'node:fs';

export interface ConformanceCase {
  readonly id: string;
  readonly tier: 'must' | 'should' | 'info';
  readonly in: {
    readonly html?: string;
    readonly html_b64?: string;
    readonly url: string;
    readonly content_type?: string | null;
  };
  readonly want: Readonly<Record<string, unknown>>;
}

/** The published cases for HTML, or undefined, loudly, where their folder is absent. */
export function conformanceCases(name: string): ConformanceCase[] | undefined {
  const file = new URL(`../../../shared/conformance/html/${name}.jsonl`, import.meta.url);
  if (!existsSync(file)) {
    console.warn(`SKIPPED: no conformance cases at ../shared/conformance/html/${name}.jsonl`);
    return undefined;
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ConformanceCase);
}

export function bytesOf({ html, html_b64 }: ConformanceCase['in']): Uint8Array {
  return html_b64 === undefined ? Buffer.from(html ?? '') : Buffer.from(html_b64, 'base64');
}
