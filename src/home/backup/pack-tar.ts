/**
 * Writes a tar archive as a stream (ustar, POSIX.1-1988), so that `age -d FILE | tar t` lists a backup without Cordon.
 * Holds plain files only: never a link, a folder, an owner or a time.
 */
export interface Member {
  /** Relative, with `/` between its parts. */
  readonly name: string
  readonly bytes: number
  /** Exactly that many bytes. */
  read(): AsyncIterable<Uint8Array>
}

export const BLOCK = 512
/** The size field holds eleven octal digits. */
export const MOST_MEMBER_BYTES: number = 8 ** 11 - 1
const NAME_BYTES = 100
const PREFIX_BYTES = 155

/** Whether name and size fit into the header of a member. */
export function fitsTar(name: string, bytes: number): boolean {
  return bytes <= MOST_MEMBER_BYTES && splitName(name) !== undefined
}

/** `onBytes` is told of each part of a member as it is read. */
export async function* packTar(
  members: AsyncIterable<Member>,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  for await (const member of members) {
    yield spellHead(member)
    for await (const chunk of member.read()) {
      onBytes(chunk.length)
      yield chunk
    }
    const rest = member.bytes % BLOCK
    if (rest > 0) yield new Uint8Array(BLOCK - rest)
  }
  yield new Uint8Array(2 * BLOCK)
}

function spellHead({ name, bytes }: Member): Uint8Array {
  const parts = splitName(name)
  if (!parts) throw new Error('The name of a member does not fit into its header')
  const head = Buffer.alloc(BLOCK)
  const put = (text: string, at: number): void => void head.write(text, at)
  put(parts.name, 0)
  put('0000600\0', 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put('        ', 148) // the checksum is computed over blanks in its own place
  put('0', 156)
  put('ustar\u000000', 257)
  put(parts.prefix, 345)
  put(`${checksum(head).toString(8).padStart(6, '0')}\0 `, 148)
  return head
}

export function checksum(head: Uint8Array): number {
  return head.reduce((sum, byte) => sum + byte, 0)
}

/** A long name is split at a slash: the last part of it has 100 bytes, the folders before it 155. */
function splitName(name: string): { readonly prefix: string; readonly name: string } | undefined {
  if (Buffer.byteLength(name) <= NAME_BYTES) return { prefix: '', name }
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, last] = [name.slice(0, at), name.slice(at + 1)]
    const fits = Buffer.byteLength(prefix) <= PREFIX_BYTES && Buffer.byteLength(last) <= NAME_BYTES
    if (fits && last !== '') return { prefix, name: last }
  }
  return undefined
}
