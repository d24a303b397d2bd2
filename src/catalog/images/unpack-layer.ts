/**
 * Applies one layer to the root file system of an image: entries replace what is there, whiteouts (`.wh.…`) remove it.
 * Set-id bits, owners, attributes and devices are left out. Runs in the install sandbox.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline, Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { isFull } from '../install/fetch-to-file.ts'
import { ImageError } from './image-error.ts'
import type { UnpackLimits } from './image-job.ts'
import { type PlaceInRoot, placeInRoot } from './place-in-root.ts'
import { type Content, readTar, type TarEntry } from './tar.ts'

export interface Unpacked {
  bytes: number
  entries: number
  /** Devices and the like, which are not made. */
  leftOut: number
}

export interface LayerPlace {
  readonly root: string
  readonly limits: UnpackLimits
  /** Counts over all layers. */
  readonly done: Unpacked
}

const WHITEOUT = '.wh.'
const OPAQUE = '.wh..wh..opq'

/** `diffId`: the digest of the layer as it is unpacked. */
export async function unpackLayer(file: string, diffId: string, place: LayerPlace): Promise<void> {
  const sum = createHash('sha256')
  const layer = { ...place, made: new Set<string>() }
  // Its last stream fails with each of the others, and the reader of that one reports it.
  const unpacked = pipeline(
    createReadStream(file),
    await decompressor(file),
    counting(place, sum),
    () => undefined,
  )
  await readTar(unpacked, (entry, content) => apply(layer, entry, content)).catch(
    (error: unknown) => {
      throw explain(error)
    },
  )
  if (`sha256:${sum.digest('hex')}` !== diffId) {
    throw new ImageError('integrity', 'a layer unpacks to other bytes than its settings say')
  }
}

/** By its first bytes: what a registry calls the kind of a layer is often wrong. */
async function decompressor(file: string): Promise<Transform> {
  const [head = Buffer.alloc(0)] = await createReadStream(file, { end: 3 }).toArray()
  const bytes = Buffer.from(head as Buffer).toString('hex')
  if (bytes.startsWith('1f8b')) return createGunzip()
  return bytes === '28b52ffd' ? createZstdDecompress() : plain()
}

function plain(): Transform {
  return new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
}

/** Ends a stream that unpacks to more than an image may hold, whatever its entries say. */
function counting({ limits }: LayerPlace, sum: ReturnType<typeof createHash>): Transform {
  const most = limits.bytes + limits.entries * 1536
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      sum.update(chunk)
      if (size > most) done(tooLarge(limits))
      else done(null, chunk)
    },
  })
}

function tooLarge({ bytes }: UnpackLimits): ImageError {
  const gigabytes = (bytes / 2 ** 30).toFixed(1)
  return new ImageError('unsafe-package', `it is larger than ${gigabytes} GiB when it is unpacked`)
}

interface Layer extends LayerPlace {
  /** Paths of this layer, which stay in a folder that the layer declares opaque. */
  readonly made: Set<string>
}

async function apply(layer: Layer, entry: TarEntry, content: Content): Promise<void> {
  const { done, limits } = layer
  count(done, limits, entry)
  const place = placed(layer, entry.name)
  if (!place) return
  if (place.base.startsWith(WHITEOUT)) {
    remove(layer, place)
    return
  }
  const full = path.join(place.folder, place.base)
  mark(layer, full)
  if (entry.kind === 'special') done.leftOut += 1
  else if (entry.kind === 'folder') putFolder(full)
  else if (entry.kind === 'file') await putFile(full, entry, content)
  else putLink(layer, full, entry)
}

/** A name of 2,000 parts makes as many folders, and so does a link in one: these count as entries do. */
function placed({ root, done, limits }: Layer, name: string): PlaceInRoot | undefined {
  return placeInRoot(root, name, () => count(done, limits, { size: 0 }))
}

function count(done: Unpacked, limits: UnpackLimits, { size }: Pick<TarEntry, 'size'>): void {
  done.entries += 1
  done.bytes += size
  if (size > limits.fileBytes) {
    const megabytes = Math.round(limits.fileBytes / 2 ** 20)
    throw new ImageError('unsafe-package', `one of its files is larger than ${megabytes} MiB`)
  }
  if (done.bytes > limits.bytes) throw tooLarge(limits)
  if (done.entries > limits.entries) {
    throw new ImageError('unsafe-package', `it has more than ${limits.entries} files`)
  }
}

function mark({ root, made }: Layer, full: string): void {
  for (let one = full; one !== root && !made.has(one); one = path.dirname(one)) made.add(one)
}

function remove({ made }: Layer, { folder, base }: PlaceInRoot): void {
  if (base === OPAQUE) {
    for (const name of readdirSync(folder)) {
      const full = path.join(folder, name)
      if (!made.has(full)) clear(full)
    }
    return
  }
  const name = base.slice(WHITEOUT.length)
  if (name === '' || name === '.' || name === '..') {
    throw new ImageError('unsafe-package', 'a layer removes what is not in the image')
  }
  clear(path.join(folder, name))
}

/** Removes a link, never its target. */
function clear(full: string): void {
  rmSync(full, { recursive: true, force: true })
}

function putFolder(full: string): void {
  if (lstatSync(full, { throwIfNoEntry: false })?.isDirectory() === true) return
  clear(full)
  mkdirSync(full, { mode: 0o755 })
}

async function putFile(full: string, { isProgram }: TarEntry, content: Content): Promise<void> {
  clear(full)
  const file = openSync(full, 'wx', isProgram ? 0o755 : 0o644)
  try {
    for (let chunk = await content(); chunk; chunk = await content()) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
    }
  } finally {
    closeSync(file)
  }
}

function putLink(layer: Layer, full: string, { kind, target }: TarEntry): void {
  if (kind === 'link') {
    if (target === '') throw new ImageError('bad-package', 'a link in a layer leads nowhere')
    clear(full)
    symlinkSync(target, full)
    return
  }
  const other = placed(layer, target)
  const from = other && path.join(other.folder, other.base)
  if (from === undefined || lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new ImageError('bad-package', 'a hard link in a layer leads to no file of the image')
  }
  if (from === full) return
  clear(full)
  linkSync(from, full)
}

function explain(error: unknown): unknown {
  if (error instanceof ImageError) return error
  if (isFull(error)) return new ImageError('disk-full', 'the disk is full', { cause: error })
  return new ImageError('bad-package', 'one of its layers is damaged', { cause: error })
}
