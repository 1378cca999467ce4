import { messageOf } from '../../../core/base/error-message.ts';
import { partKeys } from '../../../core/render/part-key.ts';
import type { PartRequest, Rendering, RenderJob } from '../../ports/renderer.ts';
import { type BrowserOptions, startBrowser } from '../browser.ts';
import type { AnswerPart } from '../page-requests.ts';
import { undrawn } from '../undrawn.ts';
import { KnownAnswers } from './known-answers.ts';
import { isAskable, type RoundAsk, type RoundReply } from './round-messages.ts';

/**
 * Renders a page once, by a browser of its own, with the answers of earlier rounds. Other requests are held: they are the
 * reply's needs. Nothing is fetched here. Never rejects.
 */
export async function renderRound(
  { job, answers, isLast }: RoundAsk,
  options: Omit<BrowserOptions, 'isSingleProcess' | 'hasSandbox'>,
  now = Date.now(),
): Promise<RoundReply> {
  const known = new KnownAnswers(answers, now);
  const needs: PartRequest[] = [];
  const held = new Set<string>();
  const answerPart: AnswerPart = async (request) => {
    const answer = await known.take(request);
    if (answer !== undefined) return answer;
    if (isLast) return { status: 'refused', reason: 'no further round' };
    if (!isAskable(request)) return { status: 'refused', reason: 'a reply cannot have it' };
    const { exact } = partKeys(request, now);
    // The page may repeat what it has no answer to: it would not if it had one.
    if (!held.has(exact)) needs.push(request);
    held.add(exact);
    return { status: 'held' };
  };
  const rendering = await renderAlone(job, answerPart, options);
  return { rendering, needs, usedAnswers: known.used };
}

async function renderAlone(
  job: RenderJob,
  fetchPart: AnswerPart,
  options: Parameters<typeof renderRound>[1],
): Promise<Rendering> {
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
}
