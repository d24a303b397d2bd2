/** Trusted keys as the npm that came with Cordon ships them: Sigstore's trusted root, and npm's own signing keys. */
import { createRequire } from 'node:module'
import { z } from 'zod'
import type { RegistryKey } from './verify-signature.ts'

const Seeds = z.record(z.string(), z.object({ targets: z.record(z.string(), z.string()) }))
const Keys = z.object({
  keys: z.array(
    z.object({
      keyId: z.string(),
      keyUsage: z.string(),
      publicKey: z.object({
        rawBytes: z.string(),
        validFor: z.object({ end: z.string().optional() }).optional(),
      }),
    }),
  ),
})

export interface ShippedTrust {
  readonly trustedRoot: unknown
  readonly keys: readonly RegistryKey[]
}

export function readShippedTrust(npmPath: string): ShippedTrust {
  const load = createRequire(npmPath)
  const seeds = Object.values(Seeds.parse(load('@sigstore/tuf/seeds.json')))
  const targets = seeds.flatMap((one) => Object.entries(one.targets))
  const json = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
  const root = targets.find(([name]) => name === 'trusted_root.json')?.[1] ?? 'bnVsbA=='
  const keys = targets
    .filter(([name]) => name.endsWith('keys.json'))
    .flatMap(([, text]) => Keys.parse(json(text)).keys)
    .filter(({ keyUsage }) => keyUsage === 'npm:signatures')
    .map(({ keyId: keyid, publicKey: { rawBytes: key, validFor } }) => {
      return { keyid, key, ...(validFor?.end !== undefined && { expires: validFor.end }) }
    })
  return { trustedRoot: json(root), keys }
}
