import { partKeys } from '../../../core/render/part-key.ts';
import type { PartRequest, Rendering, RenderJob } from '../../ports/renderer.ts';
import type { AnswerPart } from '../page-requests.ts';
import { KnownAnswers } from './known-answers.ts';
import { isAskable, type RoundAsk, type RoundReply } from './round-messages.ts';

/** Draws a page by a browser of its own. Never rejects. */
export type DrawAlone = (job: RenderJob, answerPart: AnswerPart) => Promise<Rendering>;

/**
 * Renders a page once, with the answers of earlier rounds. Other requests are held: they are the reply's needs. Nothing is
 * fetched here. Never rejects.
 */
export async function renderRound(
  { job, answers, isLast }: RoundAsk,
  draw: DrawAlone,
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
  const rendering = await draw(job, answerPart);
  return { rendering, needs, usedAnswers: known.used };
}
