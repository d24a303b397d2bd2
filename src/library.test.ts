import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openCordon } from './library.ts'

test('a run whose caller leaves is cancelled, also where the kernel is in the same process', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-library-'))
  try {
    await using cordon = await openCordon({
      home: path.join(folder, 'home'),
      dangerouslyInProcess: true,
    })
    const left = AbortSignal.abort()
    const options = { folder, approval: 'wait', signal: left } as const
    const flow = 'write-file --path note.txt --content hello'
    await assert.rejects(cordon.run(flow, {}, options), { name: 'AbortError' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
