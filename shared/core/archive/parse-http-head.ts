import type { ResponseHead } from '../outcome/response-head.ts';

/**
 * Reads the HTTP response head at the start of a record's block: status line, fields, empty line. Never
 * throws: without a status line, the status is 0.
 */
export function parseHttpHead(head: Uint8Array): Pick<ResponseHead, 'httpStatus' | 'statusText' | 'headers'> {
  const [statusLine = '', ...lines] = Buffer.from(head).toString('latin1').split('\r\n');
  const [, code = '0', statusText = ''] = /^HTTP\/[\d.]{1,5} +(\d{3})(?: (.*))?/.exec(statusLine) ?? [];
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : [];
  });
  return { httpStatus: Number(code), statusText, headers };
}
