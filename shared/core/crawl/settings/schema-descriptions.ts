/** The sentences about settings in JSON schemas. */
import { OVERRIDE_SETTINGS } from './override-settings.ts';
import { URL_RULES } from './scope-settings.ts';
import { sentencesOf } from './sentences.ts';
import type { Settings } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** A JSON schema, as far as it is read here. */
interface SchemaNode {
  description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** Describes the properties of `schema`, the JSON schema of an object, that are settings of a crawl. */
export function describeSettings(schema: unknown): void {
  const root = schema as SchemaNode;
  describe(root, SETTINGS);
  describe(root.properties?.urlRules, URL_RULES);
  describe(root.properties?.overrides?.items, OVERRIDE_SETTINGS);
}

function describe({ properties = {} }: SchemaNode = {}, settings: Settings): void {
  for (const [key, property] of Object.entries(properties))
    if (Object.hasOwn(settings, key)) property.description = sentencesOf(settings[key]!);
}
