/** Reads an untrusted JSON body. Never holds more than the limit, however the body is sent. */
import { isDeeperThan } from '../text/bounded-json.ts'
import { readAtMost } from '../text/read-at-most.ts'
import { refusal } from './refusal.ts'

const MOST_BYTES = 1024 * 1024
const DEEPEST = 32

export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBody(request)
  const value = parse(bytes)
  if (isDeeperThan(value, DEEPEST)) throw refusal('json')
  return value
}

/** The whole body, within the limit. */
export async function readBody(request: Request): Promise<Buffer> {
  // HTTP ends the body at its announced length. Without one it is read chunk by chunk, which takes three times as long.
  const announced = request.headers.get('content-length')
  const isShort = announced !== null && Number(announced) <= MOST_BYTES
  const bytes = isShort
    ? Buffer.from(await request.arrayBuffer())
    : await readAtMost(request.body, MOST_BYTES)
  if (bytes === undefined || bytes.length > MOST_BYTES) throw refusal('too-large')
  return bytes
}

/** The parser's own message is dropped: it quotes the body, and the body may hold a secret. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw refusal('json')
  }
}
