/**
 * Messages of one round, as JSON: what the worker knows of a page, and what comes of it. Both are at most 6 MB, which is the
 * limit of Lambda's payloads. A reply is foreign input: a page may have broken its browser.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import { fieldValues, type ResponseHead } from '../../../core/outcome/response-head.ts';
import { partHeaders } from '../../../core/render/answer-headers.ts';
import { PAGE_LIMITS } from '../../../core/render/page-limits.ts';
import { isSameSite } from '../../../core/url/same-site.ts';
import type { PartRequest, Rendering, RenderJob } from '../../ports/renderer.ts';
import type { PartAnswer } from '../page-requests.ts';

/** A request of an earlier round, and its outcome. */
export interface KnownAnswer {
  readonly request: Pick<PartRequest, 'url' | 'method' | 'headers' | 'body'>;
  readonly answer: Exclude<PartAnswer, { readonly status: 'held' }>;
}

export interface RoundAsk {
  readonly job: RenderJob;
  readonly answers: readonly KnownAnswer[];
  /** No further round follows: requests without an answer are refused. */
  readonly isLast: boolean;
}

export interface RoundReply {
  readonly rendering: Rendering;
  /** Requests whose answers are not known yet, in their order. */
  readonly needs: readonly PartRequest[];
  /** How many of the known answers the page has asked for. */
  readonly usedAnswers: number;
}

/** Lambda: 6 MB (developer guide, quotas). */
const MAX_PAYLOAD_CHARS = 6 * 1024 * 1024 - 1024;

type Packed = readonly ['gzip' | 'plain', string];

/** Smaller bodies gain nothing. */
const LEAST_PACKED = 300;

function pack(bytes: Uint8Array, isCoded = false): Packed {
  if (isCoded || bytes.length < LEAST_PACKED) return ['plain', Buffer.from(bytes).toString('base64')];
  return ['gzip', gzipSync(bytes, { level: 1 }).toString('base64')];
}

function unpack([form, text]: Packed, maxBytes: number): Buffer {
  const bytes = Buffer.from(text, 'base64');
  return form === 'gzip' ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
}

/** An answer as it is sent in each round. Packed once. */
export type PackedAnswer = Awaited<ReturnType<typeof packAnswer>>;

export async function packAnswer({ request, answer }: KnownAnswer) {
  const { url, method, headers, body } = request;
  const type = headers['content-type'];
  const asked = { url, method, ...(type !== undefined && { type }), ...(body && { body: pack(body) }) };
  if (answer.status !== 'response')
    return { asked, ...(answer.status === 'refused' ? { refused: true } : { failed: true }) };
  const isTooLarge = answer.body.size > PAGE_LIMITS.partBytes;
  if (isTooLarge) return { asked, failed: true };
  const bytes = await answer.body.bytes();
  return { asked, ...packHead(answer), body: pack(bytes, isCoded(answer.headers)) };
}

const packHead = ({ httpStatus, headers }: Pick<ResponseHead, 'httpStatus' | 'headers'>) => ({
  httpStatus,
  headers,
});

const isCoded = (headers: ResponseHead['headers']): boolean =>
  fieldValues(headers, 'content-encoding').some((coding) => coding !== '' && coding !== 'identity');

/** Undefined if it is larger than a payload may be. */
export function encodeAsk(
  job: RenderJob,
  answers: readonly PackedAnswer[],
  isLast: boolean,
): string | undefined {
  const { document, ...rest } = job;
  const { httpStatus, headers, body } = document;
  const packed = { httpStatus, headers, body: pack(body) };
  const text = JSON.stringify({ ...rest, document: packed, answers, isLast });
  return Buffer.byteLength(text) > MAX_PAYLOAD_CHARS ? undefined : text;
}

interface AskMessage extends Omit<RenderJob, 'document'> {
  readonly document: Omit<RenderJob['document'], 'body'> & { readonly body: Packed };
  readonly isLast: boolean;
  readonly answers: readonly (Omit<PackedAnswer, 'asked' | 'body'> & {
    readonly asked: { url: string; method: string; type?: string; body?: Packed };
    readonly body?: Packed;
  })[];
}

/** It comes from the worker, which is trusted. */
export function decodeAsk(message: object): RoundAsk {
  const { document, answers, isLast, ...rest } = message as AskMessage;
  const body = unpack(document.body, rest.limits.htmlBytes);
  const job = { ...rest, document: { ...document, body } };
  return { job, answers: answers.map(decodeAnswer), isLast };
}

