import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { readSource } from './flow-source.ts'

test('a file that is no plain text is refused, and a pipe that nobody writes to is not waited for', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-source-'))
  const inside = (name: string) => path.join(folder, name)
  try {
    await writeFile(inside('latin.flow'), Buffer.from('llm --prompt caf\xe9', 'latin1'))
    await writeFile(inside('large.flow'), 'x'.repeat(600_000))
    await mkdir(inside('folder.flow'))
    execFileSync('/usr/bin/mkfifo', [inside('pipe.flow')])
    const messages = {
      'latin.flow': /^Cannot read .* as text$/,
      'large.flow': /^Cannot read a flow of more than 512 KiB/,
      'folder.flow': /^Cannot read the file/,
      'pipe.flow': /^Cannot read the file/,
      'none.flow': /^Cannot find the file/,
    }
    for (const [name, message] of Object.entries(messages)) {
      await assert.rejects(readSource(inside(name)), { code: 'cli.flow-file', message })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
