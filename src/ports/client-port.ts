/**
 * The port of the gateway's clients: programs of the owner (an editor, another agent) that reach the servers through
 * Cordon. Each has a token of its own, so that its calls are told apart, limited and ended without touching another.
 */

/** The treatment of a call that the words of others may have steered: the owner is asked, it is refused, or it is let through. */
export type Taint = 'ask' | 'deny' | 'warn'

export interface GatewayClient {
  /** Lower-case letters, digits and `-`; part of the principal's id. */
  readonly name: string
  readonly taint: Taint
  readonly createdAt: string
}

/** A token opens every server of the owner, so it is shown once and stored as a hash. */
export interface MadeClient {
  readonly client: GatewayClient
  readonly token: string
}

export interface Clients {
  /** Refused if the name is taken. */
  add(client: Pick<GatewayClient, 'name' | 'taint'>): Promise<MadeClient>
  list(): Promise<readonly GatewayClient[]>
  edit(name: string, change: Partial<Pick<GatewayClient, 'taint'>>): Promise<GatewayClient>
  /** Its token opens nothing from the next request on. False if there is no such client. */
  remove(name: string): Promise<boolean>
  /** The client that holds this token; undefined for any other text. */
  admit(token: string): Promise<GatewayClient | undefined>
}
