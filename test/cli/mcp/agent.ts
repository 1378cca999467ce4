/** A client of the protocol, as agents have one, for a server that is started by the command line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const PROGRAM = fileURLToPath(new URL('../../../cli/bin.js', import.meta.url));

/** Both eras of the protocol, by their versions. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export interface Agent {
  readonly client: Client;
  /** The server's standard error until now. */
  readonly log: () => string;
  readonly pid: number | undefined;
  /** The structured answer. Throws the text of a refusal. */
  call(name: string, input?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The text of the refusal. Throws if the call is answered. */
  refusal(name: string, input?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const clientOf = (era: Era): Client =>
  new Client(
    { name: 'agent', version: '1' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );

export interface StartedAgent {
  readonly args: readonly string[];
  readonly era?: Era;
  /** For the server's files about its user. */
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startAgent({
  args,
  era = '2026-07-28',
  home,
  cwd = home,
  env = {},
}: StartedAgent): Promise<Agent> {
  const client = clientOf(era);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { ...(process.env as Record<string, string>), HOME: home, ...env },
    stderr: 'pipe',
    cwd,
  });
  let log = '';
  transport.stderr?.on('data', (text) => {
    log += text;
  });
  await client.connect(transport);
  return agentOf(client, () => log, transport.pid ?? undefined);
}

export async function httpAgent(url: string, token: string, era: Era): Promise<Agent> {
  const client = clientOf(era);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return agentOf(client, () => '', undefined);
}

function agentOf(client: Client, log: () => string, pid: number | undefined): Agent {
  const ask = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as CallToolResult;
  return {
    client,
    log,
    pid,
    async call(name, input) {
      const { isError, structuredContent, content } = await ask(name, input);
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      if (isError || structuredContent === undefined) throw new Error(text);
      if (text !== JSON.stringify(structuredContent))
        throw new Error('The text is not the structured answer');
      return structuredContent as Record<string, unknown>;
    },
    async refusal(name, input) {
      const { isError, content } = await ask(name, input);
      const [first] = content;
      if (!isError || first?.type !== 'text')
        throw new Error(`Expected a refusal, got ${JSON.stringify(content)}`);
      return first.text;
    },
    close: () => client.close(),
  };
}

export function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'strand-mcp-'));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}
