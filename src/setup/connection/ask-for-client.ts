/**
 * Asks for an OAuth client that the owner has registered with a provider, once: its id and secret go into the vault and
 * serve every later sign-in there. They are no credentials of the server, so its definition never names them. Pure.
 */
import type { CredentialNeed } from '../../ports/service-facts.ts'
import type { MissingClient } from './acquirer.ts'
import type { Connection, Step } from './connection.ts'
import { ask } from './connection-steps.ts'
import { withNeeds } from './next-offering.ts'

/** Before the token that the client is for; the sign-in is tried again once they are stored. */
export function askForClient(connection: Connection, client: MissingClient): Step {
  const { service, found } = connection
  const needs = needsFor(client)
  const keys = needs.map(({ key }) => key)
  const names = Object.fromEntries(keys.map((key) => [key, key]))
  const next = {
    ...connection,
    service: withNeeds(service, needs),
    found: { ...found, names: { ...found.names, ...names }, missing: [...keys, ...found.missing] },
  }
  return ask(next, idKey(client), service.oauth.length)
}

/** Whether this connection asked for it already, so that asking again would not help. */
export function isClientGiven({ found }: Connection, client: MissingClient): boolean {
  return Object.hasOwn(found.refs, idKey(client))
}

function idKey({ provider }: MissingClient): string {
  return `oauth-app/${provider}/id`
}

function needsFor(client: MissingClient): readonly CredentialNeed[] {
  const { provider, where, hasSecret } = client
  const shared = { prefixes: [], required: false, takesAnyToken: true } as const
  const key = `oauth-app/${provider}/secret`
  const id = { ...shared, key: idKey(client), secret: idKey(client), title: 'client id', where }
  return hasSecret ? [id, { ...shared, key, secret: key, title: 'client secret' }] : [id]
}
