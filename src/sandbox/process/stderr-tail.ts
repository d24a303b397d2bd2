/** Passes a process's stderr on unchanged and remembers the end of it: often the only place that says why it ended. */
import { type Readable, Transform } from 'node:stream'

const REMEMBERED = 4096

export interface StderrTail {
  readonly readable: Readable
  text(): string
  /** Settles when stderr is closed. */
  readonly closed: Promise<void>
}

export function tapStderr(source: Readable): StderrTail {
  let tail = ''
  const readable = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      tail = (tail + chunk.subarray(-REMEMBERED).toString()).slice(-REMEMBERED)
      pass(null, chunk)
    },
  })
  source.once('error', () => readable.end())
  const closed = new Promise<void>((resolve) => {
    source.once('close', resolve)
  })
  return { readable: source.pipe(readable), text: () => tail, closed }
}
