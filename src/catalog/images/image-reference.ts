/** The name of an image, as `docker run` takes it: `ghcr.io/acme/notes:1.2@sha256:…`. Pure. */

export interface ImageReference {
  /** Host of the registry, perhaps with a port; as people write it. */
  readonly registry: string
  /** `acme/notes`. */
  readonly repository: string
  readonly tag?: string
  /** `sha256:…` */
  readonly digest?: string
}

const DEFAULT_REGISTRY = 'docker.io'
/** The name under which the API of the default registry is reached. */
const REACHED_AT: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' }
const FORMER_NAMES = new Set(['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'])
export const DIGEST: RegExp = /^sha256:[0-9a-f]{64}$/
const TAG = /^\w[\w.-]{0,127}$/
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const REPOSITORY = new RegExp(`^${PART}(?:/${PART})*$`)
const HOST =
  /^(?=.{1,253}(?::|$))[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/
const LONGEST = 400

/** Undefined if it is no such name. */
export function parseImageReference(text: string): ImageReference | undefined {
  const [named = '', digest, ...more] = text.split('@')
  if (text.length > LONGEST || more.length > 0) return undefined
  const { registry, path, tag } = splitName(named)
  const parts = [
    [HOST, registry],
    [REPOSITORY, path],
    [TAG, tag],
    [DIGEST, digest],
  ] as const
  if (!parts.every(([shape, written]) => written === undefined || shape.test(written))) {
    return undefined
  }
  const own = FORMER_NAMES.has(registry) ? DEFAULT_REGISTRY : registry
  const marks = { ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) }
  return { ...wholeName(own, path), ...marks }
}

/** The first part is a host if it could be no name of an image: it has a dot or a port, or is `localhost`. */
function splitName(named: string): {
  readonly registry: string
  readonly path: string
  readonly tag: string | undefined
} {
  const slash = named.indexOf('/')
  const first = named.slice(0, Math.max(slash, 0))
  const hasHost = /[.:]/.test(first) || first === 'localhost'
  const rest = hasHost ? named.slice(slash + 1) : named
  const colon = rest.indexOf(':')
  return {
    registry: hasHost ? first.toLowerCase() : DEFAULT_REGISTRY,
    path: colon < 0 ? rest : rest.slice(0, colon),
    tag: colon < 0 ? undefined : rest.slice(colon + 1),
  }
}

/** Names of one word at the default registry are short for `library/…`. */
function wholeName(
  registry: string,
  path: string,
): Pick<ImageReference, 'registry' | 'repository'> {
  const isShort = registry === DEFAULT_REGISTRY && !path.includes('/')
  return { registry, repository: isShort ? `library/${path}` : path }
}

/** `ghcr.io/acme/notes`: the name without tag and digest, under which an image is known. */
export function imageName({ registry, repository }: ImageReference): string {
  return `${registry}/${repository}`
}

/** Host and port of the registry's API. */
export function registryPlace({ registry }: Pick<ImageReference, 'registry'>): {
  readonly host: string
  readonly port: number
} {
  const [host = '', port = '443'] = (REACHED_AT[registry] ?? registry).split(':')
  return { host, port: Number(port) }
}
