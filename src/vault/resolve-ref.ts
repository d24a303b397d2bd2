/** Resolves one secret reference to its bytes. The only place that knows the meaning of each scheme. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { SecretRef, SecretScheme } from '../kernel/secret-ref.ts'
import { openSecretFile, readSecretFile, type SecretFilePlaces } from './secret-file.ts'
import { secretDamaged } from './vault-errors.ts'

export interface RefSources extends SecretFilePlaces {
  /** The value of one of the owner's own secrets; the caller wipes it. */
  readonly readSecret: (name: string) => Promise<Buffer>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}

/** The stored token response. Other fields (scope, provider, refresh_token) are not lent. */
const tokenShape = z.object({
  access_token: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
})

type Resolve = (name: string, sources: RefSources) => Promise<Buffer>

const RESOLVE: Readonly<Record<SecretScheme, Resolve>> = {
  vault: (name, sources) => sources.readSecret(name),
  env: async (name, sources) => readVariable(name, sources.environment),
  file: readSecretFile,
  oauth: readToken,
}

/** The caller wipes the result. */
export async function resolveRef(ref: SecretRef, sources: RefSources): Promise<Buffer> {
  return await RESOLVE[ref.scheme](ref.name, sources)
}

/** The name of the vault secret behind a reference; undefined for a secret outside the vault. */
export function storedName(ref: SecretRef): string | undefined {
  if (ref.scheme === 'vault') return ref.name
  return ref.scheme === 'oauth' ? tokenName(ref.name) : undefined
}

/** Whether a reference to a variable or file resolves. Reads no value. */
export async function isPresentOutside(
  ref: SecretRef,
  sources: Omit<RefSources, 'readSecret'>,
): Promise<boolean> {
  if (ref.scheme === 'env') return Boolean(variable(ref.name, sources.environment))
  try {
    await using _file = await openSecretFile(ref.name, sources)
    return true
  } catch {
    return false
  }
}

function readVariable(name: string, environment: RefSources['environment']): Buffer {
  const value = variable(name, environment)
  if (value) return Buffer.from(value)
  throw new CordonError(
    'vault.missing',
    {
      exit: 5,
      hint: `Set ${name} where Cordon is started, or store the value with \`cordon vault set\` instead`,
    },
    `Cannot lend environment variable ${JSON.stringify(name)}`,
  )
}

function variable(name: string, environment: RefSources['environment']): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}

function tokenName(name: string): string {
  return `oauth/${name}`
}

async function readToken(name: string, sources: RefSources): Promise<Buffer> {
  const stored = tokenName(name)
  const bytes = await sources.readSecret(stored)
  const token = parseToken(bytes)
  bytes.fill(0)
  if (!token) throw secretDamaged(stored)
  if (token.expires_at && Date.parse(token.expires_at) <= sources.now()) {
    throw new CordonError(
      'vault.expired',
      { exit: 5, hint: `Sign in again with \`cordon connect ${name}\`` },
      `Cannot lend the token of ${JSON.stringify(name)}: it expired at ${token.expires_at}`,
    )
  }
  return Buffer.from(token.access_token)
}

function parseToken(bytes: Buffer): z.infer<typeof tokenShape> | undefined {
  try {
    return tokenShape.parse(JSON.parse(bytes.toString()))
  } catch {
    return undefined
  }
}
