/** A text in the person's own editor, by way of a file that only they can read. It is gone afterwards, unless it is all that is left. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CordonError } from './kernel/error.ts'
import { startEditor } from './sandbox/unsandboxed/start-editor.ts'

export interface Draft {
  readonly text: string
  /** What the file is called: editors go by its ending. */
  readonly name: string
  /** What becomes of the text; where this fails, nothing else holds it, and the file stays. */
  readonly use: (text: string, file: string) => Promise<void>
}

export async function editText(
  { text, name, use }: Draft,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-edit-'))
  const file = path.join(folder, name)
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await startEditor({ editor, file, environment })
    if (code !== 0) throw notEdited(editor)
  } catch (error) {
    await remove()
    throw error
  }
  await use(await readFile(file, 'utf8'), file)
  await remove()
}

function notEdited(editor: string): CordonError {
  return new CordonError(
    'main.editor',
    { exit: 2, hint: 'Set EDITOR to a program that is installed, such as `EDITOR=nano`' },
    `Cannot edit: ${JSON.stringify(editor)} did not start or did not end well`,
  )
}
