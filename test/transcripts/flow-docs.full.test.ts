/** Runs every `$` line of docs/flows.md in order, and compares its output with the docs. `…` matches any text. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { environmentFor, finish, MAIN, root } from '../fixtures/cordon.ts'
import { type FlowCordon, openFlowCordon } from '../fixtures/flow-cordon.ts'
import { openModelStandIn } from '../fixtures/model-stand-in.ts'

const DOCS = readFileSync(path.join(root, 'docs', 'flows.md'), 'utf8')

interface Example {
  readonly line: string
  readonly shown: readonly string[]
}

function examples(): readonly Example[] {
  const blocks = DOCS.matchAll(/```console\n(.*?)```/gs)
  return Array.from(blocks, ([, block = '']) => block.split(/^\$ /m).slice(1))
    .flat()
    .map((text) => {
      const [line = '', ...shown] = text.trimEnd().split('\n')
      return { line, shown }
    })
}

function pattern(shown: readonly string[]): RegExp {
  const lines = shown.map((line) =>
    line.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll('…', '.*'),
  )
  return new RegExp(`^${lines.join('\n').replaceAll(/^\.\*$/gm, '[^]*')}$`)
}

async function runLine({ home, folder }: FlowCordon, line: string) {
  const script = `set -o pipefail\ncordon() { '${process.execPath}' '${MAIN}' "$@"; }\n${line}`
  const env = environmentFor(home)
  const child = spawn('/bin/bash', ['-c', script], { cwd: folder, env })
  child.stdin.end()
  return await finish(child)
}

/** The flows that the docs show as files, by name. */
function files(): readonly (readonly [string, string])[] {
  const blocks = DOCS.matchAll(/```flow\n# (\S+\.flow)\n(.*?)```/gs)
  return Array.from(blocks, ([, name = '', flow = '']) => [name, flow] as const)
}

test('every command of docs/flows.md does what the docs show', async () => {
  await using model = await openModelStandIn()
  model.answer = () => 'Three files want work'
  const template = /```toml\n(\[templates.*?)```/s.exec(DOCS)?.[1] ?? ''
  const settings = `${template}\n[models.default]\nurl = "${model.url}"\nmodel = "m"\nlocal = true\n`
  await using cordon = await openFlowCordon({ settings })
  const written = files()
  assert.ok(written.length > 2)
  for (const [name, flow] of written) writeFileSync(path.join(cordon.folder, name), flow)
  const all = examples()
  assert.ok(all.length > 8)
  for (const { line, shown } of all) {
    const { code, stdout, stderr } = await runLine(cordon, line)
    assert.equal(code, 0, `${line}: ${stderr}`)
    assert.match(stdout.trimEnd(), pattern(shown), `${line}: ${stdout}`)
  }
})
