/**
 * The memory of the gateway about one client while it works with it: the label of everything it was given so far. The
 * client's model has read that, so its next words may be those of others: they carry the joined label. A label only rises,
 * and ends with its session.
 */
import type { GatewayClient } from '../ports/client-port.ts'
import type { Principal, PrincipalId } from '../kernel/principal.ts'
import type { Template } from '../kernel/tool-call.ts'
import { joinLabels, type Label, type Level, OWN_WORDS } from '../labels/label.ts'

export interface ClientSession {
  /** With the settings of now. */
  client: GatewayClient
  readonly principal: Principal
  /** The limits of all its calls. */
  readonly template: Template
  /** Of the client's words now. */
  label: Label
}

export function createSession(client: GatewayClient): ClientSession {
  const id = `principal:client:${client.name}` as PrincipalId
  return {
    client,
    principal: { kind: 'client', id },
    template: templateOf(client),
    label: OWN_WORDS,
  }
}

/** The client's model may be anywhere: what is regulated stays here. */
export const CLIENT_CEILING: Level = 'sensitive'

function templateOf({ name }: GatewayClient): Template {
  return {
    name: `client ${name}`,
    allowed: ['*'],
    denied: [],
    maxCalls: Number.MAX_SAFE_INTEGER,
    ceiling: CLIENT_CEILING,
    sinks: [],
    asksForWrites: false,
  }
}

/** After the client has read a value with this label. */
export function raiseLabel(session: ClientSession, read: Label): void {
  const { bound: _said, ...label } = joinLabels(session.label, read)
  session.label = label
}
