/**
 * `~/notes` as the owner typed it: their home folder, as in a shell, but only for a server that was given a folder which
 * holds the path. Any other server gets the text as it was typed, and so learns nothing about the home folder. Pure.
 */

export interface HomeOf {
  readonly homeFolder: string
  /** The folders that the server may read or change. */
  readonly folders: readonly string[]
}

export function expandHome(text: string, { homeFolder, folders }: HomeOf): string {
  if (!isHomePath(text) || hasDots(text)) return text
  const whole = homeFolder + text.slice(1)
  const isCovered = folders.some((folder) => {
    const given = isHomePath(folder) ? homeFolder + folder.slice(1) : folder
    return `${whole}/`.startsWith(given.endsWith('/') ? given : `${given}/`)
  })
  return isCovered ? whole : text
}

/** `~/notes/../.ssh` is not below `~/notes`. */
function hasDots(text: string): boolean {
  return text.split('/').some((part) => part === '..' || part === '.')
}

/** `~` or `~/…`; `~ann` is somebody else's home, which is never looked up. */
export function isHomePath(text: string): boolean {
  return text === '~' || text.startsWith('~/')
}

/** Whether one of the typed words could be such a path: `path=~/notes`, `--path ~`. */
export function holdsHomePath(words: readonly string[]): boolean {
  return words.some((word) => isHomePath(word.replace(/^[^=]*=/, '')))
}
