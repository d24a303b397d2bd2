/**
 * From a tag or a digest to everything that makes up an image: index → manifest for this machine → settings and layers.
 * Each is compared with the digest that the one before it names, the first with the wanted digest where there is one.
 */
import { ImageError } from './image-error.ts'
import type { Descriptor, ImageJob, ImageSettings, ResolvedImage } from './image-job.ts'
import { DIGEST } from './image-reference.ts'
import { type Loose, objectIn, objectsIn, parseObject, textIn, textsIn } from './parse-object.ts'
import { type RegistryClient, sha256 } from './registry-client.ts'

type Platform = ImageJob['platform']

const INDEX = /(?:image\.index|manifest\.list)/
const MANIFEST = /(?:image\.manifest\.v1|distribution\.manifest\.v2)/
const LAYER =
  /^application\/vnd\.(?:oci\.image\.layer\.v1\.tar(?:\+(?:gzip|zstd))?|docker\.image\.rootfs\.diff\.tar(?:\.gzip)?)$/
/** By this label the official registry knows whose image it is. */
const NAME_LABEL = 'io.modelcontextprotocol.server.name'
const LONGEST_NAME = 200
const MOST_FETCHED = 2 * 2 ** 30

export async function resolveImage(
  client: RegistryClient,
  { reference, platform }: Pick<ImageJob, 'reference' | 'platform'>,
): Promise<ResolvedImage> {
  const top = await readManifest(client, reference)
  const own = INDEX.test(top.type) ? await choose(client, top.body, platform) : top
  if (!MANIFEST.test(own.type)) throw unknownKind()
  const config = descriptorIn(own.body['config'])
  const facts = parseObject(await client.text(config), 'its settings')
  const runsHere = facts['architecture'] === platform.architecture && facts['os'] === 'linux'
  if (!runsHere) throw notForHere(platform)
  const layers = objectsIn(own.body['layers']).map(descriptorIn)
  if (!layers.every(({ mediaType }) => LAYER.test(mediaType))) {
    throw new ImageError(
      'bad-package',
      'it is no container image, or one of a kind Cordon does not know',
    )
  }
  if (layers.reduce((sum, { size }) => sum + size, 0) > MOST_FETCHED) {
    throw new ImageError('unsafe-package', 'its layers are larger than 2.0 GiB')
  }
  const diffIds = textsIn(objectIn(facts['rootfs'])['diff_ids'])
  if (diffIds.length !== layers.length) {
    throw new ImageError('bad-package', 'its settings and its layers do not fit together')
  }
  const created = textIn(facts['created'])
  const settings = settingsIn(objectIn(facts['config']))
  if (Object.values(settings).flat().join('').includes('\0')) {
    throw new ImageError('bad-package', 'its settings hold a NUL byte')
  }
  return { digest: top.digest, config, layers, diffIds, settings, ...(created && { created }) }
}

interface Manifest {
  readonly body: Loose
  readonly type: string
  readonly digest: string
}

async function readManifest(client: RegistryClient, reference: string): Promise<Manifest> {
  const { bytes, type } = await client.manifest(reference)
  const digest = sha256(bytes)
  if (DIGEST.test(reference) && digest !== reference) {
    throw new ImageError('integrity', 'the registry sends another image than the pinned digest')
  }
  const body = parseObject(bytes, 'its manifest')
  return { body, type: textIn(body['mediaType']) || type, digest }
}

async function choose(client: RegistryClient, body: Loose, platform: Platform): Promise<Manifest> {
  const fitting = objectsIn(body['manifests']).find((one) => {
    const { os, architecture } = objectIn(one['platform'])
    return os === 'linux' && architecture === platform.architecture
  })
  if (!fitting) throw notForHere(platform)
  return await readManifest(client, descriptorIn(fitting).digest)
}

function notForHere({ architecture }: Platform): ImageError {
  return new ImageError('bad-package', `it has no version for this machine (linux/${architecture})`)
}

function unknownKind(): ImageError {
  return new ImageError(
    'bad-package',
    'the registry describes it in a form that Cordon does not know',
  )
}

function descriptorIn(value: unknown): Descriptor {
  const { digest, size, mediaType } = objectIn(value)
  const isWhole = DIGEST.test(textIn(digest)) && Number.isSafeInteger(size) && Number(size) >= 0
  if (!isWhole) throw new ImageError('bad-package', 'its manifest names a part without a SHA-256')
  return { digest: textIn(digest), size: Number(size), mediaType: textIn(mediaType).slice(0, 200) }
}

function settingsIn(config: Loose): ImageSettings {
  const mcpName = textIn(objectIn(config['Labels'])[NAME_LABEL])
  return {
    entrypoint: textsIn(config['Entrypoint']),
    command: textsIn(config['Cmd']),
    environment: textsIn(config['Env']),
    workingFolder: textIn(config['WorkingDir']) || '/',
    user: textIn(config['User']),
    volumes: Object.keys(objectIn(config['Volumes'])).slice(0, 16),
    ...(mcpName && mcpName.length <= LONGEST_NAME && { mcpName }),
  }
}
