/** `npm run check` runs this: the laws of the house that types, lint and format cannot judge. Prints every violation. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { commentViolations } from './comments.ts'
import { commitViolations } from './commits.ts'
import { kernelViolations, portViolations } from './kernel-size.ts'
import { NAME_EXCEPTIONS } from './name-exceptions.ts'
import { nameViolations } from './names.ts'
import { COMMENTED, readSources } from './sources.ts'
import type { Violation } from './violation.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const TEST_SUPPORT = /\.test\.ts$|\.child\.ts$|\/(?:fake|test)-[\w-]+\.ts$/

/** The subjects of all commits since the one that added this law. */
function newCommits(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const law = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/laws/commits.ts')
    const since = law.trim().split('\n').at(-1) ?? ''
    return since === '' ? '' : git('log', '--no-merges', '--format=%h %s', `${since}..HEAD`)
  } catch {
    return '' // no git, or no repository: an unpacked archive has no commits to judge
  }
}

const own = readSources(root, ['src/**/*.ts']).filter(([file]) => !TEST_SUPPORT.test(file))
const violations: readonly Violation[] = [
  ...readSources(root, COMMENTED).flatMap(([file, text]) => commentViolations(file, text)),
  ...own.flatMap(([file, text]) => nameViolations(file, text, NAME_EXCEPTIONS)),
  ...kernelViolations(own),
  ...portViolations(own),
  ...commitViolations(newCommits()),
]
for (const { where, what } of violations) process.stdout.write(`${where}: ${what}\n`)
process.exitCode = violations.length === 0 ? 0 : 1
