/** The JSON schema of a crawl's settings, for editors and for programs in other languages. */
import { z } from 'zod';
import { crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { describeSettings } from '../shared/core/crawl/settings/schema-descriptions.ts';

/** As `POST /crawls`, a seed message and the key `crawl` of `strand.config.ts` take them. */
export function configSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(crawlConfigSchema(), { io: 'input' });
  describeSettings(schema);
  return { title: 'Settings of a crawl of Strand', ...schema };
}
