/** Runs the owner's editor on a file, in their terminal: without a sandbox, and with their environment. */
import { spawn } from 'node:child_process'

export interface EditorCommand {
  /** As in `$EDITOR`: a program, and perhaps arguments for it. */
  readonly editor: string
  readonly file: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The editor's exit code, or null if it did not start or was killed. */
export function startEditor({ editor, file, environment }: EditorCommand): Promise<number | null> {
  const [program = '', ...words] = editor.split(/\s+/).filter((word) => word !== '')
  const child = spawn(program, [...words, file], { stdio: 'inherit', env: { ...environment } })
  return new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
}
