/**
 * A provenance statement (SLSA, in a Sigstore bundle), verified offline: certificate chain and its log, signature, entry
 * in the transparency log; then whether it is about this very archive. The verifier is the one that came with npm, and
 * the trusted root is npm's too, as shipped.
 */
import { createRequire } from 'node:module'
import { z } from 'zod'
import { Unfit } from '../install/unfit.ts'
import type { Provenance } from './proof-job.ts'

interface Verified {
  readonly identity?: { readonly subjectAlternativeName?: string }
}
interface VerifyModule {
  readonly Verifier: new (material: unknown) => { verify(entity: unknown): Verified }
  readonly toTrustMaterial: (root: unknown) => unknown
  readonly toSignedEntity: (bundle: unknown) => unknown
}

const Statement = z.object({
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha512: z.string() }) })).min(1),
  predicateType: z.string(),
  predicate: z.object({
    buildDefinition: z
      .object({
        externalParameters: z.object({
          workflow: z.object({ repository: z.string(), path: z.string().optional() }),
        }),
      })
      .optional(),
  }),
})
const Bundle = z.object({ dsseEnvelope: z.object({ payload: z.string() }) })

export interface Proven {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

/** Throws `Unfit` with the reason. `npmPath`: any file of the npm whose verifier is used. */
export function verifyProvenance(
  bundle: unknown,
  { name, version, integrity }: Proven,
  trust: { readonly npmPath: string; readonly trustedRoot: unknown },
): Provenance {
  const workflow = verifyBundle(bundle, trust)
  const payload = Buffer.from(Bundle.parse(bundle).dsseEnvelope.payload, 'base64').toString('utf8')
  const statement = Statement.safeParse(JSON.parse(payload)).data
  if (!statement) throw new Unfit('its provenance statement cannot be read')
  const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const isAbout = statement.subject.some((one) => one.digest.sha512 === digest && one.name === purl)
  if (!isAbout) throw new Unfit('its provenance statement is about another archive')
  const said = statement.predicate.buildDefinition?.externalParameters.workflow
  const repository = said?.repository ?? ''
  // The statement is written by the build; the certificate, by the authority that saw where the build ran.
  if (repository === '' || !workflow.startsWith(`${repository}/`)) {
    throw new Unfit('its provenance statement names another repository than its certificate')
  }
  return { repository, ...(said?.path !== undefined && { workflow: said.path }) }
}

/** The address of the workflow in the certificate. */
function verifyBundle(
  bundle: unknown,
  { npmPath, trustedRoot }: { readonly npmPath: string; readonly trustedRoot: unknown },
): string {
  const load = createRequire(npmPath)
  const { Verifier, toTrustMaterial, toSignedEntity } = load('@sigstore/verify') as VerifyModule
  const { bundleFromJSON } = load('@sigstore/bundle') as {
    readonly bundleFromJSON: (json: unknown) => unknown
  }
  const { TrustedRoot } = load('@sigstore/protobuf-specs') as {
    TrustedRoot: { fromJSON(json: unknown): unknown }
  }
  try {
    const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(trustedRoot)))
    const { identity } = verifier.verify(toSignedEntity(bundleFromJSON(bundle)))
    return identity?.subjectAlternativeName ?? ''
  } catch (cause) {
    throw new Unfit('its provenance statement is not signed by whom it says', { cause })
  }
}
