/** One connection of a client to a gateway, by any transport: messages go out, messages come in. */
export interface Rpc {
  readonly jsonrpc?: string
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Taker {
  message(rpc: Rpc): void
  /** The transport says that this request will get no answer. */
  failed(id: Rpc['id'], why: string): void
}

export interface Wire extends AsyncDisposable {
  /** Resolves once the message is handed over, not once it is answered. */
  send(message: Rpc): Promise<void>
  /** After `initialize`: listens for messages that belong to no request. */
  ready(): Promise<void>
}

export type OpenWire = (taker: Taker) => Promise<Wire>

/** Reads `text/event-stream` as it comes: calls back with each event's name and data. */
export async function readEvents(
  chunks: AsyncIterable<Uint8Array>,
  event: (name: string, data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let name = 'message'
  let data: string[] = []
  const line = (text: string): void => {
    if (text.startsWith('event:')) name = text.slice(6).trim()
    else if (text.startsWith('data:')) data.push(text.slice(5).replace(/^ /, ''))
    else if (text === '') {
      if (data.length > 0) event(name, data.join('\n'))
      name = 'message'
      data = []
    }
  }
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const one of lines) line(one)
  }
}

export function parseRpc(text: string): Rpc | undefined {
  try {
    return JSON.parse(text) as Rpc
  } catch {
    return undefined
  }
}
