/** The parts of Node's HTTP request and answer that the gateway uses. The listener is the web's: no socket is opened here. */

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface HttpRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: HttpHeaders
}

export interface HttpResponse {
  readonly headersSent: boolean
  readonly writableEnded: boolean
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): this
  write(chunk: string): boolean
  end(chunk?: string): this
  once(event: 'close', listener: () => void): this
  destroy(): this
}

/** The header, if it was sent once. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
