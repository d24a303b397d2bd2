/** Whether a server could be used now: its credentials are there, and its token allows what it needs. Asks no server. */
import type { Definitions, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import { type SecretRef, showSecretRef } from '../kernel/secret-ref.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Tokens } from '../kernel/setup-port.ts'

export interface ReadinessDeps {
  readonly owner: PrincipalId
  readonly definitions: Pick<Definitions, 'load'>
  readonly vault: Pick<Vault, 'resolves'>
  readonly tokens: Pick<Tokens, 'status'>
}

/** Why the server cannot be used now; undefined where it can. */
export type Readiness = (server: ServerId) => Promise<Problem | undefined>

export function createReadiness(deps: ReadinessDeps): Readiness {
  return async (server) => {
    const { servers } = await deps.definitions.load()
    const definition = servers.find((one) => one.definition.id === server)?.definition
    if (!definition) return undefined // the checker says so in its own words
    if (!definition.enabled) {
      return {
        code: 'servers.switched-off',
        message: `${server} is switched off`,
        hint: `Run \`cordon mcp enable ${server}\``,
      }
    }
    return (await missingCredential(deps, definition)) ?? (await missingScope(deps, definition))
  }
}

async function missingCredential(
  { owner, vault }: ReadinessDeps,
  { id, auth }: ServerDefinition,
): Promise<Problem | undefined> {
  for (const ref of Object.values(auth)) {
    if (await vault.resolves(owner, ref)) continue
    return {
      code: 'servers.no-credential',
      message: `${id} needs ${showSecretRef(ref)}, which is not there`,
      hint: remedyFor(id, ref),
    }
  }
  return undefined
}

function remedyFor(server: ServerId, { scheme, name }: SecretRef): string {
  if (scheme === 'oauth') return `Run \`cordon connect ${server}\` to sign in`
  return scheme === 'vault' ? `Run \`cordon vault set ${name}\`` : 'Set it'
}

/** A provider that says nothing about scopes is taken to have given what was asked for. */
async function missingScope(
  { tokens }: ReadinessDeps,
  { id, auth, scopes }: ServerDefinition,
): Promise<Problem | undefined> {
  const names = new Set(
    Object.values(auth)
      .filter(({ scheme }) => scheme === 'oauth')
      .map(({ name }) => name),
  )
  if (names.size === 0 || scopes.length === 0) return undefined
  const statuses = (await tokens.status()).filter(({ name }) => names.has(name))
  for (const { scope } of statuses) {
    if (scope === undefined) continue
    const granted = new Set(scope.split(/[\s,]+/))
    const missing = scopes.filter((one) => !granted.has(one))
    if (missing.length === 0) continue
    return {
      code: 'servers.no-scope',
      message: `${id} needs the permission ${missing.join(', ')}, which was not granted`,
      hint: `Run \`cordon connect ${id}\` to sign in again`,
    }
  }
  return undefined
}
