/** The JSON schema of a crawl's settings, for editors and for programs in other languages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';

/** The interfaces whose comments are the descriptions. */
const SOURCE = join(import.meta.dirname, '../shared/core/crawl/crawl-options.ts');

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
}

/** As `POST /crawls`, a seed message and the key `crawl` of `strand.config.ts` take them. */
export function configSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(crawlConfigSchema, { io: 'input' }) as Node;
  const text = readFileSync(SOURCE, 'utf8');
  describe(schema, commentsOf(text, 'CrawlOptions'));
  describe(schema.properties?.urlRules, commentsOf(text, 'UrlRuleOptions'));
  describe(schema.properties?.overrides?.items, commentsOf(text, 'OverrideOptions'));
  return { title: 'Settings of a crawl of Strand', ...schema };
}

function describe({ properties = {} }: Node = {}, comments: ReadonlyMap<string, string>): void {
  for (const [key, property] of Object.entries(properties)) {
    const comment = comments.get(key);
    if (comment === undefined) throw new Error(`Expected a comment on ${key} in ${SOURCE}`);
    property.description = comment;
  }
}

/** Returns the comment of each property, without its tags and links. */
function commentsOf(text: string, name: string): ReadonlyMap<string, string> {
  const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)^\\}`, 'ms').exec(text) ?? [];
  const found = body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\??:/gs);
  return new Map([...found].map(([, comment = '', key = '']) => [key, plain(comment)]));
}

const plain = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.trim().replace(/^\*/, '').trim())
    .filter((line) => !line.startsWith('@'))
    .join(' ')
    .replaceAll(/\{@link (?:\w+\.)?(\w+)\}/g, '`$1`')
    .trim();
