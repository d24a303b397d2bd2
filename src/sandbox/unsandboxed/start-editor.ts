/** Runs the person's own editor on a file, in their terminal. It is theirs, so it gets no sandbox and all of their settings. */
import { spawn } from 'node:child_process'

export interface EditorCommand {
  /** As in `$EDITOR`: a program, and perhaps some words for it. */
  readonly editor: string
  readonly file: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Its exit code, or null where it did not start or was killed. */
export function startEditor({ editor, file, environment }: EditorCommand): Promise<number | null> {
  const [program = '', ...words] = editor.split(/\s+/).filter((word) => word !== '')
  const child = spawn(program, [...words, file], { stdio: 'inherit', env: { ...environment } })
  return new Promise((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
}
