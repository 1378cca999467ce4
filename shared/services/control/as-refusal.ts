import { orExplained } from '../../core/base/explain-errors.ts';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { ControlError } from './control.ts';

/** An invalid configuration as an error of the control. `field`: unless the error names one. Other errors stay as they are. */
export const asRefusal = (error: unknown, field?: string): unknown =>
  error instanceof InvalidConfig
    ? new ControlError('invalid', error.message, error.field ?? field, { cause: error })
    : error;

/** Runs `work`, which throws {@link InvalidConfig} for what cannot be. */
export const orRefused = <T>(work: () => T): T => orExplained(work, (error) => asRefusal(error));
