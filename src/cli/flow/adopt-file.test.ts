import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { FlowCheck } from '../../ports/flow-port.ts'
import { type Answers, runFake } from '../fake-surface.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cordon-adopt-'))
  await writeFile(path.join(folder, 'digest.flow'), 'echo --text x\n')
})
after(() => rm(folder, { recursive: true }))

const CHECK: FlowCheck = {
  isSound: true,
  findings: [],
  needs: [],
  steps: [
    {
      node: 'send',
      tool: 'mail.send',
      effect: 'write',
      verdict: 'ask',
      rule: 'plan.external',
      isCertain: true,
      args: [],
    },
  ],
  safety: { effect: 'write', level: 'internal', sinks: ['mail.send'] },
  ir: {},
}

const ANSWERS: Answers = {
  'flows.check': async () => CHECK,
  'flows.save': async ({ name }) => ({ name, description: '', savedAt: '', nodes: ['echo'] }),
}

const save = (args: readonly string[], typed?: string) =>
  runFake(
    ['flow', 'save', ...args],
    ANSWERS,
    typed === undefined ? {} : { isTTY: true, typed, question: /your own\?/ },
  )
const saved = ({ calls }: Awaited<ReturnType<typeof save>>) =>
  calls.filter(([route]) => route === 'flows.save').map(([, input]) => input)

test('the flow of a file is shown before it is taken as the owner’s own, under the name of the file', async () => {
  const file = path.join(folder, 'digest.flow')
  const yes = await save([file], 'y')
  assert.match(yes.stderr, /send: mail\.send \(write\) asks you/)
  const source = { kind: 'text', text: 'echo --text x\n', isFile: true }
  assert.deepEqual(saved(yes), [{ name: 'digest', source, replace: false }])
  const no = await save([file], 'n')
  assert.deepEqual([no.code, saved(no)], [3, []])
})

test('without a terminal a file needs the flag that says what it means', async () => {
  const file = path.join(folder, 'digest.flow')
  const refused = await save(['mine', file])
  assert.deepEqual([refused.code, saved(refused)], [2, []])
  assert.match(refused.stderr, /--as-mine/)
  assert.equal(saved(await save(['mine', file, '--as-mine'])).length, 1)
})

test('a typed flow is the owner’s already, and needs a name', async () => {
  assert.equal(saved(await save(['mine', 'echo --text x'])).length, 1)
  const nameless = await save(['echo --text x.flow'])
  assert.deepEqual([nameless.code, saved(nameless)], [2, []])
})
