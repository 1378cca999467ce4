import type { ResponseHead } from '../outcome/response-head.ts';

/** A picture of one transparent point. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export interface EmptyPart {
  readonly httpStatus: number;
  readonly headers: ResponseHead['headers'];
  readonly body: Uint8Array;
}

/**
 * The answer to a request for a style or an image that is not loaded. Scripts wait for styles and images: with an error, the
 * loaders of Vite and webpack give up the part of the page that the style belongs to. `origin`: the header of the request, by
 * which the page may read it from another site.
 */
export const emptyPart = (kind: 'style' | 'image', origin: string | undefined): EmptyPart => ({
  httpStatus: 200,
  headers: [
    ['Content-Type', kind === 'style' ? 'text/css' : 'image/gif'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Access-Control-Allow-Origin', origin ?? '*'],
    ...(origin === undefined ? [] : [['Access-Control-Allow-Credentials', 'true'] as const]),
  ],
  body: kind === 'style' ? new Uint8Array(0) : IMAGE,
});
