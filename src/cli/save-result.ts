/**
 * Saves the result of a call for `--out`: a picture or file as its bytes, any other result as the text that would be
 * shown. Into the named file, or into a folder under names of Cordon's own: a server names no file of the owner.
 */
import path from 'node:path'
import { attachmentsIn, endingFor } from '../text/attachments.ts'
import { type Answer, showAnswer } from '../text/show-result.ts'
import { writeNew } from './write-new.ts'

/** The files that were written. */
export async function saveResult(
  answer: Answer,
  out: string,
  workingFolder: string,
): Promise<readonly string[]> {
  const place = path.resolve(workingFolder, out)
  const found = [...attachmentsIn(answer.value), ...attachmentsIn(answer.beside ?? [])]
  const isFolder = /[/\\]$/.test(out) || (await isExistingFolder(place))
  if (found.length === 0) {
    const file = isFolder ? path.join(place, 'result.txt') : place
    await writeNew(file, `${showAnswer(answer, '')}\n`)
    return [file]
  }
  const files = found.map(({ mimeType }, at) => {
    if (isFolder) return path.join(place, `${at + 1}.${endingFor(mimeType)}`)
    return at === 0 ? place : numbered(place, at + 1)
  })
  if (isFolder) await makeFolder(place)
  for (const [at, file] of files.entries()) {
    await writeNew(file, Buffer.from(found[at]?.data ?? '', 'base64'))
  }
  return files
}

/** `chart.png`, `chart-2.png`. */
function numbered(place: string, count: number): string {
  const { dir, name, ext } = path.parse(place)
  return path.join(dir, `${name}-${count}${ext}`)
}

async function isExistingFolder(place: string): Promise<boolean> {
  const { stat } = await import('node:fs/promises') // takes longer to load than a short command
  return await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function makeFolder(place: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  await mkdir(place, { recursive: true }).catch(() => undefined) // writing says what is wrong
}