function decodeAnswer({ asked, body, ...head }: AskMessage['answers'][number]): KnownAnswer {
  const { url, method, type } = asked;
  const request = {
    url,
    method,
    headers: headersOf(type),
    ...(asked.body && { body: unpack(asked.body, PAGE_LIMITS.partBytes) }),
  };
  if (body === undefined)
    return {
      request,
      answer: 'refused' in head ? { status: 'refused', reason: 'by the crawler' } : { status: 'failed' },
    };
  const { httpStatus, headers } = head as Pick<ResponseHead, 'httpStatus' | 'headers'>;
  const bytes = unpack(body, PAGE_LIMITS.partBytes);
  return { request, answer: { status: 'response', httpStatus, headers, body: memoryBody(bytes) } };
}

const headersOf = (type: string | undefined): Record<string, string> =>
  type === undefined ? {} : { 'content-type': type };

/** As JSON it is small enough for a payload. */
export function encodeReply(reply: RoundReply): object {
  const { rendering, needs, usedAnswers } = reply;
  const { html, screenshot, detail, ...rest } = rendering;
  const message = {
    ...rest,
    ...(detail !== undefined && { detail: detail.slice(0, MAX_DETAIL_CHARS) }),
    ...(html !== undefined && { html: pack(Buffer.from(html)) }),
    ...(screenshot !== undefined && { screenshot: pack(screenshot, true) }),
    needs: needs.map(({ body, ...need }) => ({ ...need, ...(body && { body: pack(body) }) })),
    usedAnswers,
  };
  if (Buffer.byteLength(JSON.stringify(message)) <= MAX_PAYLOAD_CHARS) return message;
  const { used, links, cookies } = rendering;
  const tooLarge = 'it is larger than a payload of Lambda';
  return { state: 'tooLarge', detail: tooLarge, used, links, cookies, needs: [], usedAnswers };
}

const text = (most: number) => z.string().max(most);
const MAX_CHARS = 8192;
const MAX_DETAIL_CHARS = 1000;
const packed = z.tuple([z.enum(['gzip', 'plain']), text(MAX_PAYLOAD_CHARS)]);
const count = z.number().min(0).max(1e12);

const needSchema = z.object({
  url: text(MAX_CHARS),
  method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']),
  headers: z.record(text(200), text(MAX_CHARS)),
  kind: z.enum(['script', 'xhr', 'frame', 'preflight', 'style', 'image', 'font']),
  documentUrl: text(MAX_CHARS),
});

/** Whether a reply may have the request. */
export const isAskable = (request: PartRequest): boolean => needSchema.safeParse(request).success;

const replySchema = z.object({
  state: z.enum(['rendered', 'timedOut', 'crashed', 'tooLarge', 'noBrowser']),
  html: packed.optional(),
  screenshot: packed.optional(),
  links: z.array(text(MAX_CHARS)),
  navigatedTo: text(MAX_CHARS).optional(),
  cookies: z
    .array(z.object({ name: text(4096), value: text(4096), url: text(MAX_CHARS) }))
    .max(PAGE_LIMITS.cookies),
  detail: text(MAX_DETAIL_CHARS).optional(),
  behaviourFault: text(MAX_DETAIL_CHARS).optional(),
  used: z.object({ requests: count, bytes: count, ms: count, cpuMs: count }),
  needs: z.array(needSchema.extend({ body: packed.optional() })),
  usedAnswers: count,
});

/** Throws if it is not a reply, or more than the job's limits allow. */
export function decodeReply(
  reply: string,
  { url, limits, screenshot: takesPicture = false }: RenderJob,
): RoundReply {
  if (reply.length > MAX_PAYLOAD_CHARS) throw new Error('the reply is too large');
  const { html, screenshot, needs, usedAnswers, ...rest } = replySchema.parse(JSON.parse(reply));
  if (needs.length > limits.requests || rest.links.length > limits.links)
    throw new Error('the reply has more than a page may have');
  return {
    rendering: {
      ...rest,
      ...(html && { html: unpack(html, limits.htmlBytes).toString() }),
      ...(takesPicture && screenshot && { screenshot: unpack(screenshot, MAX_PAYLOAD_CHARS) }),
    } as Rendering,
    needs: needs
      .filter(({ kind }) => takesPicture || !PICTURE.has(kind))
      .map(({ body, headers, ...need }) => ({
        ...need,
        headers: sentHeaders(headers, isSameSite(need.url, url)),
        ...(body && { body: unpack(body, PAGE_LIMITS.partBytes) }),
      })),
    usedAnswers,
  };
}

const PICTURE: ReadonlySet<string> = new Set(['style', 'image', 'font']);

/** Returns the headers that a page's request may have, whatever the reply says. Other sites get no cookies. */
function sentHeaders(
  headers: Readonly<Record<string, string>>,
  mayHaveCookie: boolean,
): Record<string, string> {
  const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const));
  const cookie = mayHaveCookie ? names.get('cookie') : undefined;
  return { ...partHeaders(names), ...(cookie !== undefined && { cookie }) };
}
