/** Paths of this machine that no server ever sees, whatever its definition says. Pure: a path in, a reason out. */
import path from 'node:path'

export interface PrivatePlaces {
  readonly cordonHome: string
  readonly userHome: string
}

/** Names that make a path private wherever they occur in it, so also in the homes of other people. */
const PRIVATE_NAMES = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.git-credentials',
  '.pgpass',
  '.password-store',
  '.mozilla',
])

const PRIVATE_IN_HOME = [...PRIVATE_NAMES, '.config/gcloud', '.config/gh', '.local/share/keyrings']

const PRIVATE_ON_MACHINE = [
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/var/run',
  '/boot',
  '/var/lib/docker',
  '/var/lib/containers',
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
]

/** Below `packages`, the only path that a sandbox may write to: a package that is still being installed. */
const IN_THE_MAKING = /^\.part-[^/]+\/./

/** The reason why a server may not see or write a path (absolute, links resolved); undefined if it may. */
export function privateBecause(
  target: string,
  places: PrivatePlaces,
  use: 'read' | 'write' = 'read',
): string | undefined {
  const packages = path.join(places.cordonHome, 'packages')
  if (isWithin(target, packages)) {
    const isOpen = use === 'read' || IN_THE_MAKING.test(path.relative(packages, target))
    return isOpen ? undefined : `only an installer writes to ${JSON.stringify(packages)}`
  }
  const whole = wholeBecause(target, places)
  if (whole !== undefined) return whole
  const named = target.split('/').find((part) => PRIVATE_NAMES.has(part))
  if (named !== undefined) return `it lies in ${JSON.stringify(named)}`
  const all = [
    ...PRIVATE_IN_HOME.map((name) => path.join(places.userHome, name)),
    ...PRIVATE_ON_MACHINE,
  ]
  for (const place of all) {
    if (isWithin(target, place)) return `it lies in ${JSON.stringify(place)}`
    if (isWithin(place, target)) return `it holds ${JSON.stringify(place)}`
  }
  return undefined
}

/** The places that people name most often, in words of their own. */
function wholeBecause(target: string, { userHome, cordonHome }: PrivatePlaces): string | undefined {
  if (target === '/') return 'it is the whole machine'
  if (target === userHome) return 'it is your whole home folder, with your keys in it'
  if (isWithin(target, cordonHome)) return "it lies in Cordon's own home"
  return isWithin(cordonHome, target) ? "it holds Cordon's own home" : undefined
}

export function isWithin(target: string, folder: string): boolean {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  return target === folder || target.startsWith(prefix)
}
