/** The command line's answers to wrong usage, `help`, `completion` and `doctor`, and to an old Node. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { environmentFor, finish, MAIN, openCordon } from '../fixtures/cordon.ts'

test('a typo is answered with what was probably meant', async () => {
  await using cordon = openCordon()
  assert.deepEqual(await cordon.run(['vualt']), {
    code: 2,
    stdout: '',
    stderr: "cordon: error: unknown command 'vualt'\ncordon: hint: Did you mean vault?\n",
  })
  const option = await cordon.run(['mcp', 'list', '--jsno'])
  assert.equal(option.code, 2)
  assert.match(option.stderr, /hint: Did you mean --json\?/)
})

test('in a folder that was removed, a command says so', async () => {
  await using cordon = openCordon()
  const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${MAIN}' mcp list`
  const env = environmentFor(cordon.home)
  const child = spawn('/bin/sh', ['-c', script], { cwd: path.dirname(cordon.home), env })
  const { code, stderr } = await finish(child)
  assert.equal(code, 5)
  assert.match(
    stderr,
    /error: Cannot work in the current folder: it was removed\ncordon: hint: Change/,
  )
})

test('help names every command and shows an example', async () => {
  await using cordon = openCordon()
  const { code, stdout } = await cordon.run(['--help'])
  assert.equal(code, 0)
  for (const name of ['up', 'status', 'down', 'doctor', 'vault', 'audit', 'mcp', 'completion']) {
    assert.match(stdout, new RegExp(`^  ${name}\\b`, 'm'))
  }
  assert.match(
    (await cordon.run(['vault', 'set', '--help'])).stdout,
    /Example:\n {2}\$ cordon vault set/,
  )
})

test('a reader who leaves ends the command without a word', async () => {
  await using cordon = openCordon()
  const child = cordon.start(['--help'])
  const ended = finish(child)
  child.stdout?.destroy()
  const { code, stderr } = await ended
  assert.deepEqual([code, stderr], [0, ''])
})

test('an answer that does not fit on the disk is told', async () => {
  await using cordon = openCordon()
  const child = spawn(process.execPath, [MAIN, '--help'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    env: environmentFor(cordon.home),
  })
  const { code, stderr } = await finish(child)
  assert.equal(code, 5)
  assert.match(stderr, /^cordon: error: Cannot write the answer to standard output\ncordon: hint: /)
})

test('completion prints a script for each shell', async () => {
  await using cordon = openCordon()
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await cordon.run(['completion', shell])
    assert.equal(code, 0)
    assert.match(stdout, /cordon/)
  }
  const { stdout } = await cordon.run(['complete', '--', 'vault', ''])
  assert.match(stdout, /^set\b/m)
})

test('doctor looks at everything, with a remedy for what is not well, and needs no home', async () => {
  await using cordon = openCordon()
  type Check = { name: string; verdict: string; finding: string; remedy?: string }
  const { stdout } = await cordon.run(['doctor', '--json'], {
    environment: { npm_config_registry: 'https://npm.invalid/' },
  })
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  const names = checks.map(({ name }) => name)
  for (const name of [
    'node',
    'bubblewrap',
    'user namespaces',
    'cgroups',
    'landlock',
    'keychain',
    'disk',
    'permissions',
  ]) {
    assert.ok(
      names.some((known) => known.includes(name)),
      `${name} in ${names.join(', ')}`,
    )
  }
  const registry = checks.find(({ name }) => name === 'npm registry')
  assert.equal(registry?.verdict, 'warn')
  assert.match(registry.finding, /the npm registry "npm\.invalid" has no address$/)
  for (const check of checks) {
    assert.ok(check.verdict === 'ok' || check.remedy, JSON.stringify(check))
  }
})

/** A Node on this machine that is too old for Cordon, such as the one npm runs on. */
function oldNode(): string | undefined {
  const candidates = [process.env['npm_node_execpath'], '/usr/local/bin/node', '/usr/bin/node']
  return candidates.find((node) => {
    try {
      const version = execFileSync(node ?? '', ['-p', 'process.versions.node'], {
        encoding: 'utf8',
      })
      return Number(version.split('.')[0]) < 24
    } catch {
      return false
    }
  })
}

test('on an old Node the launcher starts the Node it brought along', async (t) => {
  const node = oldNode()
  if (!node) return t.skip('this machine has no Node older than 24')
  await using cordon = openCordon()
  const status = await cordon.ask<{ node: string }>(['up', '--detach'], { node })
  assert.match(status.node, /^24\./)
  assert.equal((await cordon.run(['--version'], { node })).stdout, '0.1.0\n')
  const { code } = await cordon.run(['vault', 'show'], { node })
  assert.equal(code, 2)
})
