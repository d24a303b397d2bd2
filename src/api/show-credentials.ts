/** The credentials of a server, as they are shown: references and whether they resolve, never a value. */
import type { Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'

export interface ShownCredential {
  readonly key: string
  readonly ref: string
  readonly present: boolean
  /** The hosts that are told it; the server itself gets a placeholder. Absent: the server holds it. */
  readonly sealedFor?: readonly string[]
}

export async function showCredentials(
  { auth, sealed = {} }: ServerDefinition,
  vault: Pick<Vault, 'resolves'>,
  principal: PrincipalId,
): Promise<readonly ShownCredential[]> {
  const seals = new Map(Object.entries(sealed))
  const shown = Object.entries(auth).map(async ([key, ref]) => {
    const sealedFor = seals.get(key)
    const present = await vault.resolves(principal, ref)
    return { key, ref: showSecretRef(ref), present, ...(sealedFor && { sealedFor }) }
  })
  return await Promise.all(shown)
}
