import { pageRuns } from '../../../shared/core/content/blocks.ts';
import { parseElements } from '../../../shared/core/content/element-tree.ts';
import { markdownOf } from '../../../shared/core/content/markdown.ts';

/** Markdown of all blocks and pictures, whether they are main content or not. */
export function markdown(html: string): string {
  const [root] = parseElements(html);
  const { blocks, pictures } = pageRuns(root!);
  const runs = [...blocks, ...pictures].sort((a, b) => a.first - b.first);
  return markdownOf(root!, runs, (reference) => URL.parse(reference, 'https://example.org/a/b')?.href);
}

/** The text of each block. */
export const texts = (html: string): string[] =>
  pageRuns(parseElements(html)[0]!).blocks.map(({ text }) => text);
