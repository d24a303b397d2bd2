import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { unseenFolder } from './missing-program.ts'

const home = mkdtempSync(path.join(tmpdir(), 'cordon-unseen-'))
after(() => rmSync(home, { recursive: true }))
for (const name of ['notes', 'my plans']) mkdirSync(path.join(home, name))
writeFileSync(path.join(home, 'one.db'), '')

function unseen(args: readonly string[], writePaths: readonly string[] = []): string | undefined {
  const sandbox = { readPaths: [], writePaths }
  return unseenFolder({ id: 'it', args, sandbox } as unknown as ServerDefinition)
}

test('a folder that a server is given and may not see is named, with the command that shows it', () => {
  assert.equal(
    unseen(['-y', 'x', `${home}/notes`, `--plans=${home}/my plans`]),
    `It may not see the folders that it is given: run \`cordon mcp edit it --read ${home}/notes --read "${home}/my plans"\`, with --write where it may change them.`,
  )
})

test('nothing is missing where the folder is shown, or where there is none', () => {
  assert.equal(unseen([`${home}/notes`], [home]), undefined)
  assert.equal(
    unseen([`${home}/one.db`, '/nowhere', 'notes', '--a=b', 'https://x.test/']),
    undefined,
  )
  assert.match(unseen([`${home}/notes`], [`${home}/note`]) ?? '', /may not see/)
})
