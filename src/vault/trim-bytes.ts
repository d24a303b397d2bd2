/** Takes the white space off both ends of some bytes. Copies nothing: the result is a view of the same memory. */

const WHITE_SPACE: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\v\f\r'))

export function trimBytes(bytes: Uint8Array): Uint8Array {
  let start = 0
  let end = bytes.length
  while (start < end && WHITE_SPACE.has(bytes[start])) start += 1
  while (end > start && WHITE_SPACE.has(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}
