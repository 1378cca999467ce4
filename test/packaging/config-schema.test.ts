import { expect, test } from 'vitest';
import { configSchema } from '../../packaging/config-schema.ts';
import { crawlConfigSchema } from '../../shared/core/crawl/config.ts';

const schema = configSchema() as {
  properties: Record<string, { description?: string; default?: unknown; items?: { properties: object } }>;
  additionalProperties: boolean;
};

test('the JSON schema has each setting with its default and what the editor shows', () => {
  expect(Object.keys(schema.properties)).toEqual(Object.keys(crawlConfigSchema.shape));
  expect(schema.additionalProperties).toBe(false);
  for (const { description } of Object.values(schema.properties))
    expect(description).toMatch(/^[A-Z].+\.$|^.+[.:]$/);
  expect(schema.properties.delayMs).toMatchObject({ type: 'number', minimum: 0, default: 1000 });
  expect(schema.properties.delayMs?.description).toMatch(/^The least pause between two requests to a host/);
  expect(JSON.stringify(schema)).not.toMatch(/@default|@link/);
});
