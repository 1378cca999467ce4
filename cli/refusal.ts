import { isInstance, textOf } from '../shared/core/base/error-message.ts';

const REFUSALS: ReadonlySet<string> = new Set([
  'UsageError',
  'ControlError',
  'NoCrawl',
  'CrawlExists',
  'NoContact',
  'InvalidConfig',
  'FolderInUse',
  'StackRefused',
  'BadStoredName',
  'NewerFormat',
  'CorruptBytes',
  'DamagedState',
  'LostPart',
]);

const OUTAGES: ReadonlySet<string> = new Set(['StackUnavailable', 'ServiceUnavailable']);

/** Whether the error says in its own words why nothing was begun: exit code 2, whatever its cause is. */
export function isRefusal(error: unknown): error is Error {
  // By name: some modules would load SQLite, and some errors come from another thread.
  return isInstance(error, Error) && REFUSALS.has(textOf(error, 'name') ?? '');
}

/** Whether a service or the way to it fails. The message says what to do. */
export const isOutage = (error: unknown): error is Error =>
  isInstance(error, Error) && OUTAGES.has(textOf(error, 'name') ?? '');

const shown = new WeakSet<object>();

/** Notes that the log has said the error, on standard error: what the user can fix is not printed again. */
export function markShown(error: unknown): void {
  if (isRefusal(error) || isOutage(error)) shown.add(error);
}

export const isShown = (error: unknown): boolean => isInstance(error, Error) && shown.has(error);
