/** The server on standard input and output, which from then on belong to the protocol alone. */
import { Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { UsageError } from '../usage-error.ts';

/** Arguments of tools are small. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Serves until the client closes its end, or the signal is aborted. Throws {@link UsageError} if a message is too long: the
 * transport then reads no further one.
 */
export async function serveStdio(
  create: () => McpServer,
  signal: AbortSignal,
  warn: (line: string) => void,
): Promise<void> {
  const { stdin, stdout } = process;
  const transport = new StdioServerTransport(stdin, ownOutput(stdout), { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serve(create, { transport, onerror: ({ message }) => warn(message) });
  await new Promise<void>((resolve, reject) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      if (stdin.readableEnded) resolve();
      else reject(new UsageError(`A message of the client has more than ${MAX_MESSAGE_BYTES} bytes`));
    };
    stdin.once('end', resolve).once('close', resolve);
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}

/** Other output, such as `console.log` of a project's file, goes to standard error from now on. */
function ownOutput(stdout: NodeJS.WriteStream): Writable {
  const write = stdout.write.bind(stdout) as (
    chunk: Uint8Array,
    done: (error?: Error | null) => void,
  ) => boolean;
  stdout.write = process.stderr.write.bind(process.stderr) as typeof stdout.write;
  return new Writable({ write: (chunk, _, done) => void write(chunk, done) });
}
