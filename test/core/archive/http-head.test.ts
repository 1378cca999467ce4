import fc from 'fast-check';
import { expect, test } from 'vitest';
import { receivedHeaders, storedResponseHead } from '../../../shared/core/archive/http-head.ts';
import { parseHttpHead } from '../../../shared/core/archive/parse-http-head.ts';

const NAMES = [
  'Content-Length',
  'content-length',
  'Transfer-Encoding',
  'Content-Type',
  'x-archive-orig-content-length',
];

test('headers are read from an archive as they were received', () => {
  const header = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('5', '7', 'chunked'));
  fc.assert(
    fc.property(fc.array(header, { maxLength: 6 }), fc.boolean(), (headers, isNone) => {
      const head = { httpStatus: 200, statusText: 'OK', headers };
      const stored = parseHttpHead(storedResponseHead(head, { size: 5, isNone })).headers;
      const received = receivedHeaders(stored);
      // Without a body, a length that follows the renamed one looks like an added one.
      if (!isNone) expect(received).toEqual(headers);
      expect(receivedHeaders(received)).toEqual(received);
    }),
  );
});
