/**
 * Asks the resolver once and keeps only addresses that may be dialled: public ones that are not this machine's own, and
 * where an owner named a host of a private network, those.
 * Whoever dials uses these and never asks again, so a name that changes its answer in between gains nothing.
 */
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPublicAddress } from './address-class.ts'
import { createLane } from './lane.ts'

export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

export type Vetted =
  | { readonly kind: 'vetted'; readonly addresses: readonly string[] }
  /** The name points only to places that nobody behind a cordon may reach. */
  | { readonly kind: 'private' }
  | { readonly kind: 'unresolved'; readonly cause: unknown }

export type Vet = (host: string, signal: AbortSignal) => Promise<Vetted>

export interface VetParts {
  readonly resolve?: Resolve
  /** Addresses that are allowed although they are not public; only tests have any. */
  readonly dangerouslyAllowAddress?: (address: string) => boolean
  /** Addresses that are as good as public ones for this caller. This machine's own are none of them. */
  readonly isNearby?: (address: string) => boolean
  readonly now: () => number
  readonly timeoutMs: number
}

const OWN_ADDRESSES_LAST_MS = 5000
/** A lookup holds one of the four threads that the whole process has for files too, and cannot be stopped. */
const LOOKUPS_AT_ONCE = 2

/** One for each server: a server whose names take long to resolve waits for itself. */
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

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true })
  return answers.map(({ address }) => address)
}

/** A public address of this machine is still this machine: its services trust what comes from itself. */
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

/** The system's lookup cannot be stopped, only left behind. */
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
