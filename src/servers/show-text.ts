/** Foreign text inside a message for people: printable ASCII, in quotes where it is no plain word, and never long. */

const MAX_SHOWN = 80

export function showText(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  if (/^[\w.:@/-]+$/.test(shown)) return shown
  return JSON.stringify(shown).replace(/[^ -~…]/g, escaped)
}

/** Also what JSON leaves as it is: cursor movements of the C1 range, text that runs backwards, look-alikes. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
