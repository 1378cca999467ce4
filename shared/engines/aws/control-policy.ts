/** The limits for the requests of a deployed stack's callers. */
import { missingAt, RENDER_SETTINGS } from '../../core/crawl/settings/settings.ts';
import type { ControlPolicy } from '../../services/control/plan-request.ts';
import { type StackSettings, timesOf } from './settings.ts';

const LEADING_ELSEWHERE = ['resolve', 'tls', 'certificateAuthorities', 'proxies'] as const;
const HAS_SECRETS = 'the stack has secrets of its own (secretsParameter), which could go elsewhere by it';

/** Settings of rendering, on a stack that has no browser. */
export const RENDERING_REFUSED = Object.fromEntries(
  RENDER_SETTINGS.map((key) => [key, 'this stack has no browser: deploy it with rendering=true']),
);

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
    | 'rendererFunction'
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
      ...(settings.rendererFunction === undefined && RENDERING_REFUSED),
      // By each of these, the stack's secrets could be sent to whom the caller names.
      ...(settings.secretsParameter !== undefined &&
        Object.fromEntries(LEADING_ELSEWHERE.map((key) => [key, HAS_SECRETS]))),
    },
  };
}
