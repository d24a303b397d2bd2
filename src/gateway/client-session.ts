/**
 * The memory of the gateway about one client while it works with it: the label of everything it was given so far. The
 * client's model has read that, so its next words may be those of others: they carry the joined label. A label only rises,
 * and ends with its session.
 */
import { FILES, MEMORY, MODEL } from '../kernel/built-in-tools.ts'
import type { GatewayClient } from '../ports/client-port.ts'
import type { Principal, PrincipalId } from '../kernel/principal.ts'
import type { Template } from '../kernel/tool-call.ts'
import { isTrusted, joinLabels, type Label, type Level, OWN_WORDS } from '../labels/label.ts'
import type { Sink } from '../labels/sink.ts'
import { KeptResults } from './kept-results.ts'
import { createScope, type Scope } from './create-scope.ts'

export interface ClientSession {
  /** With the settings of now. */
  client: GatewayClient
  /** When that client was registered. A later one of the same name is another, and takes nothing over. */
  readonly since: string
  readonly principal: Principal
  /** The tools that its contexts allow. */
  scope: Scope
  /** The limits of all its calls. */
  template: Template
  /** Of the client's words now. */
  label: Label
  /** The program's own name (`clientInfo.name`). Untrusted: it chooses among known limits, nothing else. */
  says?: string
  /** Results that were too long to send, as handles. */
  readonly results: KeptResults
}

/** `suffix` ends its handles. */
export function createSession(client: GatewayClient, suffix?: string): ClientSession {
  const id = `principal:client:${client.name}` as PrincipalId
  const scope = createScope(undefined)
  return {
    client,
    since: client.createdAt,
    principal: { kind: 'client', id },
    scope,
    template: templateOf(client.name, scope),
    label: OWN_WORDS,
    results: new KeptResults(suffix),
  }
}

/** Not its name alone: the yes to a client that was removed is none to a later one of that name. */
export function registrationOf({ principal, since }: ClientSession): string {
  return `${principal.id} ${since}`
}

/** The client's model may be anywhere: what is regulated stays here. */
export const CLIENT_CEILING: Level = 'sensitive'

/** Tools that Cordon itself runs. A client's own words reach none of them; a flow that the owner saved may ask a model. */
const BUILT_IN = [FILES, MEMORY, MODEL].map((server) => `${server}.*`)

export function templateOf(name: string, { patterns }: Scope, isSavedFlow = false): Template {
  const models = `${MODEL}.*`
  return {
    name: `client ${name}`,
    allowed: isSavedFlow ? [...patterns, models] : patterns,
    denied: isSavedFlow ? BUILT_IN.filter((one) => one !== models) : BUILT_IN,
    maxCalls: Number.MAX_SAFE_INTEGER,
    ceiling: CLIENT_CEILING,
    sinks: [],
    asksForWrites: false,
  }
}

export function sinkOf({ client }: Pick<ClientSession, 'client'>): Sink {
  return { name: `sink:client:${client.name}`, clearance: CLIENT_CEILING }
}

/** Of text that a server wrote outside of a result, where nothing but the server is known of it. */
export function saidBy(server: string): Label {
  return { integrity: 'external', level: 'sensitive', origins: new Set([server]) }
}

/** After the client has read a value with this label. */
export function raiseLabel(session: ClientSession, read: Label): void {
  const { bound: _said, ...label } = joinLabels(session.label, read)
  session.label = label
}

/** A client that its owner set to `warn` speaks as the owner. */
export function wordsLabel({ client, label }: ClientSession): Label {
  return client.taint === 'warn' ? OWN_WORDS : label
}

export function isTainted(session: ClientSession): boolean {
  return !isTrusted(wordsLabel(session))
}
