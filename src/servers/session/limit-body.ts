/**
 * An HTTP body, streamed with bounds on the part that its reader must buffer and parse: a whole document, or one event.
 */
import { ValueCounter } from '../../text/value-counter.ts'
import { MAX_VALUES } from './json-bounds.ts'

/** The same limit as for a line of a local server. */
const HELD_BYTES = 16 * 2 ** 20
const TOO_MANY = `The answer of the server has more than ${MAX_VALUES.toLocaleString('en')} values`
/** A blank line ends an event; server-sent events allow three line endings. */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r']
const LONGEST_BLANK = 4

interface BodyReader {
  /** The reader takes a stream event by event. It buffers any other body whole, whatever its content type. */
  readonly mayStream: boolean
  /** Called at the end of the body, complete or not. */
  readonly onEnd?: ((why: string) => void) | undefined
}

export function limitBody(response: Response, { mayStream, onEnd }: BodyReader): Response {
  if (!response.body) return response
  const { status, statusText, headers } = response
  const isStream = mayStream && status === 200 && isEventStream(headers)
  const body = ReadableStream.from(limited(response.body, isStream, onEnd))
  return new Response(body, { status, statusText, headers })
}

function isEventStream(headers: Headers): boolean {
  return /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
}

async function* limited(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  onEnd: ((why: string) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let held = 0
  let values = new ValueCounter()
  let tail: Buffer = Buffer.alloc(0)
  let why = 'closed the connection'
  try {
    for await (const chunk of body) {
      const seen = Buffer.concat([tail, chunk])
      const left = isStream ? afterLastEvent(seen) : -1
      held = left === -1 ? held + chunk.length : left
      if (left !== -1) values = new ValueCounter()
      const isTooMany =
        values.push(left === -1 ? chunk : seen.subarray(seen.length - left)) > MAX_VALUES
      if (held > HELD_BYTES || isTooMany) {
        why = 'sent a message above the limits'
        throw new Error(isTooMany ? TOO_MANY : 'The answer of the server is larger than 16 MiB')
      }
      tail = Buffer.from(seen.subarray(1 - LONGEST_BLANK))
      yield chunk
    }
  } finally {
    onEnd?.(why)
  }
}

/** The number of bytes after the last complete event; -1 if no event is complete. */
function afterLastEvent(bytes: Buffer): number {
  const ends = BLANK_LINES.map((blank) => {
    const at = bytes.lastIndexOf(blank)
    return at === -1 ? -1 : at + blank.length
  })
  const end = Math.max(...ends)
  return end === -1 ? -1 : bytes.length - end
}
