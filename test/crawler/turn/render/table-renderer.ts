import type { FetchPart, Rendering, RenderJob } from '../../../../shared/crawler/ports/renderer.ts';
import { createRendering, type OpenRendering } from '../../../../shared/crawler/turn/render/rendering.ts';

/** A page as it is drawn. Requests are made side by side, or one after the other if they are in lists of their own. */
export interface DrawnPage {
  readonly html?: string;
  readonly state?: Rendering['state'];
  readonly requests?: readonly (readonly string[])[];
  readonly links?: readonly string[];
  readonly navigatedTo?: string;
  readonly screenshot?: Uint8Array;
  /** The cookies of its requests. */
  readonly cookie?: string;
}

export interface TableRenderer {
  readonly rendering: OpenRendering;
  readonly jobs: RenderJob[];
  /** Answers of requests, by URL: a status, or why it was refused. */
  readonly answers: Map<string, number | string>;
}

/** A renderer that is a table of pages by their URLs; a function is asked at each job. */
export function tableRenderer(
  pages: Readonly<Record<string, DrawnPage | ((job: RenderJob) => DrawnPage)>>,
  pagesAtOnce = 4,
): TableRenderer {
  const jobs: RenderJob[] = [];
  const answers = new Map<string, number | string>();

  async function ask(job: RenderJob, fetchPart: FetchPart, written: string, cookie?: string): Promise<void> {
    const [method, url] = written.includes(' ') ? (written.split(' ') as [string, string]) : ['GET', written];
    const kind = url.endsWith('.js') ? 'script' : 'xhr';
    const body = method === 'POST' ? { body: Buffer.from('q=1') } : {};
    const headers = {
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(cookie !== undefined && { cookie }),
    };
    const answer = await fetchPart({ url, method, headers, ...body, kind, documentUrl: job.url });
    if (answer.status === 'response') answers.set(written, answer.httpStatus);
    else answers.set(written, answer.status === 'refused' ? answer.reason : answer.reason);
  }

  async function render(job: RenderJob, fetchPart: FetchPart): Promise<Rendering> {
    jobs.push(job);
    const entry = pages[job.url];
    const page = typeof entry === 'function' ? entry(job) : entry;
    for (const step of page?.requests ?? [])
      await Promise.all(step.map((written) => ask(job, fetchPart, written, page?.cookie)));
    const { html = Buffer.from(job.document.body).toString(), state = 'rendered' } = page ?? {};
    return {
      state,
      ...(state === 'rendered' && { html }),
      links: page?.links ?? [],
      ...(page?.navigatedTo !== undefined && { navigatedTo: page.navigatedTo }),
      cookies: [],
      ...(job.screenshot && page?.screenshot && { screenshot: page.screenshot }),
      used: { requests: 0, bytes: 0, ms: 0, cpuMs: 0 },
    };
  }

  return { rendering: createRendering({ renderer: { render }, pagesAtOnce }), jobs, answers };
}
