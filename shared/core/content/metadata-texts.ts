import type { PageMetadata } from './metadata.ts';

/** The metadata of a document that are texts, in the order of the columns that tables have for them. */
export const METADATA_TEXTS = [
  'title',
  'description',
  'author',
  'published',
  'modified',
  'language',
  'siteName',
  'image',
] as const satisfies readonly (keyof PageMetadata)[];
