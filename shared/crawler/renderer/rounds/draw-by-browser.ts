import { messageOf } from '../../../core/base/error-message.ts';
import { type BrowserOptions, startBrowser } from '../browser.ts';
import { undrawn } from '../undrawn.ts';
import type { DrawAlone } from './render-round.ts';

/** Each page has a browser that starts and ends with it. */
export const drawByBrowser =
  (options: Omit<BrowserOptions, 'isSingleProcess' | 'hasSandbox'>): DrawAlone =>
  async (job, fetchPart) => {
    const startedAt = performance.now();
    try {
      const browser = await startBrowser({ ...options, isSingleProcess: true, hasSandbox: false });
      try {
        return await browser.render({ job, fetchPart, startedAt, deadline: startedAt + job.limits.ms });
      } finally {
        await browser.close();
      }
    } catch (error) {
      return undrawn('noBrowser', messageOf(error), startedAt);
    }
  };
