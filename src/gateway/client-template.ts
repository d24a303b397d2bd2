/**
 * The limits of a run that a client started, by name, so that they are read anew when the run is resumed: a context that
 * was narrowed since, or a client that was removed, holds for it as well, also if another one has its name by now.
 */
import type { Template } from '../kernel/tool-call.ts'
import type { Clients } from '../ports/client-port.ts'
import type { Contexts } from '../ports/context-port.ts'
import { type ClientSession, templateOf } from './client-session.ts'
import { createScope } from './create-scope.ts'

/** No template of the owner's own begins so. */
const PREFIX = 'client:'
const SAVED = ':saved'
/** Runs of earlier versions of Cordon name no registration. */
const SHAPE = /^client:([^@:]+)(?:@(.*?))?(:saved)?$/

/** A flow that the owner saved may also ask their models. */
export function clientTemplate(
  { client: { name }, since }: Pick<ClientSession, 'client' | 'since'>,
  isSavedFlow: boolean,
): string {
  return `${PREFIX}${name}@${since}${isSavedFlow ? SAVED : ''}`
}

export function isClientTemplate(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Undefined if the client was removed. */
export async function readClientTemplate(
  deps: {
    readonly clients: Pick<Clients, 'find'>
    readonly contexts: Pick<Contexts, 'membersOf'>
  },
  name: string,
): Promise<Template | undefined> {
  const [, own = '', since, saved] = SHAPE.exec(name) ?? []
  const client = deps.clients.find(own)
  if (!client || (since !== undefined && since !== client.createdAt)) return undefined
  const { contexts = [] } = client
  const members = contexts.length > 0 ? await deps.contexts.membersOf(contexts) : undefined
  return templateOf(client.name, createScope(members), saved !== undefined)
}

/** The name of the client whose limits these are. */
export function clientOf(template: string): string {
  return SHAPE.exec(template)?.[1] ?? ''
}
