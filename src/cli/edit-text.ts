/** Lets a person edit a text in their own editor, through a file with mode 0600. The file stays only if `use` fails. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CordonError } from '../kernel/error.ts'

export interface Draft {
  readonly text: string
  /** The file's name; editors choose the language by its ending. */
  readonly name: string
  /** Takes the edited text. If it throws, the file is the only copy, so it is kept. */
  readonly use: (text: string, file: string) => Promise<void>
}

/** Starts the editor on a file in this terminal, and resolves with its exit code. */
export type StartEditor = (editor: string, file: string) => Promise<number | null>

export async function editText(
  { text, name, use }: Draft,
  environment: Readonly<Record<string, string | undefined>>,
  startEditor: StartEditor,
): Promise<void> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-edit-'))
  const file = path.join(folder, name)
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await startEditor(editor, file)
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
