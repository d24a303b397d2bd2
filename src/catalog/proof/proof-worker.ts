/**
 * The program in the install sandbox that looks through the archives of a package, and verifies the registry's signature
 * and the provenance statement. Everything it reads is untrusted. Its job is a file, its answer one line of JSON.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { askIndex, type AskParts } from '../python/ask-index.ts'
import { Unfit } from '../install/unfit.ts'
import { checkArchive } from './check-archive.ts'
import type { ProofAnswer, ProofJob, SignatureVerdict } from './proof-job.ts'
import { readShippedTrust, type ShippedTrust } from './shipped-trust.ts'
import { verifyProvenance } from './verify-provenance.ts'
import { type RegistryKey, verifySignature } from './verify-signature.ts'

const LOGIN_VARIABLE = 'CORDON_INDEX_AUTHORIZATION'
const SLSA = 'https://slsa.dev/provenance/'

async function answerJob(job: ProofJob): Promise<ProofAnswer> {
  const unsafe = await findUnsafe(job)
  if (unsafe !== undefined) return { unsafe, signature: 'unknown' }
  const trust = readShippedTrust(job.npmPath)
  return { signature: await judgeSignature(job, trust), ...(await judgeProvenance(job, trust)) }
}

async function findUnsafe({ cache, archives }: ProofJob): Promise<string | undefined> {
  for (const { name, integrity, isFetched } of archives) {
    const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    const parts = [hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)]
    const file = path.join(cache, '_cacache', 'content-v2', 'sha512', ...parts)
    // npm keeps no archive that its registry marks `no-store`, and unpacks it all the same.
    const isKept = existsSync(file)
    if (!isKept && isFetched) {
      return `an archive of it was not kept, so it cannot be looked through (${JSON.stringify(name)})`
    }
    if (!isKept) continue
    try {
      await checkArchive(file)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      return `${error.message} (${JSON.stringify(name)})`
    }
  }
  return undefined
}

async function judgeSignature(job: ProofJob, { keys }: ShippedTrust): Promise<SignatureVerdict> {
  const shipped = verifySignature(job, keys, Date.now())
  if (shipped === 'good') return 'npm'
  if (shipped !== 'unknown') return shipped
  const verdict = verifySignature(job, await askKeys(job), Date.now())
  return verdict === 'good' ? 'registry' : verdict
}

const Keys = z.object({
  keys: z.array(
    z.object({ keyid: z.string(), key: z.string(), expires: z.string().nullish().catch(null) }),
  ),
})

async function askKeys(job: ProofJob): Promise<readonly RegistryKey[]> {
  const found = Keys.safeParse(await askJson(job, '-/npm/v1/keys')).data?.keys ?? []
  return found.map(({ keyid, key, expires }) => ({
    keyid,
    key,
    ...(typeof expires === 'string' && { expires }),
  }))
}

const Attestations = z.object({
  attestations: z.array(z.object({ predicateType: z.string(), bundle: z.unknown() })),
})

async function judgeProvenance(
  job: ProofJob,
  shipped: ShippedTrust,
): Promise<Pick<ProofAnswer, 'provenance' | 'unproven'>> {
  if (!job.hasAttestations) return {}
  const { name, version, npmPath } = job
  const place = `-/npm/v1/attestations/${encodeURIComponent(name)}@${version}`
  const found = Attestations.safeParse(await askJson(job, place)).data?.attestations
  const bundle = found?.find(({ predicateType }) => predicateType.startsWith(SLSA))?.bundle
  if (bundle === undefined) {
    return { unproven: 'the registry announces a provenance statement and does not have it' }
  }
  const trustedRoot = job.trustedRoot ?? shipped.trustedRoot
  try {
    return { provenance: verifyProvenance(bundle, job, { npmPath, trustedRoot }) }
  } catch (error) {
    return {
      unproven: error instanceof Unfit ? error.message : 'its provenance statement cannot be read',
    }
  }
}

/** Undefined if the registry has no such page, or no answer. */
async function askJson({ registry, hosts, silenceMs }: ProofJob, place: string): Promise<unknown> {
  // oxlint-disable-next-line node/no-process-env -- this is a program of its own; its login comes in the environment
  const authorization = process.env[LOGIN_VARIABLE]
  const parts: AskParts = {
    hosts,
    silenceMs,
    answered: () => undefined,
    ...(authorization !== undefined && { authorization }),
  }
  try {
    const found = await askIndex(parts, `${registry}${place}`, 'application/json')
    return found && JSON.parse(found.text)
  } catch {
    return undefined
  }
}

/** The sandbox closes the input to ask a program to end. */
process.stdin.on('end', () => {
  // oxlint-disable-next-line unicorn/no-process-exit -- nothing is half written that anybody would use
  process.exit(130)
})
process.stdin.resume().unref()
const [, , file = ''] = process.argv
const answer = await answerJob(JSON.parse(readFileSync(file, 'utf8')) as ProofJob)
process.stdout.write(`${JSON.stringify(answer)}\n`)
