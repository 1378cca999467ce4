/** How the files of an identity get to the agent's origin: steps for an operator. */
import { DIRECTORY_PATH, type DirectoryResponse } from '../../shared/core/identity/directory.ts';
import { CARD_PATH, PAGE_PATH } from './agent-card.ts';

/** A file of rules by which Netlify, Cloudflare Pages and others send headers. */
export function headersFile({ headers }: DirectoryResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
  return `${[DIRECTORY_PATH, ...lines].join('\n')}\n`;
}

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** `folder`: where the files are, if they were written. */
export function hostingText(agent: string, directory: DirectoryResponse, folder: string | undefined): string {
  const { host, hostname } = new URL(agent);
  const url = agent + DIRECTORY_PATH;
  const headers = Object.entries(directory.headers).map(([name, value]) => `     ${name}: ${value}`);
  const files =
    folder === undefined ? 'the files above (--out FOLDER writes them)' : `the files in ${folder}`;
  return `To publish:
  1. DNS: ${hostname} needs an A, AAAA or CNAME record that points to your web server or CDN, which needs a certificate for it.
  2. Serve ${files} at ${agent}:
     ${DIRECTORY_PATH}   the public keys, byte for byte: no line end added
     ${CARD_PATH}   what programs can read about the crawler
     ${PAGE_PATH}   what people can read
  3. Send these headers with ${DIRECTORY_PATH} (nginx: add_header; CloudFront: a response headers
     policy; Netlify, Cloudflare Pages: the file _headers), status 200, no redirect, no compression, no check for bots:
${headers.join('\n')}
  4. Check: curl -si ${url}
  5. If a CDN has a programme for verified bots, register with it: ${url}
Publish again before ${dayOf(directory.expiresAt)}, when the signature of the directory at ${host} expires, and after each identity rotate.
`;
}
