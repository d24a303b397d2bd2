/**
 * A pure function of a text, with its last answers kept: the same few names of tools, arguments and rules come with
 * every call. Long texts are not kept, and neither are many, so that what a server sends cannot fill the memory. Pure.
 */

const MAX_KEPT = 1024
const MAX_LENGTH = 512

export function remembered<T>(
  answer: (text: string) => T,
  maxLength: number = MAX_LENGTH,
): (text: string) => T {
  const kept = new Map<string, T>()
  return (text) => {
    if (text.length > maxLength) return answer(text)
    const known = kept.get(text)
    if (known !== undefined) return known
    const fresh = answer(text)
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(text, fresh)
    return fresh
  }
}
