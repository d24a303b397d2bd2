/** Passes a process's standard error on unchanged, and remembers its end: the reason why a process ended is often only there. */
import { type Readable, Transform } from 'node:stream'

const REMEMBERED = 4096

export interface StderrTail {
  readonly readable: Readable
  text(): string
  /** Settles when there is no more to come. */
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
