import type { RecordLocation } from '../../core/archive/record-location.ts';
import type { WarcMember } from '../../core/archive/warc-member.ts';

/** Where WARC records go. */
export interface Archive {
  /**
   * Appends the members one after the other in one file, with nothing between them. Not durable before
   * `flush`. `captures`: for members that are captures, what their lines of the CDXJ index begin with
   * (`archive/cdxj.ts`).
   */
  append(
    members: readonly WarcMember[],
    captures?: readonly (string | undefined)[],
  ): Promise<RecordLocation[]>;
  /** Resolves when all that was appended before the call is durable. */
  flush(): Promise<void>;
}
