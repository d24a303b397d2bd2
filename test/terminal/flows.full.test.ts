/**
 * The first flows of a person who has read nothing, typed into a shell in a real terminal. Each does what its author
 * meant, or says in one sentence what to change.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { KernelStatus } from '../../src/api/kernel.ts'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import { environmentFor, MAIN, openCordon, root } from '../fixtures/cordon.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const cordon = openCordon()
const place = path.dirname(cordon.home)
const folder = path.join(place, 'docs')
let shell: Terminal

const DEFINITION = `name = "hello"
[server]
command = "node"
args = [${JSON.stringify(path.join(root, 'test', 'fixtures', 'servers', 'hello.mjs'))}]
${['greet', 'items', 'shout', 'open', 'nap'].map((tool) => `[tools.${tool}]\nsemantics = "read"`).join('\n')}
`
const SETTINGS = `[templates.nightly]
allowed_tools = ["hello.greet"]
output_sinks = ["sink:owner"]
max_tool_calls = 10
data_ceiling = "sensitive"
`

before(async () => {
  for (const one of [folder, path.join(place, 'bin'), path.join(cordon.home, 'mcp')]) {
    mkdirSync(one, { recursive: true, mode: 0o700 })
  }
  chmodSync(place, 0o755)
  chmodSync(folder, 0o777)
  writeFileSync(path.join(cordon.home, 'mcp', 'hello.toml'), DEFINITION, { mode: 0o600 })
  writeFileSync(path.join(cordon.home, 'config.toml'), SETTINGS, { mode: 0o600 })
  const program = `exec '${process.execPath}' --disallow-code-generation-from-strings '${MAIN}' "$@"`
  writeFileSync(path.join(place, 'bin', 'cordon'), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  writeFileSync(path.join(folder, 'plan.md'), '# Plan\nTODO: rest\n')
  await cordon.ask(['mcp', 'start', 'hello'])
  const known = environmentFor(cordon.home)
  const PATH = `${path.join(place, 'bin')}:${known['PATH'] ?? '/usr/bin:/bin'}`
  const env = { ...known, PATH, PS1: '$ ' }
  const command = ['bash', '--norc', '--noprofile']
  shell = await openTerminal({ command, env, cwd: folder, columns: 180, rows: 50 })
  await shell.until(/^\$$/)
})
after(async () => {
  await shell[Symbol.asyncDispose]()
  await cordon[Symbol.asyncDispose]()
})

async function typed(line: string): Promise<void> {
  await shell.press('C-l')
  await shell.until(/^\$$/)
  await shell.type(line)
  await shell.press('Enter')
}

/** Types a command, and returns what stands on the screen between it and the next prompt. */
async function run(line: string): Promise<string> {
  await typed(line)
  const screen = await shell.until(/^\$ \S[^]*\n\$$/)
  return screen.split('\n').slice(1, -1).join('\n')
}

interface Runs {
  readonly runs: readonly FlowRun[]
}

/** The id of the run that is under way, once its step is. */
async function underWay(): Promise<string> {
  for (let looks = 0; looks < 50; looks += 1) {
    const { runs } = await cordon.ask<Runs>(['flow', 'runs', '--limit', '1', '--state', 'running'])
    const [run] = runs
    if (run) return run.id
  }
  return assert.fail('it did not begin')
}

function write(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text)
}

const last = (text: string): string => text.split('\n').at(-1) ?? ''

