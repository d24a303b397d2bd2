/** Writes a new file of the owner. Never overwrites an existing one, and removes a partial one. */
import { CordonError } from '../kernel/error.ts'

export async function writeNew(
  file: string,
  content: AsyncIterable<string> | Uint8Array | string,
): Promise<void> {
  const { rm, writeFile } = await import('node:fs/promises') // takes longer to load than a short command
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') await rm(file, { force: true }).catch(() => undefined)
    if (syscall === undefined) throw error
    const hint =
      code === 'EEXIST'
        ? 'Name a file that does not exist yet'
        : 'Name a file in a folder that you can write to, on a disk with room for it'
    const message = `Cannot write to ${JSON.stringify(file)}`
    throw new CordonError('cli.export', { exit: 5, hint }, message, error)
  }
}
