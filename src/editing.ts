/** A text in the person's own editor, by way of a file that only they can read and that is gone afterwards. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CordonError } from './kernel/error.ts'
import { startEditor } from './sandbox/start-editor.ts'

export interface Draft {
  readonly text: string
  /** What the file is called: editors go by its ending. */
  readonly name: string
}

export async function editText(
  { text, name }: Draft,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-edit-'))
  const file = path.join(folder, name)
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await startEditor({ editor, file, environment })
    if (code !== 0) throw notEdited(editor)
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function notEdited(editor: string): CordonError {
  return new CordonError(
    'main.editor',
    { exit: 2, hint: 'Set EDITOR to a program that is installed, such as `EDITOR=nano`' },
    `Cannot edit: ${JSON.stringify(editor)} did not start or did not end well`,
  )
}
