/**
 * Resolves a name once and keeps only addresses that may be dialled: public ones that are not this machine's own, and
 * for a tunnel also private ones. The caller dials these addresses and never resolves again, which stops DNS rebinding.
 */
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPublicAddress } from './address-class.ts'
import { createLane } from '../proxy/lane.ts'

export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

export type Vetted =
  | { readonly kind: 'vetted'; readonly addresses: readonly string[] }
  /** The name resolves only to addresses that a server may not reach. */
  | { readonly kind: 'private' }
  | { readonly kind: 'unresolved'; readonly cause: unknown }

export type Vet = (host: string, signal: AbortSignal) => Promise<Vetted>

export interface VetParts {
  readonly resolve?: Resolve
  /** Addresses that are allowed although not public: loopback for a tunnel, hosts of the owner's settings, tests. */
  readonly dangerouslyAllowAddress?: (address: string) => boolean
  /** Private addresses that this caller may reach like public ones. Never this machine's own. */
  readonly isNearby?: (address: string) => boolean
  readonly now: () => number
  readonly timeoutMs: number
}

const OWN_ADDRESSES_LAST_MS = 5000
/** A lookup holds one of the four libuv threads, which files use too, and cannot be cancelled. */
const LOOKUPS_AT_ONCE = 2

/** One for each server, so that slow lookups of one server delay only that server. */
export function createVet(parts: VetParts): Vet {
  const { resolve = resolveBySystem, now, timeoutMs } = parts
  const { dangerouslyAllowAddress = () => false, isNearby = () => false } = parts
  const inLine = createLane(LOOKUPS_AT_ONCE)
  const isOwn = createOwnAddresses(now)
  const mayDial = (address: string): boolean =>
    dangerouslyAllowAddress(address) ||
    ((isPublicAddress(address) || isNearby(address)) && !isOwn(address))
  return async (host, signal) => {
    try {
      const answers = await beforeDeadline(
        inLine(() => resolve(host, signal)),
        timeoutMs,
        signal,
      )
      const addresses: string[] = []
      for (const answer of answers) {
        const address = canonicalAddress(answer)
        if (address === undefined || addresses.includes(address)) continue
        if (mayDial(address)) addresses.push(address)
      }
      if (addresses.length > 0) return { kind: 'vetted', addresses }
      if (answers.length > 0) return { kind: 'private' }
      return { kind: 'unresolved', cause: new Error('the name has no address') }
    } catch (cause) {
      return { kind: 'unresolved', cause }
    }
  }
}

/**
 * The name is absolute (RFC 1034 §3.1), so no search list of this machine is tried: `host` in a list of `example.org`
 * would be looked up, and dialled, as another host than the allowed one. The hosts file knows no absolute names, so it is
 * read for a name that the resolver does not have.
 */
async function resolveBySystem(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  try {
    const answers = await lookup(host.endsWith('.') ? host : `${host}.`, { all: true })
    return answers.map(({ address }) => address)
  } catch (error) {
    const named = addressesIn(await readFile('/etc/hosts', 'utf8').catch(() => ''), host)
    if (named.length > 0) return named
    throw error
  }
}

/** The addresses that a hosts file gives to a name (hosts(5)). */
function addressesIn(hostsFile: string, host: string): readonly string[] {
  const wanted = host.toLowerCase().replace(/\.$/, '')
  return hostsFile.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return names.some((name) => name.toLowerCase() === wanted) ? [address] : []
  })
}

/** A public address of this machine is refused too: local services trust connections from the machine itself. */
function createOwnAddresses(now: () => number): (address: string) => boolean {
  let known = new Set<string | undefined>()
  let readAt = Number.NEGATIVE_INFINITY
  return (address) => {
    if (Math.abs(now() - readAt) > OWN_ADDRESSES_LAST_MS) {
      const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
      known = new Set(interfaces.map((found) => canonicalAddress(found.address)))
      readAt = now()
    }
    return known.has(address)
  }
}

/** A system lookup cannot be cancelled, only abandoned. */
function beforeDeadline<T>(
  promise: Promise<T>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
    const leave = (): void => {
      end()
      reject(new Error('the resolver did not answer in time'))
    }
    const timer = setTimeout(leave, timeoutMs)
    signal.addEventListener('abort', leave)
    promise.finally(end).then(resolve, reject)
  })
}
