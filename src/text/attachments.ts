/** Pictures, sounds and files inside the result of a tool. Their kind is the server's claim; no name of its is used. Pure. */
import type { Json, JsonObject } from './json.ts'

export interface Attachment {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
  readonly bytes: number
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/
const UNKNOWN_TYPE = 'application/octet-stream'

/** A block of type `image`, `audio` or `resource` with a blob; undefined for any other. */
export function attachmentIn(block: Json): Attachment | undefined {
  if (!isObject(block)) return undefined
  const { type, data, mimeType, resource } = block
  if (type === 'image' || type === 'audio') return attachment(data, mimeType)
  if (type !== 'resource' || !isObject(resource)) return undefined
  return attachment(resource['blob'], resource['mimeType'])
}

export function attachmentsIn(value: Json): readonly Attachment[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((block) => attachmentIn(block as Json) ?? [])
}

/** A file name's ending for the kind, of a fixed list: a server does not choose what a file is opened with. */
export function endingFor(mimeType: string): string {
  return ENDINGS[mimeType] ?? 'bin'
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/zip': 'zip',
}

function attachment(data: Json | undefined, type: Json | undefined): Attachment | undefined {
  if (typeof data !== 'string' || !BASE64.test(data)) return undefined
  const mimeType = typeof type === 'string' && MIME.test(type) ? type : UNKNOWN_TYPE
  return { mimeType, data, bytes: Buffer.byteLength(data, 'base64') }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
