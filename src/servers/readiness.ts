/** Whether a server could be used now: its credentials are there, and its token allows what it needs. Asks no server. */
import type { Definitions, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Problem } from '../text/problem.ts'
import { type SecretRef, showSecretRef } from '../kernel/secret-ref.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Tokens } from '../ports/setup-port.ts'
import { missingScopes } from './missing-scopes.ts'

export interface ReadinessDeps {
  readonly owner: PrincipalId
  readonly definitions: Pick<Definitions, 'load' | 'stamp'>
  readonly vault: Pick<Vault, 'resolves'> & Partial<Pick<Vault, 'status'>>
  readonly tokens: Pick<Tokens, 'status'>
}

/** Why these tools of the server cannot be used now; undefined where they can. */
export type Readiness = (
  server: ServerId,
  tools?: readonly string[],
) => Promise<Problem | undefined>

export function createReadiness(deps: ReadinessDeps): Readiness {
  const definitionOf = createDefinitionReader(deps.definitions)
  return async (server, tools = []) => {
    const definition = await definitionOf(server)
    if (!definition) return undefined // the checker says so in its own words
    if (!definition.enabled) {
      return {
        code: 'servers.switched-off',
        message: `${server} is switched off`,
        hint: `Run \`cordon mcp enable ${server}\``,
      }
    }
    return (
      (await missingCredential(deps, definition)) ?? (await scopeProblem(deps, definition, tools))
    )
  }
}

/** Reads again only when the definition has changed: every turn of a chat asks twice, and a load reads all of them. */
function createDefinitionReader(
  definitions: ReadinessDeps['definitions'],
): (server: ServerId) => Promise<ServerDefinition | undefined> {
  const known = new Map<ServerId, { stamp: string; definition: ServerDefinition | undefined }>()
  return async (server) => {
    const stamp = definitions.stamp(server) // before the reading: a change in between is seen the next time
    const before = known.get(server)
    if (before?.stamp === stamp) return before.definition
    const { servers } = await definitions.load()
    const definition = servers.find((one) => one.definition.id === server)?.definition
    known.set(server, { stamp, definition })
    return definition
  }
}

async function missingCredential(
  { owner, vault }: ReadinessDeps,
  { id, auth }: ServerDefinition,
): Promise<Problem | undefined> {
  for (const ref of Object.values(auth)) {
    if (await vault.resolves(owner, ref)) continue
    if (isStored(ref) && (await vault.status?.())?.state === 'locked') {
      return {
        code: 'servers.vault-locked',
        message: `${id} needs ${showSecretRef(ref)}, and the vault is locked`,
        hint: 'Run `cordon vault unlock`',
      }
    }
    return {
      code: 'servers.no-credential',
      message: `${id} needs ${showSecretRef(ref)}, which is not there`,
      hint: remedyFor(id, ref),
    }
  }
  return undefined
}

function isStored({ scheme }: SecretRef): boolean {
  return scheme === 'vault' || scheme === 'oauth'
}

function remedyFor(server: ServerId, { scheme, name }: SecretRef): string {
  if (scheme === 'oauth') return `Run \`cordon connect ${server}\` to sign in`
  return scheme === 'vault' ? `Run \`cordon vault set ${name}\`` : 'Set it'
}

async function scopeProblem(
  { tokens }: ReadinessDeps,
  definition: ServerDefinition,
  tools: readonly string[],
): Promise<Problem | undefined> {
  const missing = await missingScopes(tokens, definition, tools)
  if (missing.length === 0) return undefined
  return {
    code: 'servers.no-scope',
    message: `${definition.id} needs the permission ${missing.join(', ')}, which was not granted`,
    hint: `Run \`cordon connect ${definition.id}\` to sign in again`,
  }
}
