/** The messages that a function cannot read: damaged ones, and those of a newer version of the program. */

import { messageOf } from '../shared/core/base/error-message.ts';
import type { OnCorrupt, OnNewer } from '../shared/engines/aws/queues/delivery.ts';
import { createDeadLetter, type DeadLetterOptions } from './dead-letter.ts';
import type { Log } from './log.ts';

export interface NewerLogOptions {
  readonly log: Log;
  /** Announces to the operator that there is something. */
  readonly announce: (cause: string) => void;
}

/** Reports what a newer version of the program has written. Each different error is a log line. */
export type ReportNewer = (error: Error, about: { readonly host?: string; readonly id?: string }) => void;

export function createNewerLog({ log, announce }: NewerLogOptions): ReportNewer {
  const logged = new Set<string>();
  return (error, about) => {
    announce(error.message);
    if (logged.has(error.message)) return;
    logged.add(error.message);
    log('warn', {
      message: 'A newer version has written this, which waits until that version is deployed again',
      ...about,
      cause: error.message,
    });
  };
}

/** Handles what a turn queue receives and cannot be read. */
export function createUnreadHandlers({
  log,
  reportNewer,
  deadLetters,
}: {
  readonly log: Log;
  readonly reportNewer: ReportNewer;
  readonly deadLetters: () => DeadLetterOptions;
}): { readonly onCorrupt: OnCorrupt; readonly onNewer: OnNewer } {
  return {
    async onCorrupt({ messageId: id, body, attributes: { MessageGroupId: group = 'unknown' } }, error) {
      const reason = messageOf(error);
      try {
        await createDeadLetter(deadLetters())(body, reason, { group, id });
        log('error', { message: 'A damaged message goes to the dead letters', host: group, id, reason });
      } catch (failure) {
        const cause = messageOf(failure);
        log('error', { message: 'A damaged message cannot be put aside', host: group, id, reason, cause });
        throw failure;
      }
    },
    onNewer: ({ messageId: id, attributes: { MessageGroupId: host } }, error) =>
      reportNewer(error, { id, ...(host !== undefined && { host }) }),
  };
}
