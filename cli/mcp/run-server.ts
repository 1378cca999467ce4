/** Serves the tools until the client leaves or a signal comes. */
import { stopSignal, untilAborted } from '../serving.ts';
import { createMcpServer } from './create-server.ts';
import { openSession, type SessionSettings } from './open-session.ts';
import { createRunTool } from './run-tool.ts';

/** `port`: serves by HTTP there, instead of standard input and output. */
export async function runServer(settings: SessionSettings, port: number | undefined): Promise<void> {
  const { log } = settings;
  const stop = stopSignal();
  const session = openSession(settings);
  const run = createRunTool(session, log);
  const create = () => createMcpServer(run, session.starts !== undefined);
  try {
    if (port === undefined) {
      const { serveStdio } = await import('./serve-stdio.ts');
      return await serveStdio(create, stop, log);
    }
    const { serveHttp } = await import('./serve-http.ts');
    const { readToken, tokenFile } = await import('./token-file.ts');
    const file = tokenFile();
    const serving = await serveHttp(create, { port, token: readToken(file), warn: log });
    log(`serving at ${serving.url}, with the token in ${file}  (Ctrl-C ends)`);
    await untilAborted(stop);
    await serving.close();
  } finally {
    await session.close();
  }
}
