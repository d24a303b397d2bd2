/**
 * The mark of a home that was restored and not started since. Flows that were under way in the backup may have gone on
 * elsewhere after it was made: whoever opens the home has to end them before it works on any.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../kernel/ports.ts'

export const RESTORED = 'restored'

/** Runs `settle` once after a restore. The mark is removed only after that, so a crash leads to another try. */
export async function onceRestored(
  home: string,
  files: Pick<Files, 'read'>,
  settle: () => Promise<void>,
): Promise<void> {
  const path = join(home, RESTORED)
  if (!(await files.read(path))) return
  await settle()
  await rm(path, { force: true })
}
