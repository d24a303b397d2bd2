/** The parts of Node's HTTP request and answer that the gateway uses. The listener is the web's: no socket is opened here. */

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface HttpRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: HttpHeaders
  on(event: 'data', listener: (chunk: Buffer) => void): this
  on(event: 'end' | 'close', listener: () => void): this
}

export interface HttpResponse {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly destroyed: boolean
  /** Bytes that the client has not taken yet. */
  readonly writableLength: number
  destroy(): this
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): this
  write(chunk: string): boolean
  end(chunk?: string): this
  once(event: 'close', listener: () => void): this
  destroy(): this
}

/**
 * The whole body; undefined if it is longer than `maxBytes`, `mayTake` refuses a part of it, or the client went away. By events: the async iterator of a
 * stream costs several times as much as reading a body of one chunk. The rest of a long body is dropped as it comes.
 */
export function readBody(
  request: HttpRequest,
  maxBytes: number,
  mayTake: (bytes: number) => boolean = () => true,
): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let size = 0
  let isRefused = false
  request.on('data', (chunk) => {
    size += chunk.length
    isRefused ||= size > maxBytes || !mayTake(chunk.length)
    if (!isRefused) chunks.push(chunk)
    else {
      chunks.length = 0
      resolve(undefined)
    }
  })
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
  request.on('close', () => resolve(undefined))
  return promise
}

/** The header, if it was sent once. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
