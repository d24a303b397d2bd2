/**
 * The owner's consent that a server runs without a sandbox: bound to one server and to the hash of how it is launched,
 * so any change of the launch asks again. The definition alone is never enough: other programs can write that file.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Audit, Consents } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { launchHashOf } from './launch-hash.ts'

export interface BareConsent {
  holds(definition: ServerDefinition): Promise<boolean>
  give(definition: ServerDefinition): Promise<void>
  withdraw(server: ServerId): Promise<void>
}

interface ConsentDeps {
  readonly consents: Consents
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly owner: PrincipalId
}

export function createBareConsent({ consents, audit, owner }: ConsentDeps): BareConsent {
  const subjectOf = (server: ServerId): string => `unsandboxed:${server}`
  const record = async (kind: 'servers.unsandbox' | 'servers.sandbox', server: ServerId) =>
    await audit.appendDurable({ kind, principal: owner, subject: server })
  return {
    async holds(definition) {
      if (!asksForNone(definition)) return false
      return (await consents.given(subjectOf(definition.id))) === launchHashOf(definition)
    },
    async give(definition) {
      if (!asksForNone(definition)) throw notAsked(definition.id)
      await record('servers.unsandbox', definition.id)
      await consents.give(subjectOf(definition.id), launchHashOf(definition))
    },
    async withdraw(server) {
      await record('servers.sandbox', server)
      await consents.withdraw(subjectOf(server))
    },
  }
}

function asksForNone({ command, sandbox }: ServerDefinition): boolean {
  return command !== undefined && sandbox.mode === 'none'
}

function notAsked(server: ServerId): CordonError {
  return new CordonError(
    'servers.sandboxed',
    {
      exit: 2,
      hint: `Leave it as it is, or set \`mode = "none"\` under [sandbox]; \`cordon mcp show ${server}\` names the file`,
    },
    `Cannot let ${JSON.stringify(server)} run without a sandbox: its definition asks for one`,
  )
}
