/** TLS hellos for tests, built byte by byte. */

export function vector(size: number, content: Buffer): Buffer {
  const length = Buffer.alloc(size)
  length.writeUIntBE(content.length, 0, size)
  return Buffer.concat([length, content])
}

export function extension(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(type)
  return Buffer.concat([head, vector(2, content)])
}

export function serverName(name: string): Buffer {
  return extension(
    0,
    vector(2, Buffer.concat([Buffer.of(0), vector(2, Buffer.from(name, 'latin1'))])),
  )
}

/** The handshake message inside the records. */
export function helloMessage(extensions: Buffer): Buffer {
  const body = Buffer.concat([
    Buffer.of(3, 3),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(32, 1)),
    vector(2, Buffer.of(0x13, 0x01)),
    vector(1, Buffer.of(0)),
    vector(2, extensions),
  ])
  return Buffer.concat([Buffer.of(1), vector(3, body)])
}

/** Cuts the message into records of at most `size` bytes. */
export function records(message: Buffer, size = 16_384): Buffer {
  const cut: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    cut.push(Buffer.of(22, 3, 1), vector(2, message.subarray(at, at + size)))
  }
  return Buffer.concat(cut)
}

export function helloFor(name: string): Buffer {
  const groups = extension(10, vector(2, Buffer.of(0, 29)))
  return records(helloMessage(Buffer.concat([groups, serverName(name)])))
}
