/**
 * The port of the gateway's clients: programs of the owner (an editor, another agent) that reach the servers through
 * Cordon. Each has a token of its own, so that its calls are told apart, limited and ended without touching another.
 */

/** The treatment of a call that the words of others may have steered: the owner is asked, it is refused, or it is let through. */
export type Taint = 'ask' | 'deny' | 'warn'

/** Whether a client is listed tools, or searches for them: as its limits say, always, or never. */
export type SearchMode = 'auto' | 'on' | 'off'

export interface GatewayClient {
  /** Lower-case letters, digits and `-`; part of the principal's id. */
  readonly name: string
  readonly taint: Taint
  /** Tells it from a client of the same name that was removed before. */
  readonly createdAt: string
  readonly limits?: ClientBudget
  /** It signed in by itself, and the owner agreed on the page; it has no key file. */
  readonly isSignedIn?: true
  /** The last request, at most a minute late; absent if there was none. */
  readonly lastUsedAt?: string
  /** The id of a known program, whose limits hold. Absent: the program's own word chooses among the known ones. */
  readonly kind?: string
  /** The contexts that it is limited to. Absent or empty: it may use every server. */
  readonly contexts?: readonly string[]
  /** Absent: `auto`. */
  readonly search?: SearchMode
  /** The owner's own limit: estimated tokens of its list of tools. */
  readonly listTokens?: number
}

/** The part of a client that its owner chooses. An empty `kind` forgets the one it had. */
export type ClientSettings = Partial<
  Pick<GatewayClient, 'taint' | 'kind' | 'contexts' | 'search' | 'listTokens'>
>

/** The budget of one client; a missing field limits nothing. */
export interface ClientBudget {
  readonly callsPerMinute?: number
  /** Bytes of results that it is given within a day. */
  readonly bytesPerDay?: number
}

export interface ClientChange extends ClientSettings {
  /** Null takes a limit away. */
  readonly callsPerMinute?: number | null
  readonly bytesPerDay?: number | null
}

/** A token opens every server of the owner, so it is shown once and stored as a hash. */
export interface MadeClient {
  readonly client: GatewayClient
  readonly token: string
}

export interface Clients {
  /** Refused if the name is taken. */
  add(client: Pick<GatewayClient, 'name' | 'taint'> & ClientSettings): Promise<MadeClient>
  list(): Promise<readonly GatewayClient[]>
  /** Holds for its open connections too. */
  edit(name: string, change: ClientChange): Promise<GatewayClient>
  /** Its token opens nothing from the next request on, and its open connections end. Throws if there is no such client. */
  remove(name: string): Promise<void>
  /** The client that holds this token; undefined for any other text. */
  admit(token: string): Promise<GatewayClient | undefined>
  /** The settings of now; undefined once it is removed. */
  find(name: string): GatewayClient | undefined
  /**
   * Aborts when the client is removed, here or by another kernel on the same store, and when all that it has open is cut
   * off. Aborted at once for one that was removed before, also if there is another of its name by now.
   */
  revoked(client: Pick<GatewayClient, 'name' | 'createdAt'>): AbortSignal
  /** Notes that the client sent a request. */
  used(name: string): void
}
