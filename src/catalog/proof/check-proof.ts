/**
 * After npm has fetched the archives: looks through each of them for entries that lead elsewhere, and verifies what the
 * registry has to prove about the wanted one. Runs in the install sandbox; the only host in reach is the registry's.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { cannotInstall } from '../install/install-errors.ts'
import { type Lockfile, nameAt } from '../install/lockfile.ts'
import type { NpmTask, StepParts } from '../install/npm-task.ts'
import type { PackageFacts } from '../install/package-facts.ts'
import type { Registry } from '../install/registry.ts'
import { runInside } from '../python/run-inside.ts'
import type { Proof, ProofAnswer, ProofJob } from './proof-job.ts'

const SILENCE_MS = 30_000

const Answer: z.ZodType<ProofAnswer> = z.object({
  unsafe: z.string().max(500).exactOptional(),
  signature: z.enum(['npm', 'registry', 'none', 'unknown', 'bad']),
  provenance: z
    .object({ repository: z.string().max(300), workflow: z.string().max(300).exactOptional() })
    .exactOptional(),
  unproven: z.string().max(300).exactOptional(),
})

interface Proving {
  readonly name: string
  readonly version: string
  readonly integrity: string
  readonly facts: PackageFacts
  readonly lock: Lockfile
}

export async function checkProof(
  parts: StepParts,
  task: NpmTask,
  { name, version, integrity, facts, lock }: Proving,
  signal: AbortSignal,
): Promise<Proof> {
  const { server, what, registry, part } = task
  const job: ProofJob = {
    name,
    version,
    integrity,
    ...(facts.publishedAt !== undefined && { publishedAt: facts.publishedAt }),
    signatures: facts.signatures ?? [],
    hasAttestations: facts.hasProvenance,
    registry: registry.url.replace(/\/?$/, '/'),
    hosts: [`${registry.host}:${registry.port}`],
    npmPath: parts.npmPath,
    ...(parts.trustedRoot !== undefined && { trustedRoot: parts.trustedRoot }),
    cache: part.cache,
    archives: [...lock.integrity].map(([place, hash]) => ({
      name: nameAt(place),
      integrity: hash,
      isFetched: !lock.bundled.has(place) && existsSync(path.join(part.tree, place)),
    })),
    silenceMs: parts.silenceMs ?? SILENCE_MS,
  }
  const file = path.join(part.notes, 'proof.json')
  await writeFile(file, JSON.stringify(job), { mode: 0o644 })
  const index = { ...registry, moreHosts: [], login: loginOf(registry) }
  const args = [workerFile(), file]
  const run = { server, part, command: 'node', args, index, writePaths: [part.cache] } as const
  const { stdout, stderr } = await runInside(parts, run, signal)
  const answer = parseAnswer(stdout)
  if (!answer) {
    const cause = new Error(stderr)
    throw cannotInstall('unsafe-package', what, 'an archive of it cannot be read', cause)
  }
  const { unsafe, signature, ...proof } = answer
  if (unsafe !== undefined) throw cannotInstall('unsafe-package', what, unsafe)
  if (signature === 'bad') {
    throw cannotInstall('integrity', what, "the registry's signature is not of this archive")
  }
  return { ...proof, signature }
}

function parseAnswer(text: string): ProofAnswer | undefined {
  try {
    return Answer.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** npm's own settings, as the header that npm makes of them; npm keeps the password in base64. */
export function loginOf({ login }: Pick<Registry, 'login'>): { readonly authorization?: string } {
  const find = (end: string): string | undefined =>
    Object.entries(login).find(([key]) => key.endsWith(end))?.[1]
  const [token, basic] = [find(':_authToken'), find(':_auth')]
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (basic !== undefined) return { authorization: `Basic ${basic}` }
  const [name, password] = [find(':username'), find(':_password')]
  if (name === undefined || password === undefined) return {}
  const pair = `${name}:${Buffer.from(password, 'base64').toString('utf8')}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** Beside this file: `.ts` in development, bundled `.js` when installed. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(
    new URL(isSource ? './proof-worker.ts' : './proof-worker.js', import.meta.url),
  )
}
