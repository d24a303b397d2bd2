import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'

const moduleAt = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
const CODE = `const { findShellMistake } = await import(${moduleAt('./find-shell-mistake.ts')})
const { decideShellMistake: decide } = await import(${moduleAt('../../flows/grammar/shell-mistake.ts')})
const knows = Object.assign((name) => name === 'llm', { takesFlag: () => false })
const found = await findShellMistake(['llm'], async () => knows, { program: 'cordon', folder: process.argv[1], decide })
process.stdout.write(String(found?.files))`

test('a folder that cannot be looked at keeps nobody from running a flow in it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-shell-'))
  try {
    symlinkSync('llm', path.join(folder, 'llm')) // a symbolic link to itself
    for (const place of [folder, path.join(folder, 'gone')]) {
      const out = path.join(folder, 'out.txt')
      const args = ['--input-type=module', '-e', CODE, place]
      const stdio = ['ignore', openSync(out, 'w'), 'pipe'] as const
      const { status, stderr } = spawnSync(process.execPath, args, { stdio: [...stdio] })
      assert.equal(status, 0, String(stderr))
      assert.equal(readFileSync(out, 'utf8'), 'undefined')
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
