/** About 2 KB each. */
const MAX_SESSIONS = 2000;

/** The sessions of one client, by server. */
export interface ClientSessions {
  get(server: string): Buffer | undefined;
  set(server: string, session: Buffer): void;
}

/**
 * TLS sessions that a process keeps for resumption, which saves most of a handshake's work. A client gets none of another
 * one's, which may have trusted other certificates.
 */
export class TlsSessions {
  /** The one set longest ago first. */
  readonly #kept = new Map<string, Buffer>();
  #clients = 0;

  openClient(): ClientSessions {
    const client = this.#clients++;
    const keyOf = (server: string) => `${client} ${server}`;
    return {
      get: (server) => this.#kept.get(keyOf(server)),
      set: (server, session) => {
        this.#kept.delete(keyOf(server));
        this.#kept.set(keyOf(server), session);
        if (this.#kept.size > MAX_SESSIONS) this.#kept.delete(this.#kept.keys().next().value as string);
      },
    };
  }
}
