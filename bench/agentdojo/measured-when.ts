/** The day and the commit of a measurement, for a page. */
import { execFileSync } from 'node:child_process'

export function measuredWhen(): string {
  return `${new Date().toISOString().slice(0, 10)}, ${treeId()}`
}

/** The commit that was measured, and whether anything in it was changed. */
function treeId(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { encoding: 'utf8' }).trim()
  try {
    const isChanged = git('status', '--porcelain', 'src', 'bench') !== ''
    return `tree ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return 'outside a repository'
  }
}
