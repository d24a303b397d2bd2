/** The body of an answer, passed on as it comes. What must be held at once is bounded: a document, or one event. */

/** As long as a line from a local server may be. */
const HELD_BYTES = 16 * 2 ** 20
/** What ends an event, in the three spellings of a line's end. */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r']
const LONGEST_BLANK = 4

interface BodyReader {
  /** It takes a stream of events one by one. What it does not, it holds whole, whatever the server calls it. */
  readonly mayStream: boolean
  /** Hears of the end of the body, however it came about. */
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
  let tail: Buffer = Buffer.alloc(0)
  let why = 'closed the connection'
  try {
    for await (const chunk of body) {
      const seen = Buffer.concat([tail, chunk])
      const left = isStream ? afterLastEvent(seen) : -1
      held = left === -1 ? held + chunk.length : left
      if (held > HELD_BYTES) {
        why = 'sent a message above the limits'
        throw new Error('The answer of the server is larger than 16 MiB')
      }
      tail = Buffer.from(seen.subarray(1 - LONGEST_BLANK))
      yield chunk
    }
  } finally {
    onEnd?.(why)
  }
}

/** How many bytes come behind the last event that is complete; -1 where none is. */
function afterLastEvent(bytes: Buffer): number {
  const ends = BLANK_LINES.map((blank) => {
    const at = bytes.lastIndexOf(blank)
    return at === -1 ? -1 : at + blank.length
  })
  const end = Math.max(...ends)
  return end === -1 ? -1 : bytes.length - end
}
