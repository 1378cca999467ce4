import type { BoundedKey } from '../shared/core/crawl/settings/settings.ts';

/** An option of a stack, which is also a prop of the construct: it takes values of the type `In`. */
export interface StackOption<In = unknown, Out = unknown> {
  /** A sentence without its full stop. */
  readonly doc: string;
  /** Further sentences. */
  readonly more?: string;
  /** Follows the word "Costs". */
  readonly costs?: string;
  /** The part of the documentation about it: `aws.md#shards`. */
  readonly page?: string;
  /** The default in words, if it depends on something. */
  readonly preset?: string;
  readonly default?: unknown;
  /** The setting of a crawl whose least or most value it is. */
  readonly bounds?: BoundedKey;
  readonly schema: unknown;
  /** For the type checker alone. */
  readonly takes?: In;
  readonly gives?: Out;
}