test('1: a flow that needs a model says so before it runs, with the command', async () => {
  const flow =
    'read-file --path plan.md >> llm --prompt "Sum it up" >> write-file --path summary.md'
  const checked = await run(`cordon flow check '${flow}'`)
  assert.match(checked, /error: models: No model is set up\n {2}hint: .*`cordon profiles add/)
  assert.equal(last(checked), 'It cannot run as it is.')
  assert.match(await run(`cordon '${flow}'`), /No model is set up[^]*cordon profiles add/)
})

test('2: a file is copied', async () => {
  assert.equal(
    last(await run("cordon 'read-file --path plan.md >> write-file --path copy.md'")),
    'copy.md',
  )
  assert.equal(readFileSync(path.join(folder, 'copy.md'), 'utf8'), '# Plan\nTODO: rest\n')
})

test('3: a loop over names gives texts', async () => {
  write('greet.flow', `mcp-hello-greet for name in '["Ann", "Bo"]' --name \${name} >> join\n`)
  assert.match(await run('cordon run greet.flow'), /Hello, Ann!\nHello, Bo!$/)
})

test('4: a condition on a file decides about a step', async () => {
  const flow =
    'read-file as r --path plan.md >> format when ${r.content} contains TODO --template "work to do"'
  assert.equal(last(await run(`cordon '${flow}'`)), 'work to do')
})

test('5: a flow file asks for the name that it refers to', async () => {
  write('show.flow', 'read-file --path ${file}\n')
  await typed('cordon run show.flow')
  await shell.until(/file \(string\)/)
  await shell.type('plan.md')
  await shell.press('Enter')
  const screen = await shell.until(/TODO: rest\n+\$$/)
  assert.doesNotMatch(screen, /Declare/)
})

test('6: wrong names of inputs and flows are answered with the right ones', async () => {
  await run("cordon flow save digest 'mcp-hello-greet --name Ann'")
  const wrong = await run('cordon run digest --input nme=Bo')
  assert.match(
    wrong,
    /error: Cannot start the flow: The flow takes no input "nme"\n.*hint: Did you mean "name"\?/,
  )
  assert.match(
    await run('cordon run digest --name Bo'),
    /hint: Write `cordon run digest --input name=Bo`/,
  )
  assert.match(await run('cordon run digst'), /hint: Did you mean digest\?/)
  assert.equal(last(await run('cordon run digest --input name=Bo')), 'Hello, Bo!')
})

test('7: a template that does not allow the tools of a flow is said before the schedule', async () => {
  await run(
    "cordon flow save loud 'mcp-hello-greet --name Ann >> mcp-hello-shout --words ${mcp-hello-greet.result}'",
  )
  const checked = await run('cordon flow check loud --template nightly')
  assert.match(checked, /nightly[^\n]*hello\.shout|hello\.shout[^\n]*nightly/)
  assert.equal(last(checked), 'It cannot run as it is.')
  const scheduled = await run('cordon flow schedule loud every day at 8 --template nightly')
  assert.match(scheduled, /error: Cannot schedule "loud": .*hello\.shout/)
  assert.match(await run('cordon flow schedules'), /No flow is scheduled/)
})

test('8: a run whose kernel is killed in the middle of a step is taken up and ends', async () => {
  write(
    'nap.flow',
    'mcp-hello-nap as rest --seconds 6 >> format --template "${rest.result}, all"\n',
  )
  await typed('cordon run nap.flow')
  const id = await underWay()
  const { pid } = await cordon.ask<KernelStatus>(['status'])
  process.kill(pid, 'SIGKILL')
  await shell.until(/\$$/)
  for (let looks = 0; looks < 60; looks += 1) {
    const shown = await run(`cordon flow show ${id}`)
    if (/state +running/.test(shown)) continue
    assert.match(shown, /state +completed/)
    assert.match(shown, /rest: done, hello\.nap,.*1 retries/)
    assert.match(shown, /Good morning, all/)
    return
  }
  assert.fail('it did not end')
})

test('9: a text that is JSON is counted and joined as a list', async () => {
  assert.equal(last(await run("cordon 'mcp-hello-items >> count'")), '3')
  assert.match(
    await run(`cordon 'mcp-hello-items >> map --to "\${item.name}" >> join'`),
    /Ann\nBo\nCy$/,
  )
})

test('10: a text goes into the text argument of another tool', async () => {
  const flow = 'mcp-hello-greet --name Ann >> mcp-hello-shout --words ${mcp-hello-greet.result}'
  assert.match(await run(`cordon flow check '${flow}'`), /It can run\.$/)
  assert.equal(last(await run(`cordon '${flow}'`)), 'HELLO, ANN!')
})

test('11: a condition is written as a sentence, and a wrong one is answered with an example', async () => {
  const flow = (where: string) =>
    `cordon 'mcp-hello-items >> filter --where "${where}" >> map --to "\${item.name}" >> join'`
  assert.match(await run(flow('age > 40')), /Ann\nCy$/)
  assert.match(await run(flow('age over 40')), /expected a condition such as "age > 40"/)
})

test('an error is told in the words of its server, and kept whole', async () => {
  const told = await run('cordon mcp-hello-open --path /etc/shadow')
  assert.match(
    told,
    /error: hello said: "Access denied - path outside allowed directories: \/etc\/shadow"/i,
  )
  assert.doesNotMatch(told, /token|scopes/)
  const [, id = ''] = /cordon flow show ([0-9a-f-]{36})/.exec(told) ?? []
  const shown = await run(`cordon flow show ${id}`)
  assert.match(shown, /in its own words:\n {4}\| Access denied - .*:\n {4}\| \/etc\/shadow/)
})

test('a server that is not there is named with the command that connects it', async () => {
  assert.match(
    await run("cordon flow check 'mcp-github-search-code --query x'"),
    /cordon connect github/,
  )
})
