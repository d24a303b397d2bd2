/**
 * Says whether anybody edited a file: another text after every edit. Synchronous, since every call asks: a look into the
 * cache of the file system takes microseconds, a turn of the thread pool far longer. The last text is kept while the
 * numbers are the same, since spelling them takes as long as the look.
 */
import { lstatSync, type Stats } from 'node:fs'

type Numbers = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

export function createFileStamp(path: string): () => string {
  let last: { readonly numbers: Numbers; readonly text: string } | undefined
  return () => {
    try {
      const numbers = lstatSync(path, { throwIfNoEntry: false })
      if (!numbers) return 'none'
      if (last && isSame(last.numbers, numbers)) return last.text
      const { ino, size, mtimeMs, ctimeMs } = numbers
      last = { numbers, text: `${ino} ${size} ${mtimeMs} ${ctimeMs}` }
      return last.text
    } catch {
      return 'unreadable'
    }
  }
}

function isSame(a: Numbers, b: Numbers): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs
}
