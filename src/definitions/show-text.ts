/** Shows untrusted text inside a message: printable ASCII, quoted unless it is a plain word, and never long. */

const MAX_SHOWN = 80

export function showText(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  if (/^[\w.:@/-]+$/.test(shown)) return shown
  return JSON.stringify(shown).replace(/[^ -~…]/g, escaped)
}

/** Also escapes characters that JSON leaves unchanged: C1 controls, bidirectional overrides, look-alikes. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
