/** The JSON schema of a crawl's settings, for editors and for programs in other languages. */
import { z } from 'zod';
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { OVERRIDE_SETTINGS } from '../shared/core/crawl/settings/override-settings.ts';
import { URL_RULES } from '../shared/core/crawl/settings/scope-settings.ts';
import { sentencesOf } from '../shared/core/crawl/settings/sentences.ts';
import type { Settings } from '../shared/core/crawl/settings/setting.ts';
import { SETTINGS } from '../shared/core/crawl/settings/settings.ts';

interface Node {
  description?: string;
  properties?: Record<string, Node>;
  items?: Node;
}

/** As `POST /crawls`, a seed message and the key `crawl` of `strand.config.ts` take them. */
export function configSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(crawlConfigSchema, { io: 'input' }) as Node;
  describe(schema, SETTINGS);
  describe(schema.properties?.urlRules, URL_RULES);
  describe(schema.properties?.overrides?.items, OVERRIDE_SETTINGS);
  return { title: 'Settings of a crawl of Strand', ...schema };
}

function describe({ properties = {} }: Node = {}, settings: Settings): void {
  for (const [key, setting] of Object.entries(settings)) properties[key]!.description = sentencesOf(setting);
}
