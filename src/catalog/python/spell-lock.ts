/**
 * The lock of an installed Python package: every wheel with its version and SHA-256, and no address. What the program in
 * the sandbox found is checked line by line before anything of it is fetched.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { Unfit } from '../install/unfit.ts'
import { isPythonName, normalName } from './normal-name.ts'
import type { JobAnswer, LockedWheel } from './python-job.ts'
import { compareVersions, parseVersion } from './version.ts'
import { parseWheelName } from './wheel-name.ts'

export const LOCK_FILE = 'python-lock.json'

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const Wheel = z.object({
  name: z.string(),
  version: z.string(),
  file: z.string().max(300),
  url: z.string(),
  sha256: hex,
  metadata: hex.exactOptional(),
})
const problem = z.enum([
  'no-such-package',
  'vanished',
  'bad-package',
  'integrity',
  'unsafe-package',
  'registry-login',
  'registry-unreachable',
  'registry-certificate',
  'disk-full',
])
const Answer: z.ZodType<JobAnswer> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('resolved'),
    wheels: z.array(Wheel).max(500),
    claims: z.object({
      author: z.string().exactOptional(),
      uploadedAt: z.number().exactOptional(),
      isYanked: z.boolean(),
    }),
  }),
  z.object({ kind: z.literal('fetched'), refused: z.array(z.string()) }),
  z.object({
    kind: z.literal('versions'),
    versions: z.array(z.object({ version: z.string(), isYanked: z.boolean() })),
  }),
  z.object({ kind: z.literal('problem'), problem, why: z.string().max(500) }),
])

/** Undefined if it is no answer. */
export function parseAnswer(text: string): JobAnswer | undefined {
  try {
    return Answer.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Throws `Unfit` unless each wheel is of the package it is said to be, at a host that may be reached, and named once. */
export function checkWheels(wheels: readonly LockedWheel[], hosts: readonly string[]): void {
  const seen = new Set<string>()
  for (const wheel of wheels) {
    const shown = JSON.stringify(wheel.file)
    const name = JSON.stringify(wheel.name)
    if (!isWhatItSays(wheel)) throw new Unfit(`${shown} is no wheel of ${name}`)
    if (!isAt(wheel.url, hosts)) throw new Unfit(`${shown} is not at the Python index`)
    if (seen.has(wheel.name)) throw new Unfit(`${name} comes twice`)
    seen.add(wheel.name)
  }
}

function isWhatItSays({ name, version, file }: LockedWheel): boolean {
  const parsed = parseWheelName(file)
  const wanted = parseVersion(version)
  if (!parsed || !wanted || !isPythonName(name) || normalName(name) !== name) return false
  return parsed.name === name && compareVersions(parsed.version, wanted) === 0
}

function isAt(url: string, hosts: readonly string[]): boolean {
  const place = URL.parse(url)
  return place?.protocol === 'https:' && hosts.includes(`${place.hostname}:${place.port || 443}`)
}

interface LockFacts {
  /** The version that it was resolved for. */
  readonly python: string
  readonly extras: readonly string[]
}

export function spellLock(wheels: readonly LockedWheel[], { python, extras }: LockFacts): string {
  const rows = [...wheels].sort((a, b) => a.name.localeCompare(b.name))
  const packages = rows.map(({ name, version, file, sha256 }) => ({ name, version, file, sha256 }))
  const chosen = extras.length > 0 ? { extras } : {}
  return `${JSON.stringify({ format: 1, python, ...chosen, packages }, undefined, 2)}\n`
}

const Extras = z.object({ extras: z.array(z.string()).optional() })

/** The extras with which an installed package was resolved; throws an ordinary error if there is no lock. */
export async function readExtras(folder: string): Promise<readonly string[]> {
  const text = await readFile(path.join(folder, LOCK_FILE), 'utf8')
  return Extras.parse(JSON.parse(text)).extras ?? []
}
