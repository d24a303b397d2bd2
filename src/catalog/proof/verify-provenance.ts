/**
 * A provenance statement (SLSA, in a Sigstore bundle), verified offline: certificate chain and its log, signature, entry
 * in the transparency log; then whether it is about this very archive. The verifier is the one that came with npm, and
 * the trusted root is npm's too, as shipped.
 */
import { createRequire } from 'node:module'
import { z } from 'zod'
import { Unfit } from '../install/unfit.ts'
import { type Certified, comparePlaces } from './compare-places.ts'
import type { Provenance } from './proof-job.ts'

interface Verified {
  readonly identity?: {
    readonly subjectAlternativeName?: string
    readonly oids?: readonly {
      readonly oid?: { readonly id: readonly number[] }
      readonly value: Buffer
    }[]
  }
}
interface VerifyModule {
  readonly Verifier: new (material: unknown) => { verify(entity: unknown): Verified }
  readonly toTrustMaterial: (root: unknown) => unknown
  readonly toSignedEntity: (bundle: unknown) => unknown
}

const Statement = z.object({
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha512: z.string() }) })).min(1),
  predicateType: z.string(),
  predicate: z.unknown(),
})
const SLSA = 'https://slsa.dev/provenance/'
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
  const certified = verifyBundle(bundle, trust)
  const payload = Buffer.from(Bundle.parse(bundle).dsseEnvelope.payload, 'base64').toString('utf8')
  const statement = Statement.safeParse(JSON.parse(payload)).data
  if (!statement) throw new Unfit('its provenance statement cannot be read')
  const digest = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const isAbout = statement.subject.some((one) => one.digest.sha512 === digest && one.name === purl)
  if (!isAbout) throw new Unfit('its provenance statement is about another archive')
  if (!statement.predicateType.startsWith(SLSA)) {
    throw new Unfit('its provenance statement is of another kind')
  }
  return comparePlaces(statement.predicate, certified)
}

const FULCIO = '1.3.6.1.4.1.57264.1'
const SOURCE_REPOSITORY = `${FULCIO}.12`
const BUILD_CONFIG = `${FULCIO}.18`

function certifiedBy({
  subjectAlternativeName = '',
  oids = [],
}: NonNullable<Verified['identity']>): Certified {
  const find = (wanted: string): string | undefined => {
    const found = oids.find(({ oid }) => oid?.id.join('.') === wanted)
    return found && utf8In(found.value)
  }
  const [source, build] = [find(SOURCE_REPOSITORY), find(BUILD_CONFIG)]
  return {
    called: subjectAlternativeName,
    ...(source !== undefined && { source }),
    ...(build !== undefined && { build }),
  }
}

const UTF8_STRING = 0x0c

/** A DER UTF8String that fills the value; undefined for anything else. Lengths below 128 are one byte, longer ones follow it. */
function utf8In(value: Buffer): string | undefined {
  const [tag, first = 0] = value
  const more = first < 0x80 ? 0 : first - 0x80
  const length = more === 0 ? first : Number.parseInt(value.toString('hex', 2, 2 + more), 16)
  const text = value.subarray(2 + more)
  return tag === UTF8_STRING && text.length === length ? text.toString('utf8') : undefined
}

function verifyBundle(
  bundle: unknown,
  { npmPath, trustedRoot }: { readonly npmPath: string; readonly trustedRoot: unknown },
): Certified {
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
    return certifiedBy(identity ?? {})
  } catch (cause) {
    throw new Unfit('its provenance statement is not signed by whom it says', { cause })
  }
}
