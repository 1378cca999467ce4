/** The schemas of an operator's requests to begin a crawl or to add seeds. */
import { z } from 'zod';
import { siteSchema } from '../../core/crawl/check-sites.ts';
import { crawlConfigSchema } from '../../core/crawl/config.ts';
import { CRAWL_ID } from '../../core/crawl/crawl-id.ts';
import { MAX_SITES } from '../../core/crawl/sites.ts';
import { CLOUD_FORMATS, CLOUD_TABLES } from './crawl-export.ts';

/** Seeds of one request. */
export const MAX_SEEDS = 10_000;

/** `CrawlId` as a schema. */
export const crawlIdSchema = z
  .string()
  .regex(CRAWL_ID, 'a name of up to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`')
  .describe('Name of a crawl');

const seeds = z
  .array(z.string())
  .min(1)
  .max(MAX_SEEDS)
  .describe('http and https URLs; `example.org` is taken as `https://example.org/`');

const sites = z
  .array(siteSchema())
  .min(1)
  .max(MAX_SITES)
  .describe('The sites of the crawl, each with its own settings; their URLs are seeds');

/** The list that replaces the crawl's list. */
export const newSitesSchema = z.strictObject({ sites });

export const newCrawlSchema = z.strictObject({
  crawl: crawlIdSchema.optional(),
  seeds: seeds.optional(),
  sites: sites.optional(),
  config: crawlConfigSchema()
    .optional()
    .describe('What is not set is as the deployment has it, or else has the default named here'),
  dedupeFrom: crawlIdSchema
    .optional()
    .describe(
      'An earlier crawl, whose payloads are not stored again where a host answers with the same: revisit records refer to them, and its archive can be deleted only after that of the new crawl',
    ),
});

export const newSeedsSchema = z.strictObject({ seeds });

export const newExportSchema = z.strictObject({
  format: z
    .enum(CLOUD_FORMATS)
    .describe(
      '`jsonl`, `csv`: the known URLs; `items`, `itemsCsv`: what the hooks returned; `skipped`, `skippedCsv`: links that were left out, and URLs that were not requested',
    ),
  tables: z
    .array(z.enum(CLOUD_TABLES))
    .min(1)
    .max(CLOUD_TABLES.length)
    .optional()
    .describe(
      'With `parquet`; `index`, `urls` and `items` by default. With `documents`: `documents`, which makes their table in the same pass',
    ),
});
