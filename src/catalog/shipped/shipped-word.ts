/** How a definition names a server that comes with Cordon: `cordon:PACKAGE`, in place of the path of its program. */
export function shippedWord(name: string): string {
  return `cordon:${name}`
}

export function isShippedWord(word: string): boolean {
  return word.startsWith('cordon:')
}
