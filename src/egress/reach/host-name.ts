/**
 * A host name as a client wrote it, and its one canonical spelling: lower case, ASCII, no final dot. Never accepts an
 * address. `2130706433`, `0x7f.1` and `①②⑦.0.0.1` all mean 127.0.0.1 to a resolver, so a name must have at least two
 * labels, and the last must be one that no resolver reads as a number.
 */

export interface HostPort {
  readonly host: string
  readonly port: number
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const NAME = `(?:${LABEL}\\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})`
const HOST = new RegExp(`^(${NAME})\\.?$`, 'i')
const HOST_PORT = new RegExp(`^(${NAME})\\.?:([1-9][0-9]{0,4})$`, 'i')

const LONGEST_NAME = 253
const LONGEST_INPUT = LONGEST_NAME + '.:65535'.length

export function parseHostName(text: string): string | undefined {
  return text.length > LONGEST_INPUT ? undefined : canonical(HOST.exec(text)?.[1])
}

/** `name:port`, as in `CONNECT name:port`, without any text around it. */
export function parseHostPort(text: string): HostPort | undefined {
  const found = text.length > LONGEST_INPUT ? null : HOST_PORT.exec(text)
  const host = canonical(found?.[1])
  const port = Number(found?.[2])
  return host === undefined || port > 65_535 ? undefined : { host, port }
}

function canonical(name: string | undefined): string | undefined {
  return name === undefined || name.length > LONGEST_NAME ? undefined : name.toLowerCase()
}
