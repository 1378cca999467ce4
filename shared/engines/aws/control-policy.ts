/** The limits for the requests of a deployed stack's callers. */
import { missingAt } from '../../core/crawl/settings/settings.ts';
import type { ControlPolicy } from '../../services/control/plan-request.ts';
import { type StackSettings, timesOf } from './settings.ts';

const LEADING_ELSEWHERE = [
  'resolve',
  'tls',
  'allowInvalidCertificates',
  'certificateAuthorities',
  'proxies',
] as const;
const HAS_SECRETS = 'the stack has secrets of its own (secretsParameter), which could go elsewhere by it';

/** Returns the limits for the crawls of the stack. */
export function controlPolicyOf(
  settings: Pick<
    StackSettings,
    | 'crawlDefaults'
    | 'allowPrivateAddresses'
    | 'allowPorts'
    | 'workerTimeoutMs'
    | 'limits'
    | 'archiveDays'
    | 'secretsParameter'
  >,
): ControlPolicy {
  return {
    defaults: settings.crawlDefaults,
    allowPrivateAddresses: settings.allowPrivateAddresses,
    ...(settings.allowPorts && { allowPorts: settings.allowPorts }),
    limits: { ...settings.limits, isPaid: true },
    ...(settings.archiveDays !== undefined && { archiveDays: settings.archiveDays }),
    maxTotalTimeoutMs: timesOf(settings).maxTotalTimeoutMs,
    refuses: {
      ...missingAt('stack'),
      // By each of these, the stack's secrets could be sent to whom the caller names.
      ...(settings.secretsParameter !== undefined &&
        Object.fromEntries(LEADING_ELSEWHERE.map((key) => [key, HAS_SECRETS]))),
    },
  };
}
